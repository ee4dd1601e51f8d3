"""A PRD as markdown: the sections in order, every statement with its marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.events.artifact_parts import ArtifactState
from schemas.events.artifact_sections import Section, Statement

UNCITED = "(uncited)"  # a person wrote it, and nothing in the ledger is behind it
STATES: dict[str, str] = {
    "draft": "draft",
    "preview_stable": "usable, not final",
    "stable": "stable",
}


def render(
    title: str,
    state: ArtifactState,
    version: int,
    sections: Sequence[Section],
    shown: int | None = None,
) -> str:
    """The document; it passes ``validate_markdown`` with ``notes_of(sections, shown)``.

    Of each section the first ``shown`` statements, and how many more there are.
    """
    lines = [f"# {title} (version {version}, {STATES[state]})"]
    for section in sections:
        lines += ["", f"## {section.title}", ""]
        lines += [_item(statement) for statement in section.statements[:shown]]
        if notes := _list_notes(section, shown):
            lines += ["", *notes] if section.statements else notes
    return "\n".join(lines) + "\n"


def notes_of(sections: Iterable[Section], shown: int | None = None) -> frozenset[str]:
    """The lines that say what sections lack, how much more they hold, and what nobody cites."""
    sections = list(sections)
    edited = (section for section in sections if section.state == "edited")
    uncited = [
        statement
        for section in edited
        for statement in section.statements
        if not statement.citations
    ]
    return frozenset(
        [
            *(note for section in sections for note in _list_notes(section, shown)),
            *(_item(statement).strip() for statement in uncited),
        ]
    )


def _list_notes(section: Section, shown: int | None) -> list[str]:
    more = len(section.statements) - (len(section.statements) if shown is None else shown)
    said = f"{more} more: `cairn show prd --section {section.section_id}`"
    return [_note(text) for text in (said if more > 0 else "", section.gap) if text]


def _note(gap: str) -> str:
    return f"_{gap}_"


def _item(statement: Statement) -> str:
    marks = " ".join(
        [
            *(f"[[{citation.atom_id}]]" for citation in statement.citations),
            *(f"[art:{artifact_id}]" for artifact_id in statement.artifact_ids),
        ]
    )
    provisional = " (provisional)" if statement.provisional else ""
    return f"- {statement.text}{provisional} {marks or UNCITED}"
