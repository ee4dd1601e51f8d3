"""Make, change, close and delete sprints; see ``item_changes`` for what can go wrong.

The plan fills a sprint that a person has made as it fills its own. A closed sprint keeps what was
done in it, and the rest is planned for the sprints after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict, Invalid
from infra.platform.settings import Settings
from infra.service.foundation.database import VISIBLE_WITHIN_S, ask
from infra.service.planning.item_changes import (
    ItemChange,
    ItemRequest,
    change_item,
    check_points,
    find_item,
)
from infra.service.planning.team import check_day
from projections.read.artifact_list import list_sprints
from projections.read.artifacts import Item
from projections.read.projects import project_of
from projections.read.session import Conn
from schemas.events.change import ToldSprint
from schemas.ids import artifact_id as derive_artifact_id

LONGEST_DAYS = 60
MOST_CAPACITY = 10_000
FARTHEST = timedelta(days=2 * 366)  # from where the sprint is, or the one before it ends
MOST_SPRINTS = 100


@dataclass(frozen=True, slots=True)
class SprintText:
    """What is told of a sprint; None: as it is. Days are like ``2026-01-31``, both are in it."""

    goal: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    capacity_points: int | None = None
    is_closed: bool | None = None


async def create_sprint(
    settings: Settings,
    project: str,
    told: SprintText,
    *,
    actor: str,
    key: str,
    within_s: float = VISIBLE_WITHIN_S,
) -> Item:
    """A new sprint behind the last one, as soon as the tables show it; it begins when that ends."""
    if not told.goal:
        raise Invalid("A sprint has a goal.", code="sprint_invalid")
    _check_days(told)
    project_id, number = await ask(settings, lambda tables: _find_number(tables, project))
    sprint_id = derive_artifact_id(project_id, "sprint_plan", str(number))
    change = ItemChange(
        ItemRequest(project_id, "create", told, sprint_id, key=key),
        _choose(told, number),
        check=lambda tables, _: _check_place(tables, project_id, number, told),
    )
    return await change_item(settings, change, actor=actor, within_s=within_s)


async def change_sprint(
    settings: Settings,
    request: ItemRequest[SprintText],
    *,
    actor: str,
    within_s: float = VISIBLE_WITHIN_S,
) -> Item:
    """The sprint after the change, as soon as the tables show it; a deleted one has no number."""
    _check_days(request.told)

    def check(tables: Conn, project_id: str) -> None:
        sprint = find_item(tables, project_id, "sprint_plan", request.item_id or "")
        if request.op == "update" and sprint.fields:
            _check_place(tables, project_id, sprint.fields["sprint_number"], request.told)

    change = ItemChange(request, _choose(request.told), check=check)
    return await change_item(settings, change, actor=actor, within_s=within_s)


def _find_number(tables: Conn, project: str) -> tuple[str, int]:
    """The project, and the number behind its last sprint."""
    project_id = project_of(tables, project)
    known = [one for one in list_sprints(tables, project_id) if one.is_there or one.is_deleted]
    if len(known) >= MOST_SPRINTS:
        raise Conflict(f"A plan has at most {MOST_SPRINTS} sprints.", code="too_many_sprints")
    return project_id, max((one.sprint_number for one in known), default=0) + 1


def _check_place(tables: Conn, project_id: str, number: int, told: SprintText) -> None:
    """Raises Conflict for days that belong to the sprint before, Invalid for days that no sprint
    has.
    """
    known = [one for one in list_sprints(tables, project_id) if one.is_there]
    before = next((one for one in reversed(known) if one.sprint_number < number), None)
    own = next((one for one in known if one.sprint_number == number), None)
    if before and told.start_date and told.start_date <= before.end_date:
        raise Conflict(
            f"{before.title} ends on {before.end_date}: the sprint after it begins later.",
            code="dates_overlap",
        )
    near = SystemClock().now().date()
    if own or before:
        near = date.fromisoformat(own.start_date if own else before.end_date if before else "")
    begins = date.fromisoformat(told.start_date) if told.start_date else near
    if abs(begins - near) > FARTHEST:
        raise Invalid(
            f"{begins} is too far from {near}: a sprint begins within two years of the one before.",
            code="day_invalid",
        )
    ends = told.end_date or (own.end_date if own else None)
    if ends and not 0 <= (date.fromisoformat(ends) - begins).days < LONGEST_DAYS:
        raise Invalid(
            f"A sprint has 1 to {LONGEST_DAYS} days: {begins} to {ends} is none.",
            code="day_invalid",
        )


def _check_days(told: SprintText) -> None:
    """Raises Invalid for what is no day, and for points that nobody has."""
    for day in (told.start_date, told.end_date):
        if day is not None:
            check_day(day)
    check_points(told.capacity_points, MOST_CAPACITY, "A capacity", "sprint_invalid")


def _choose(told: SprintText, number: int | None = None) -> ToldSprint:
    return ToldSprint(
        sprint_number=number,
        goal=told.goal,
        start_date=told.start_date,
        end_date=told.end_date,
        capacity_points=told.capacity_points,
        is_closed=told.is_closed,
    )
