"""What is wrong with a draft is named by line, before anybody is asked to review it."""

import pytest

from agents.development.checks import (
    IMPLEMENTATION_SPEC,
    ISSUE_BRIEF,
    LOW_LEVEL_DESIGN,
    describe_rules,
    validate_draft,
)
from tests.development.drafts import DESIGN, ISSUE, PATHS, SPECIFICATION


def codes(text: str, paths: tuple[str, ...] | None = PATHS) -> list[tuple[str, int]]:
    return [(it.code, it.line) for it in validate_draft(text, LOW_LEVEL_DESIGN, paths)]


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


@pytest.mark.parametrize(
    ("draft", "rules"),
    [(ISSUE, ISSUE_BRIEF), (DESIGN, LOW_LEVEL_DESIGN), (SPECIFICATION, IMPLEMENTATION_SPEC)],
)
def test_a_sound_draft_has_no_problem(draft, rules):
    spaced = draft if rules is not IMPLEMENTATION_SPEC else draft + "\n## Risks\n"
    assert validate_draft(spaced, rules, PATHS) == ()


@pytest.mark.parametrize("change", [str.upper, lambda text: text.replace("\n", "\r\n")])
def test_titles_are_compared_without_case_and_line_ends(change):
    text = change(DESIGN)
    assert not [it for it in codes(text) if it[0].startswith("section")]


@pytest.mark.parametrize("depth", ["#", "###", "#####"])
def test_required_sections_may_all_be_deeper_or_less_deep(depth):
    assert codes(DESIGN.replace("\n## ", f"\n{depth} ")) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "at"),
    [
        ("## Design\n", "## Sketch\n", "section_missing", ""),
        ("A check before", "", "section_empty", ""),
        ("## Design\n", "```\n## Design\n```\n", "section_missing", ""),
        ("## Design\n", "<!--\n## Design\n-->\n", "section_missing", ""),
        ("## Design\n", "### Design\n", "heading_level", "### Design"),
        ("## Risks\n", "## Risks\n\n## Design\n\nAgain.\n", "section_twice", "## Design\n\nAg"),
        ("before the first", "before TODO first", "placeholder", "before TODO"),
        ("before the first", "before <the first>", "placeholder", "before <the"),
        ("before the first", "TBD", "placeholder", "A check TBD"),
        ("LIMIT = 10\n```", "LIMIT = 10", "open_fence", "```python"),
        ("(src/store.py)", "(src/shop.py)", "link_unresolved", "[the store]"),
        ("(src/store.py)", "(../store.py)", "link_unresolved", "[the store]"),
        ("(#requirements)", "(#wishes)", "link_unresolved", "[the requirements]"),
        ("`src/store.py` |", "`src/shop.py` |", "file_missing", "| `src/shop.py`"),
        ("`src/store.py` |", "`src` |", "file_is_folder", "| `src` |"),
        ("`src/store.py` |", "`../store.py` |", "file_outside", "| `../store.py`"),
        ("`src/store.py` |", "`src/limits.py` |", "file_twice", "| `src/limits.py` | new"),
        ("| modify |", "| new |", "file_exists", "| `src/store.py` | new"),
        ("**REQ-2**", "**REQ-1**", "requirement_twice", "2. **REQ-1**"),
        ("| new |", "| rework, add a new one |", "file_missing", "| `src/limits.py`"),
    ],
)
def test_a_fault_is_named_with_its_line(old: str, new: str, code: str, at: str):
    assert old in DESIGN
    text = DESIGN.replace(old, new)
    if code == "section_empty":
        text = text.replace(" the first byte is written.", "")
        text = text[: text.index("```")] + text[text.index("## Files") :]
    assert codes(DESIGN) == []
    named = codes(text)
    assert code in [it[0] for it in named]
    if at:
        assert (code, line_of(text, at)) in named


@pytest.mark.parametrize(
    "harmless",
    [
        "a < b and c > d",
        "List<String> and Map<K, V>",
        "<https://example.org> and <me@example.org>",
        "<br> and <img src='a.png'> and </details>",
        "`<name>` and ``TODO``",
        "the TODO-list, todos, and a TODO_LIST",
        "<!-- TODO: nobody reads this -->",
        "[mail](mailto:a@b.c) [web](https://x.y/z) [top](#design) [it](<src/store.py>)",
        "[line](src/store.py#L3) [line](src/store.py:12) [dir](src/) [new](src/limits.py)",
    ],
)
def test_what_only_looks_like_a_fault_is_none(harmless: str):
    assert codes(DESIGN.replace("A check before", f"{harmless} A check before")) == []


def test_sections_must_stand_in_their_order():
    start, end = DESIGN.index("## Context"), DESIGN.index("## Requirements")
    context = DESIGN[start:end]
    text = DESIGN.replace(context, "").replace("## Design", f"{context}## Design")
    assert codes(text) == [("section_order", line_of(text, "## Requirements"))]


def test_a_part_of_a_section_may_be_called_like_another_required_section():
    part = "## Context\n\n### Background\n\nLong.\n"
    assert codes(DESIGN.replace("## Context\n", part)) == []


def test_an_empty_draft_and_one_without_files_or_requirements_are_no_pass():
    assert codes(" \n\t") == [("empty", 0)]
    no_files = DESIGN.replace("| `src/store.py` | modify | the check |\n", "").replace(
        "| `src/limits.py` | new | the limit |\n", ""
    )
    assert ("no_files", 0) in codes(no_files)
    assert ("no_requirements", 0) in codes(DESIGN.replace("REQ-", "Need "))


def test_without_a_repository_nobody_says_that_a_file_is_missing():
    text = DESIGN.replace("src/store.py", "src/shop.py")
    assert codes(text, None) == []
    assert ("file_missing", line_of(text, "| `src/shop.py`")) in codes(text)


def test_rules_can_be_read_by_the_writer():
    text = describe_rules(LOW_LEVEL_DESIGN)
    assert all(f"## {it.title}" in text for it in LOW_LEVEL_DESIGN.sections)
    assert "Change is modify, new or delete" in text
