"""Make, change and delete tasks; see ``item_changes`` for what can go wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from infra.platform.errors import Conflict, Invalid
from infra.platform.settings import Settings
from infra.service.foundation.database import VISIBLE_WITHIN_S
from infra.service.planning.item_changes import (
    MOST_POINTS,
    ItemChange,
    ItemRequest,
    Words,
    change_item,
    check_points,
    find_item,
)
from projections.read import team
from projections.read.artifacts import Item
from projections.read.session import Conn
from schemas.events.artifact_parts import TaskStatus
from schemas.events.change import ToldTask


@dataclass(frozen=True, slots=True)
class TaskText:
    """What is told of a task; None: as it is. ``sections`` are sentences by section id:
    ``description``, ``solutions`` and ``acceptance_criteria``. ``atom_ids`` are cited by all.
    ``sprint_id``: the sprint to move it into; empty: the one that the plan chooses.
    """

    title: str | None = None
    sections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    atom_ids: Sequence[str] = ()
    feature_id: str | None = None
    assignee_id: str | None = None
    sprint_id: str | None = None
    estimate_points: int | None = None
    required_skills: Sequence[str] | None = None
    status: TaskStatus | None = None


async def create_task(
    settings: Settings,
    project: str,
    told: TaskText,
    *,
    actor: str,
    key: str,
    within_s: float = VISIBLE_WITHIN_S,
) -> Item:
    """A new task in a person's words, as soon as the tables show it.

    Without an approach it has what the ledger says of how, else an open question; an approach that
    says no more than the title is refused.
    """
    if not told.title:
        raise Invalid("A task has a title.", code="task_invalid")
    sections = {key: said for key, said in told.sections.items() if said or key != "solutions"}
    told = replace(told, sections=sections)
    request = ItemRequest(project, "create", told, key=key)
    return await change_task(settings, request, actor=actor, within_s=within_s)


async def change_task(
    settings: Settings,
    request: ItemRequest[TaskText],
    *,
    actor: str,
    within_s: float = VISIBLE_WITHIN_S,
) -> Item:
    """The task after the change, as soon as the tables show it; a deleted one has no number."""
    told = request.told
    check_points(told.estimate_points, MOST_POINTS, "An estimate", "task_invalid")
    change = ItemChange(
        request,
        _choose(told),
        words=Words(told.sections, told.atom_ids),
        check=lambda tables, project_id: _check_named(tables, project_id, told),
    )
    return await change_item(settings, change, actor=actor, within_s=within_s)


def _check_named(tables: Conn, project_id: str, told: TaskText) -> None:
    """Raises NotFound for a feature, member or sprint that there is not, Conflict for a sprint
    that is closed.
    """
    if told.feature_id:
        find_item(tables, project_id, "feature", told.feature_id)
    if told.assignee_id:
        team.member_of(tables, project_id, told.assignee_id)
    if told.sprint_id:
        sprint = find_item(tables, project_id, "sprint_plan", told.sprint_id)
        if ((sprint.fields or {}).get("owned") or {}).get("is_closed"):
            raise Conflict(f"{sprint.title} is closed: name an open one.", code="closed")


def _choose(told: TaskText) -> ToldTask:
    skills = None if told.required_skills is None else list(told.required_skills)
    return ToldTask(
        title=told.title,
        feature_id=told.feature_id,
        assignee_id=told.assignee_id,
        sprint_id=told.sprint_id,
        estimate_points=told.estimate_points,
        required_skills=skills,
        status=told.status,
    )
