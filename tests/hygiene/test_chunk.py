from __future__ import annotations

import gc
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas import ids
from schemas.versions import CHUNK_VERSION
from streams.hygiene.chunks.units import MAX_TOKENS
from streams.hygiene.stage import Cleaned
from tests.hygiene.builders import cleaned

PATHS = ["a.md", "a.rst", "a.adoc", "a.py", "A.java", "a.go", "a.rb", "a.sh", "a.ts", "a.json",
         "a.yaml", "a.toml", "a.txt", "a.c", "a.xml"]  # fmt: skip
LINES = st.sampled_from(
    ["# One", "## Two", "Title", "=====", "-----", "```", "~~~", "", "  ", 
     "words of a sentence here",
     "def f(a):", "    return {", "}", "class A {", "  void m() {", "  }", "func x() {", 
     "func (a A) y() {",
     "/* open", "*/", "// note", "# note", "'", '"', '"""', "`", "key: value", "- item", 
     "[table]", "{",
     '"k": 1,', "[", "]", "end", "class B", "@Override", "== Head", "....", "---", "<!-- x -->",
     "ünïcödé 漢字 " * 30, "x" * 700, "😀" * 400, "\u200b", "def é(): pass", "if x:", 
     "\tcase", "${"]
)  # fmt: skip
JAVA = (
    "/*\n * Copyright (c) 2020 Someone\n */\n\npackage a.b;\n\nimport java.util.List;\n\n"
    "/**\n * Keeps things.\n */\npublic class Keeper implements A {\n    private int x = '{';\n\n"
    + "".join(
        f"    /** Does {n}. */\n    @Override\n    public int method{n}(int a,\n"
        "            int b) {\n"
        + "        call(\"}\"); // }\n" * 60
        + "        return a;\n    }\n\n"
        for n in range(4)
    )
    + "}\n"
)  # fmt: skip
PYTHON = (
    '''"""Doc."""
import os

LIMIT = 3


# why
@cached
def first(a):
    """Says why."""
'''
    + "    work(a)\n" * 120
    + '''

class Shop:
    """A shop."""

    size: int = 1

    def sell(self):
'''
    + "        self.give()\n" * 120
)


def check(result: Cleaned) -> None:
    """What must hold for the chunks of any text."""
    covered = [False] * len(result.text)
    last_end = 0
    for it in result.chunks:
        assert result.text[it.anchor_start : it.anchor_end] == it.text_payload
        assert it.chunk_id == ids.chunk_id(
            it.source_id,
            it.sanitized_hash,
            it.anchor_type,
            it.anchor_start,
            it.anchor_end,
            CHUNK_VERSION,
        )
        assert it.line_start == result.text.count("\n", 0, it.anchor_start) + 1
        assert it.line_end == result.text.count("\n", 0, it.anchor_end) + 1
        assert 0 < it.token_estimate <= MAX_TOKENS
        assert 0 <= it.part_index < it.part_count
        if it.anchor_type != "window":
            assert it.anchor_start >= last_end
        last_end = max(last_end, it.anchor_end)
        covered[it.anchor_start : it.anchor_end] = [True] * len(it.text_payload)
    assert all(seen or char.isspace() for seen, char in zip(covered, result.text, strict=True))
    assert len({it.chunk_id for it in result.chunks}) == len(result.chunks)


@settings(max_examples=300)
@given(st.sampled_from(PATHS), st.lists(LINES | st.text(max_size=20), max_size=40))
def test_chunks_cover_the_text_exactly(path: str, lines: list[str]) -> None:
    content = "\n".join(lines).encode("utf-8", "ignore")
    result = cleaned(content, path, force=True)
    check(result)
    assert cleaned(content, path, force=True) == result
    assert [it.chunk_id for it in result.refs] == [it.chunk_id for it in result.chunks]


def outline(result: Cleaned) -> list[tuple[str, list[str]]]:
    return [(it.anchor_type, it.structure_path) for it in result.chunks if not it.skip_reason]


def test_sections_follow_the_headings_and_not_the_fences() -> None:
    body = "Some words that fill this section well beyond the minimum size of a chunk. " * 4
    text = f"# Top\n\n{body}\n\n## Decision\n\n{body}\n```\n# no heading\n```\n"
    text += f"\nRisks\n-----\n\n{body}\n"
    assert outline(cleaned(text)) == [
        ("heading", ["Top"]),
        ("heading", ["Top", "Decision"]),
        ("heading", ["Top", "Risks"]),
    ]


