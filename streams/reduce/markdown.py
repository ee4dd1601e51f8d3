"""A PRD as markdown: the sections in order, every statement with its marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.events.artifact_parts import ArtifactState, Section, Statement

STATES: dict[ArtifactState, str] = {
    "draft": "draft",
    "preview_stable": "preview, stable so far",
    "stable": "stable",
}


def render(title: str, state: ArtifactState, version: int, sections: Sequence[Section]) -> str:
    """The document; it passes ``validate_markdown`` with ``notes_of(sections)``."""
    lines = [f"# {title} (version {version}, {STATES[state]})"]
    for section in sections:
        lines += ["", f"## {section.title}", ""]
        lines += [_item(statement) for statement in section.statements]
        if section.gap:
            lines.append(_note(section.gap))
    return "\n".join(lines) + "\n"


def notes_of(sections: Iterable[Section]) -> frozenset[str]:
    """The lines that say what sections lack."""
    return frozenset(_note(section.gap) for section in sections if section.gap)


def _note(gap: str) -> str:
    return f"_{gap}_"


def _item(statement: Statement) -> str:
    marks = " ".join(f"[[{citation.atom_id}]]" for citation in statement.citations)
    provisional = " (provisional)" if statement.provisional else ""
    return f"- {statement.text}{provisional} {marks}"
