"""What people, models and the quality gate ask the writer of artifacts to change. Key
``project_id``.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from schemas.days import Day
from schemas.envelope import Event, Part
from schemas.events.artifact_items import FeatureStatus, Priority, TaskStatus
from schemas.events.artifact_loops import LoopRecord
from schemas.events.artifact_sections import Citation

Editor = Literal["person", "quality_gate", "model"]
ListPhase = Literal["insight_generation", "feature_generation", "task_breakdown", "sprint_planning"]
EditAction = Literal["write", "accept_suggestion", "decline_suggestion"]
ChangeOp = Literal["edit", "create", "update", "delete"]
ChangedType = Literal["task", "feature", "sprint_plan"]


class EditedStatement(Part):
    """A statement as somebody wants it; without citations it is kept and marked as uncited.

    ``artifact_ids`` are the artifacts that a line of a sprint plan or report rests on.
    """

    text: str
    citations: list[Citation] = []
    artifact_ids: list[str] = []


class SectionEdit(Part):
    """``write`` sets the statements; the others answer the suggestion that the section has.

    ``input_hash`` is that of the section whose atoms a model was given.
    """

    section_id: str
    action: EditAction = "write"
    statements: list[EditedStatement] = []
    input_hash: str = ""


class TaskEdit(Part):
    """What a person changes in a task besides its sections; None: as it is. An empty ``sprint_id``:
    the plan chooses the sprint again.
    """

    title: str | None = None
    feature_id: str | None = None
    assignee_id: str | None = None
    sprint_id: str | None = None
    estimate_points: int | None = None
    required_skills: list[str] | None = None
    status: TaskStatus | None = None


class FeatureEdit(Part):
    """What a person changes in a feature besides its sections; None: as it is.

    ``reason`` and ``atom_ids`` say why it has this priority.
    """

    title: str | None = None
    priority: Priority | None = None
    reason: str = ""
    atom_ids: list[str] = []
    effort_points: int | None = None
    status: FeatureStatus | None = None


class SprintEdit(Part):
    """What a person changes in a sprint; None: as it is. Days are like ``2026-01-31``.

    ``sprint_number`` is that of a new one.
    """

    sprint_number: int | None = None
    goal: str | None = None
    start_date: Day | None = None
    end_date: Day | None = None
    capacity_points: int | None = None
    is_closed: bool | None = None


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

    ``create``, ``update`` and ``delete`` are of an item of ``changed_type``: what a person changes
    in it is in ``task``, ``feature`` or ``sprint``.
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
    changed_type: ChangedType = "task"
    task: TaskEdit | None = None
    feature: FeatureEdit | None = None
    sprint: SprintEdit | None = None

    @property
    def aggregate_id(self) -> str:
        return self.artifact_id
