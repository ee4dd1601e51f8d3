"""What a sprint held when it began: what comes into it afterwards was added.

A sprint begins with the first plan that is written on its first day or later. A plan of that day
that follows the team, or that somebody has asked for, begins it anew: a team is put together member
by member. So does a plan that follows the closing of a sprint, whatever the day. A preview begins
none: it reads too little.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_plans import SprintPlanFields
from schemas.events.change import GenerationRequested
from schemas.events.team import MemberAdded, MemberRemoved, MemberUpdated, PlanSet
from streams.reduce.artifacts.items import Settled
from streams.reduce.plan.user_edited_sprints import is_closed

_REPLANS = (MemberAdded, MemberRemoved, MemberUpdated, PlanSet, GenerationRequested)
_PLANNING = frozenset(one.type_name for one in _REPLANS)


def commit(
    before: ArtifactSnapshot | None,
    held: Sequence[str],
    first_day: str,
    at: Settled,
    *,
    after_closing: bool,
) -> dict[str, object]:
    """What a sprint began with, as fields of its plan. ``held`` are the tasks it has now, by id.

    ``after_closing``: this plan follows the closing of another sprint.
    """
    sprint_plan = before.sprint_plan if before else None
    if sprint_plan and sprint_plan.committed_on and is_closed(before):
        return _fields(sprint_plan.committed, sprint_plan.committed_on, sprint_plan.committed_seq)
    if not at.day or at.day < first_day:
        return _fields([], "", 0)
    if sprint_plan is None or before is None or not before.version:
        return _fields(held, at.day, at.ledger_seq) if at.lane == "deep" else _fields([], "", 0)
    if sprint_plan.committed_on:
        is_first = at.reason in _PLANNING and at.day <= sprint_plan.committed_on
        if is_first or after_closing:
            return _fields(held, sprint_plan.committed_on, at.ledger_seq)
        return _fields(sprint_plan.committed, sprint_plan.committed_on, sprint_plan.committed_seq)
    if at.lane != "deep":
        return _fields([], "", 0)
    if before.lane == "preview" or at.reason in _PLANNING or after_closing:
        return _fields(held, at.day, at.ledger_seq)
    planned = [item.task_id for item in sprint_plan.items]
    return _fields(planned, at.day, before.input_ledger_seq)


def list_added(plan: SprintPlanFields, task_ids: Sequence[str]) -> list[str]:
    """Those of the tasks that came into the sprint after it had begun."""
    committed = set(plan.committed)
    return [task_id for task_id in task_ids if plan.committed_on and task_id not in committed]


def _fields(committed: Sequence[str], day: str, ledger_seq: int) -> dict[str, object]:
    return {"committed": list(committed), "committed_on": day, "committed_seq": ledger_seq}