def test_a_comment_has_no_headings() -> None:
    body = "Some words that fill this section well beyond the minimum size of a chunk. " * 4
    text = f"# Top\n\n{body}\n\n<!---\n## Old\n\n{body}\n--->\n\n## Risks\n\n{body}\n"
    assert outline(cleaned(text)) == [("heading", ["Top"]), ("heading", ["Top", "Risks"])]
    fenced = f"# Top\n\n{body}\n\n```\n<!--\n```\n\n## Risks\n\n{body}\n"
    unclosed = f"# Top\n\n{body}\n\n<!-- no end\n\n## Risks\n\n{body}\n"
    for other in (fenced, unclosed):
        assert outline(cleaned(other))[-1] == ("heading", ["Top", "Risks"])


def test_headings_of_restructured_text_and_asciidoc_are_found() -> None:
    body = "Some words that fill this section well beyond the minimum size of a chunk. " * 4
    rst = f"Top\n===\n\n{body}\n\nPart\n----\n\n{body}\n"
    adoc = f"= Top\n\n{body}\n\n----\n== code\n----\n\n== Part\n\n{body}\n"
    for path, text in (("a.rst", rst), ("a.adoc", adoc)):
        assert outline(cleaned(text, path)) == [("heading", ["Top"]), ("heading", ["Top", "Part"])]


def test_small_sections_of_one_parent_are_joined() -> None:
    (only,) = cleaned("## One\n\nfew words\n\n## Two\n\nfew words more\n").chunks
    assert only.text_payload.endswith("few words more")


def test_a_large_section_is_split_at_paragraphs() -> None:
    text = "# Top\n\n" + ("A paragraph of words. " * 40 + "\n\n") * 12
    chunks = cleaned(text).chunks
    assert {it.part_count for it in chunks} == {len(chunks)}
    assert [it.part_index for it in chunks] == list(range(len(chunks)))
    assert all(it.text_payload.endswith("words.") for it in chunks)


def test_python_is_cut_at_its_definitions() -> None:
    result = cleaned(PYTHON, "a.py")
    assert ("function", ["first"]) in outline(result)
    assert ("function", ["Shop", "sell"]) in outline(result) or ("class", ["Shop"]) in outline(
        result
    )
    first = next(it for it in result.chunks if it.structure_path == ["first"])
    assert first.text_payload.startswith(("# why", '"""Doc'))


def test_python_is_cut_alike_while_other_threads_parse() -> None:
    """CPython 3.11 refuses sound texts when a collection hands the interpreter over."""
    text = PYTHON * 3
    alone = cleaned(text, "a.py")

    def hand_over(*_: object) -> None:
        time.sleep(0)

    gc.callbacks.append(hand_over)
    try:
        with ThreadPoolExecutor(4) as threads:
            together = list(threads.map(lambda _: cleaned(text, "a.py"), range(60)))
    finally:
        gc.callbacks.remove(hand_over)
    assert together == [alone] * 60


def test_braces_of_java_are_balanced_outside_strings_and_comments() -> None:
    result = cleaned(JAVA, "Keeper.java")
    check(result)
    assert not any(it.structure_fallback for it in result.chunks)
    method = next(it for it in result.chunks if it.structure_path == ["Keeper", "method2"])
    assert method.text_payload.startswith("    /** Does 2. */\n    @Override")
    assert method.text_payload.endswith("    }")
    assert method.anchor_type == "function"


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.go",
         "package a\n\n// F does.\nfunc (s *S) F(a int) error {\n%s}\n\nfunc G() {\n%s}\n",
         ["F", "G"]),
        ("a.rs",
         "impl S {\n    fn f(&self) -> &'a str {\n%s    }\n\n    fn g() {\n%s    }\n}\n",
         ["f", "g"]),
        ("a.ts",
         "export class S {\n  f(a: string): void {\n%s  }\n\n  async g() {\n%s  }\n}\n",
         ["f", "g"]),
        ("a.kt",
         "class S(val a: Int) {\n  fun f(a: Int): Int {\n%s  }\n\n  fun g() {\n%s  }\n}\n",
         ["f", "g"]),
        ("a.c",
         "#include <a.h>\n\nstatic int\nf(int a)\n{\n%s}\n\nint g(void) {\n%s}\n",
         ["f", "g"]),
        ("a.rb",
         "class S\n  def f(a)\n%s  end\n\n  def g\n%s  end\nend\n",
         ["f", "g"]),
        ("a.sh",
         "#!/bin/sh\n\nf() {\n%s}\n\ng() {\n%s}\n",
         ["f", "g"]),
        ("a.cs",
         "namespace N {\n  public class S {\n  public int F(int a) {\n%s  }\n"
         "\n  void G() {\n%s  }\n}}\n",
         ["F", "G"]),
    ],
)  # fmt: skip
def test_other_languages_are_cut_at_their_functions(path: str, text: str, names: list[str]) -> None:
    result = cleaned(text % (("    call_something(1, 2, 3)\n" * 60,) * 2), path)
    check(result)
    assert not any(it.structure_fallback for it in result.chunks)
    found = [it.structure_path[-1] for it in result.chunks if it.structure_path]
    assert [name for name in names if name in found] == names


