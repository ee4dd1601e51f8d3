"""Sprints that people make, change, close and delete; the plan fills them as it fills its own."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_plans import SprintPlanFields, UserEditedSprint
from schemas.events.change import ChangeRequested, SprintEdit
from streams.reduce.artifacts.items import Settled, blank
from streams.reduce.features.user_edited import check_item
from streams.reduce.prd.edits import RefusedEdit


def draft_sprint(
    artifact_snapshot: ArtifactSnapshot | None, asked: ChangeRequested, at: Settled
) -> ArtifactSnapshot:
    """The sprint as the person wants it, before it is filled. Raises RefusedEdit."""
    sprint = asked.sprint or SprintEdit()
    artifact_snapshot = check_item(artifact_snapshot, asked)
    before = artifact_snapshot or _begin(asked, sprint, at)
    fields = before.sprint_plan
    assert fields
    was = fields.user_edited or UserEditedSprint()
    if was.is_closed and sprint.is_closed is not False and asked.op == "update":
        raise RefusedEdit("closed")
    user_edited = _merge(was, sprint, asked, fields)
    if artifact_snapshot and user_edited == was:
        raise RefusedEdit("no_change")
    update = {
        "sprint_plan": fields.model_copy(update={"user_edited": user_edited}),
        "edited_by": asked.editor,
    }
    return before.model_copy(update=update)


def _begin(asked: ChangeRequested, told: SprintEdit, at: Settled) -> ArtifactSnapshot:
    if not told.goal or not told.sprint_number:
        raise RefusedEdit("empty_text")
    fields = SprintPlanFields(
        sprint_number=told.sprint_number,
        goal=told.goal,
        start_date="",
        end_date="",
        capacity_points=0,
        planned_points=0,
        user_edited=UserEditedSprint(is_user_created=True),
    )
    title = f"Sprint {told.sprint_number}"
    sprint = blank(asked.artifact_id, "sprint_plan", title, at, [])
    return sprint.model_copy(update={"sprint_plan": fields})


def _merge(
    user_edited: UserEditedSprint,
    told: SprintEdit,
    asked: ChangeRequested,
    fields: SprintPlanFields,
) -> UserEditedSprint:
    """What closes keeps its days and capacity, however the plan goes on."""
    said = told.model_dump(exclude={"sprint_number"}, exclude_none=True)
    merged = user_edited.model_copy(update=said | {"is_deleted": asked.op == "delete"})
    if not told.is_closed:
        return merged
    names = ("start_date", "end_date", "capacity_points")
    kept = {name: getattr(fields, name) for name in names if getattr(merged, name) is None}
    return merged.model_copy(update=kept)


def find_edited_sprint(sprint: ArtifactSnapshot | None) -> UserEditedSprint | None:
    return sprint.sprint_plan.user_edited if sprint and sprint.sprint_plan else None


def is_closed(sprint: ArtifactSnapshot | None) -> bool:
    user_edited = find_edited_sprint(sprint)
    return bool(user_edited and user_edited.is_closed)


def find_edited_sprints(items: Iterable[ArtifactSnapshot]) -> dict[int, UserEditedSprint]:
    """What people have said of sprints, by number."""
    sprint_plans = (item.sprint_plan for item in items if item.sprint_plan)
    return {
        sprint_plan.sprint_number: sprint_plan.user_edited
        for sprint_plan in sprint_plans
        if sprint_plan.user_edited
    }
