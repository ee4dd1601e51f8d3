"""When sprints are. The plan fills a sprint that a person has made as it fills its own; a closed
sprint keeps what was done in it, and the rest is planned for the sprints after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from infra.platform.clock import SystemClock
from infra.platform.errors import Conflict, Invalid
from projections.read.artifact_list import list_sprints
from projections.read.session import Conn

LONGEST_DAYS = 60
FARTHEST = timedelta(days=2 * 366)  # from where the sprint is, or the one before it ends
MOST_SPRINTS = 100


def find_sprint_number(tables: Conn, project_id: str) -> int:
    """The number behind the last sprint. Raises Conflict."""
    known = [one for one in list_sprints(tables, project_id) if one.is_there or one.is_deleted]
    if len(known) >= MOST_SPRINTS:
        raise Conflict(f"A plan has at most {MOST_SPRINTS} sprints.", code="too_many_sprints")
    return max((one.sprint_number for one in known), default=0) + 1


def check_sprint_days(
    tables: Conn, project_id: str, number: int, fields: Mapping[str, Any]
) -> None:
    """Raises Conflict for days that belong to the sprint before, Invalid for days that no sprint
    has.
    """
    starts_on, ends_on = fields.get("start_date"), fields.get("end_date")
    known = [one for one in list_sprints(tables, project_id) if one.is_there]
    before = next((one for one in reversed(known) if one.sprint_number < number), None)
    own = next((one for one in known if one.sprint_number == number), None)
    if before and starts_on and starts_on <= before.end_date:
        raise Conflict(
            f"{before.title} ends on {before.end_date}: the sprint after it begins later.",
            code="dates_overlap",
        )
    near = SystemClock().now().date()
    if own or before:
        near = date.fromisoformat(own.start_date if own else before.end_date if before else "")
    begins = date.fromisoformat(starts_on) if starts_on else near
    if abs(begins - near) > FARTHEST:
        raise Invalid(
            f"{begins} is too far from {near}: a sprint begins within two years of the one before.",
            code="day_invalid",
        )
    ends = ends_on or (own.end_date if own else None)
    if ends and not 0 <= (date.fromisoformat(ends) - begins).days < LONGEST_DAYS:
        raise Invalid(
            f"A sprint has 1 to {LONGEST_DAYS} days: {begins} to {ends} is none.",
            code="day_invalid",
        )
