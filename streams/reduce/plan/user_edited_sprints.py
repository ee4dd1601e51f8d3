"""Sprints that people make, change, close and delete; the plan fills them as it fills its own."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.events.artifact_parts import ArtifactSnapshot, OwnedSprint, SprintPlanFields
from schemas.events.change import ChangeRequested, ToldSprint
from streams.reduce.artifacts.items import Settled, blank
from streams.reduce.features.user_edited import check_item
from streams.reduce.prd.edits import RefusedEdit


def draft_sprint(
    artifact_snapshot: ArtifactSnapshot | None, asked: ChangeRequested, at: Settled
) -> ArtifactSnapshot:
    """The sprint as the person wants it, before it is filled. Raises RefusedEdit."""
    sprint = asked.sprint or ToldSprint()
    artifact_snapshot = check_item(artifact_snapshot, asked)
    before = artifact_snapshot or _begin(asked, sprint, at)
    fields = before.sprint_plan
    assert fields
    was = fields.owned or OwnedSprint()
    if was.is_closed and sprint.is_closed is not False and asked.op == "update":
        raise RefusedEdit("closed")
    owned = _merge(was, sprint, asked, fields)
    if artifact_snapshot and owned == was:
        raise RefusedEdit("nothing_changes")
    update = {"sprint_plan": fields.model_copy(update={"owned": owned}), "edited_by": asked.editor}
    return before.model_copy(update=update)


def _begin(asked: ChangeRequested, told: ToldSprint, at: Settled) -> ArtifactSnapshot:
    if not told.goal or not told.sprint_number:
        raise RefusedEdit("says_nothing")
    fields = SprintPlanFields(
        sprint_number=told.sprint_number,
        goal=told.goal,
        start_date="",
        end_date="",
        capacity_points=0,
        planned_points=0,
        owned=OwnedSprint(is_own=True),
    )
    title = f"Sprint {told.sprint_number}"
    sprint = blank(asked.artifact_id, "sprint_plan", title, at, [])
    return sprint.model_copy(update={"sprint_plan": fields})


def _merge(
    owned: OwnedSprint, told: ToldSprint, asked: ChangeRequested, fields: SprintPlanFields
) -> OwnedSprint:
    """What closes keeps its days and capacity, however the plan goes on."""
    said = told.model_dump(exclude={"sprint_number"}, exclude_none=True)
    merged = owned.model_copy(update=said | {"is_deleted": asked.op == "delete"})
    if not told.is_closed:
        return merged
    names = ("start_date", "end_date", "capacity_points")
    kept = {name: getattr(fields, name) for name in names if getattr(merged, name) is None}
    return merged.model_copy(update=kept)


def owned_sprint(sprint: ArtifactSnapshot | None) -> OwnedSprint | None:
    return sprint.sprint_plan.owned if sprint and sprint.sprint_plan else None


def is_closed(sprint: ArtifactSnapshot | None) -> bool:
    owned = owned_sprint(sprint)
    return bool(owned and owned.is_closed)


def owned_sprints(items: Iterable[ArtifactSnapshot]) -> dict[int, OwnedSprint]:
    """What people have said of sprints, by number."""
    sprint_plans = (item.sprint_plan for item in items if item.sprint_plan)
    return {
        sprint_plan.sprint_number: sprint_plan.owned
        for sprint_plan in sprint_plans
        if sprint_plan.owned
    }
