"""What people and the quality gate ask the writer of artifacts to change. Key ``project_id``."""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event, Part
from schemas.events.artifact_parts import Citation

Editor = Literal["person", "quality_gate"]
EditAction = Literal["write", "accept_suggestion", "decline_suggestion"]


class EditedStatement(Part):
    """A statement as somebody wants it; without citations it is kept and marked as uncited."""

    text: str
    citations: list[Citation] = []


class SectionEdit(Part):
    """``write`` sets the statements; the others answer the suggestion that the section has."""

    section_id: str
    action: EditAction = "write"
    statements: list[EditedStatement] = []


class ChangeRequested(Event):
    """Sections of the PRD should be others. Natural key: the idempotency key.

    The writer of artifacts answers with a new version, or refuses (``ArtifactChanged.edit``): it
    changes nothing when ``expected_version`` is not the one that there is.
    """

    type_name: ClassVar[str] = "reduce.change_requested"
    topic: ClassVar[str] = "reduce.request.v1"

    artifact_id: str
    op: Literal["edit"] = "edit"
    sections: list[SectionEdit]
    expected_version: int
    editor: str
    editor_kind: Editor = "person"

    @property
    def aggregate_id(self) -> str:
        return self.artifact_id
