"""What people write into the PRD, as sources: one for each section, with their sentences alone.

Sentences that were written from atoms are left out, or the PRD would be its own evidence.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas import ids
from schemas.events.source import Connector

CONNECTOR: Connector = "artifact_edit"
ROOT = "artifacts/prd"  # with a slash, so that no folder that is ingested is called so


def path_of_section(section_id: str) -> str:
    return f"prd/{section_id}.md"


def source_id_of_section(project_id: str, section_id: str) -> str:
    return ids.source_id(project_id, CONNECTOR, f"{ROOT}@{path_of_section(section_id)}")


def render_sentences(title: str, sentences: Iterable[str]) -> str:
    """The text of such a source, a paragraph each; empty without sentences."""
    lines = [f"- {sentence}\n" for sentence in sentences]
    return "\n".join([f"# {title}\n", *lines]) if lines else ""
