"""What people and the quality gate ask the writer of artifacts to change. Key ``project_id``."""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event, Part
from schemas.events.artifact_parts import Citation

Editor = Literal["person", "quality_gate"]
ListPhase = Literal["insight_generation", "feature_generation", "task_breakdown", "sprint_planning"]
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


class GenerationRequested(Event):
    """A list should be made again from what is known. Natural key: the idempotency key.

    The writer of artifacts answers at the position of its last answer. What the list has already
    keeps its bytes, so the answer says how the loop went and holds what is new.
    """

    type_name: ClassVar[str] = "reduce.generation_requested"
    topic: ClassVar[str] = "reduce.request.v1"

    phase: ListPhase

    @property
    def aggregate_id(self) -> str:
        return self.phase


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
