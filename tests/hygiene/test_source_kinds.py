from __future__ import annotations

import pytest

from schemas.source_kinds import language_of, priority_tier_of, source_type_of


@pytest.mark.parametrize(
    ("path", "kind", "tier"),
    [
        ("README.md", "readme", 1),
        ("docs/readme", "readme", 1),
        ("readme_parser.py", "code", 3),
        ("CLAUDE.md", "agent_guide", 1),
        ("docs/adr/0001-use-kafka.md", "architecture_doc", 1),
        ("docs/arch/overview.txt", "architecture_doc", 1),
        ("quadrant.md", "doc", 3),
        ("docs/design-notes.rst", "architecture_doc", 1),
        ("src/design/main.go", "entry_point", 2),
        ("package.json", "manifest", 2),
        ("requirements-dev.txt", "manifest", 2),
        ("lib/x.csproj", "manifest", 2),
        ("cmd/tool/main.go", "entry_point", 2),
        ("Dockerfile", "entry_point", 2),
        ("docs/index.md", "doc", 3),
        ("src/a.java", "code", 3),
        ("a.yaml", "config", 3),
        ("a.png", "other", 3),
        (".env", "config", 3),
    ],
)
def test_the_path_tells_type_and_tier(path: str, kind: str, tier: int) -> None:
    assert source_type_of(path) == kind
    assert priority_tier_of(source_type_of(path)) == tier


def test_what_was_edited_in_cairn_is_of_the_first_tier() -> None:
    assert priority_tier_of("doc", "artifact_edit") == 1


def test_the_suffix_tells_the_language() -> None:
    assert (language_of("a/b.KT"), language_of("Makefile"), language_of("x")) == (
        "kotlin",
        "make",
        None,
    )


@pytest.mark.parametrize("path", ["a.mdx", "a.mkd", "a.mdc", "a.qmd", "a.Rmd", "a.livemd"])
def test_dialects_of_markdown_are_documents_with_sections(path: str) -> None:
    assert (source_type_of(path), language_of(path)) == ("doc", "markdown")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        *(("a.ipynb", "doc"), ("reqs.csv", "doc"), ("index.html", "doc"), ("a.pdf", "doc")),
        *(
            ("a.docx", "doc"),
            ("page.mediawiki", "doc"),
            ("docs/architecture.docx", "architecture_doc"),
        ),
        *(("standup.vtt", "interview"), ("call.srt", "interview"), ("thread.eml", "comment")),
    ],
)
def test_what_becomes_markdown_is_a_document_or_talk(path: str, kind: str) -> None:
    assert (source_type_of(path), language_of(path)) == (kind, "markdown")