def test_a_class_of_a_hundred_lines_is_few_chunks() -> None:
    methods = "".join(f"  public int get{n}() {{\n    return {n};\n  }}\n\n" for n in range(22))
    result = cleaned(f"package a;\n\npublic class Small {{\n{methods}}}\n", "Small.java")
    assert len(result.chunks) <= 3


def test_unbalanced_code_falls_back_to_windows() -> None:
    for path, text in (("a.go", "func a() {\n" * 9), ("a.py", "def a(:\n" * 9)):
        chunks = cleaned(text, path).chunks
        assert {(it.anchor_type, it.structure_fallback) for it in chunks} == {("window", True)}


def test_a_text_of_more_headings_than_anybody_writes_is_read_in_windows() -> None:
    chunks = cleaned("\n# a heading" * 20_001, "a.md").chunks
    assert {it.anchor_type for it in chunks} == {"window"}


def test_windows_overlap_on_line_borders() -> None:
    text = "".join(f"line number {n} of a plain text\n" for n in range(400))
    chunks = cleaned(text, "a.txt").chunks
    assert len(chunks) > 2
    for before, after in zip(chunks, chunks[1:], strict=False):
        assert before.anchor_start < after.anchor_start < before.anchor_end < after.anchor_end
        assert after.text_payload.startswith("line number")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("composer.json", json.dumps({f"key{n}": ["value"] * 200 for n in range(3)}, indent=1)),
        ("a.yaml", "".join(f"key{n}:\n" + "  - value of it\n" * 80 for n in range(3))),
        ("a.toml", "".join(f"[key{n}]\n" + 'name = "some value"\n' * 60 for n in range(3))),
    ],
)
def test_settings_are_cut_at_their_top_level_keys(path: str, text: str) -> None:
    result = cleaned(text, path)
    check(result)
    paths = [it.structure_path for it in result.chunks if it.structure_path]
    assert paths == [["key0"], ["key1"], ["key2"]]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.json", "[" * 200_000),
        ("a.py", "(" * 100_000),
        ("a.py", "x = " + "-" * 50_000 + "1\n"),
        ("a.java", "class A {\n" * 20_000),
        ("a.java", "/*" * 50_000),
        ("a.js", "`${" * 50_000),
        ("a.md", "#\n" * 30_000),
        ("a.md", "> " * 90_000),
        ("a.md", "![" * 90_000),
        ("a.md", "<!--" * 50_000),
        ("a.md", "<a style=" * 30_000),
        ("a.md", "\n \n" * 50_000 + "x"),
        ("a.yaml", "a:\n" * 50_000),
        ("a.txt", "\u0301" * 100_000),
        ("a.txt", "a\u200b" * 50_000),
    ],
)
def test_hostile_input_is_answered(path: str, text: str) -> None:
    check(cleaned(text, path, force=True))


def words_of(text: str) -> tuple[list[int], list[str], bool]:
    (ref,) = cleaned(text).refs
    return ref.words, list(ref.areas), ref.structured


def test_a_reference_tells_words_areas_and_structure() -> None:
    words, areas, structured = words_of("# Login\n\nThe token and the encryption of credentials.\n")
    assert words == sorted(words) and len(words) == 4
    assert (areas, structured) == (["security"], True)
    assert (
        len(words_of(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}x" for n in range(90)))[0])
        == 64
    )


def test_the_test_vector_of_the_specification_holds() -> None:
    assert ids.chunk_id("src_demo", "ab" * 32, "heading", 0, 120, "c1") == (
        "chk_dc292f435185f93b0d6712c22ee6f6b7"
    )
    (chunk,) = cleaned("# Login\n\nThe token and the encryption of credentials.\n").chunks
    assert chunk.chunk_version == CHUNK_VERSION


@pytest.mark.parametrize("mark", ["{#late-lanes}", "\\{#late-lanes}", "{#late.lanes:2}"])
def test_a_heading_s_id_is_no_part_of_its_name(mark: str) -> None:
    result = cleaned(f"# Lanes\n\n## Late lanes {mark}\n\n{'They close at noon. ' * 40}\n", "a.md")
    paths = [it.structure_path for it in result.chunks if it.structure_path]
    assert ["Lanes", "Late lanes"] in paths


def test_a_chunk_knows_the_root_of_its_source():
    (chunk,) = cleaned("# Lanes\n\nThe sorter opens a lane for each heavy parcel.\n").chunks
    assert chunk.root == "demo"
