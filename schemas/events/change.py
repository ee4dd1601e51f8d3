"""What people, models and the quality gate ask the writer of artifacts to change. Key
``project_id``.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.envelope import Event, Part
from schemas.events.artifact_parts import Citation, LoopRecord, TaskStatus

Editor = Literal["person", "quality_gate", "model"]
ListPhase = Literal["insight_generation", "feature_generation", "task_breakdown", "sprint_planning"]
EditAction = Literal["write", "accept_suggestion", "decline_suggestion"]
ChangeOp = Literal["edit", "create", "update", "delete"]


class EditedStatement(Part):
    """A statement as somebody wants it; without citations it is kept and marked as uncited."""

    text: str
    citations: list[Citation] = []


class SectionEdit(Part):
    """``write`` sets the statements; the others answer the suggestion that the section has.

    ``input_hash`` is that of the section whose atoms a model was given.
    """

    section_id: str
    action: EditAction = "write"
    statements: list[EditedStatement] = []
    input_hash: str = ""


class ToldTask(Part):
    """What a person says of a task besides its sections; None: as it is."""

    title: str | None = None
    feature_id: str | None = None
    assignee_id: str | None = None
    estimate_points: int | None = None
    required_skills: list[str] | None = None
    status: TaskStatus | None = None


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
    """Sections of the PRD, or with a model's words of any artifact, should be others. Natural key:
    the idempotency key.

    The writer of artifacts answers with a new version, or refuses (``ArtifactChanged.edit``): it
    changes nothing when ``expected_version`` is not the one that there is. A model's words are
    taken as long as the sections have the ``input_hash`` that they had for the model, whatever the
    version. ``model`` and ``prompt_version`` say where they come from. ``loop`` without sections
    says how a model has gone through a list.

    ``create``, ``update`` and ``delete`` are of a task: ``task`` holds what a person says of it.
    """

    type_name: ClassVar[str] = "reduce.change_requested"
    topic: ClassVar[str] = "reduce.request.v1"

    artifact_id: str
    op: ChangeOp = "edit"
    sections: list[SectionEdit]
    expected_version: int
    editor: str
    editor_kind: Editor = "person"
    model: str | None = None
    prompt_version: str | None = None
    loop: LoopRecord | None = None
    task: ToldTask | None = None

    @property
    def aggregate_id(self) -> str:
        return self.artifact_id
