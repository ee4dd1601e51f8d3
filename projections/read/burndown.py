"""How the work of a sprint went down: what was left of it at the end of each day.

Days are those of the project's time zone. A sprint begins with what is in it when its first day
ends, since most plans are made on that day; what comes later is added. One that is closed ends with
the last change before that, by which what is not done goes to other sprints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from infra.platform.errors import NotFound
from projections.read.schedules import read_project_settings
from projections.read.session import Conn, ReadModel, rows, select

SPRINT = """
    SELECT fields->>'start_date' AS first_day, fields->>'end_date' AS last_day FROM artifacts
    WHERE project_id = %s AND artifact_id = %s AND artifact_type = 'sprint_plan' AND number <> ''
"""
# The change by which a sprint that is closed now was closed last.
CLOSED = """
    SELECT artifact_seq, changed_at FROM sprint_history
    WHERE project_id = %s AND artifact_id = %s AND is_closed AND artifact_seq > (
        SELECT coalesce(max(artifact_seq), 0) FROM sprint_history
        WHERE artifact_id = %s AND NOT is_closed)
    ORDER BY artifact_seq LIMIT 1
"""
CHANGES = """
    SELECT artifact_id AS task_id, changed_at, estimate_points AS points,
        status = 'done' AS is_done, sprint_id IS NOT DISTINCT FROM %s AS is_in
    FROM task_history
    WHERE artifact_id IN (SELECT artifact_id FROM task_history WHERE sprint_id = %s)
        AND project_id = %s AND artifact_seq < coalesce(%s::bigint, artifact_seq + 1)
    ORDER BY artifact_seq, artifact_id
"""


class BurndownDay(ReadModel):
    """The end of a day, in points. ``ideal``: what is left if each day does the same share.

    The others are None for days to come, after the sprint was closed, and as long as no task was in
    it. ``remaining`` is ``scope`` without ``done``; ``added`` and ``dropped`` say how this day
    changed the scope.
    """

    day: str
    ideal: float | None
    remaining: int | None = None
    scope: int | None = None
    done: int | None = None
    added: int | None = None
    dropped: int | None = None


class Burndown(ReadModel):
    """A sprint day by day; days are like ``2026-01-31``. ``committed``: the points it began with,
    None as long as it has not.

    ``closed_on`` is None for a sprint that is open.
    """

    sprint_id: str
    first_day: str
    last_day: str
    closed_on: str | None
    committed: int | None
    days: list[BurndownDay]


class _Change(ReadModel):
    """A task as it was from then on."""

    task_id: str
    changed_at: datetime
    points: int
    is_done: bool
    is_in: bool


@dataclass(frozen=True, slots=True)
class _Content:
    """What is in the sprint at one time: the points of each task, and which are done."""

    points: Mapping[str, int]
    done: frozenset[str]

    def count_done(self) -> int:
        return sum(self.points[each] for each in self.done)

    def count_left(self) -> int:
        return sum(self.points.values()) - self.count_done()


def read_burndown(connection: Conn, project_id: str, sprint_id: str, at: datetime) -> Burndown:
    """The sprint as far as it has come at that time. Raises NotFound."""
    records = rows(connection, SPRINT, project_id, sprint_id)
    if not records:
        raise NotFound(f"There is no sprint {sprint_id}.", code="unknown_artifact")
    zone = ZoneInfo(read_project_settings(connection, project_id).timezone)
    first, last = (date.fromisoformat(records[0][name]) for name in ("first_day", "last_day"))
    closed = rows(connection, CLOSED, project_id, sprint_id, sprint_id)
    closed_on = closed[0]["changed_at"].astimezone(zone).date() if closed else None
    until = min(last, at.astimezone(zone).date(), closed_on or last)
    closing = closed[0]["artifact_seq"] if closed else None
    changes = select(connection, _Change, CHANGES, sprint_id, sprint_id, project_id, closing)
    eve = first - timedelta(days=1)
    before, *ends = _follow(changes, _list_days(eve, max(until, eve)), zone)
    committed = _count_committed(before, ends)
    total = (last - first).days + 1
    days = []
    for place, day in enumerate(_list_days(first, last), 1):
        ideal = None if committed is None else round(committed * (total - place) / total, 1)
        fields = _tell(ends[:place]) if place <= len(ends) else {}
        days.append(BurndownDay(day=day.isoformat(), ideal=ideal, **fields))
    return Burndown(
        sprint_id=sprint_id,
        first_day=first.isoformat(),
        last_day=last.isoformat(),
        closed_on=closed_on.isoformat() if closed_on else None,
        committed=committed,
        days=days,
    )


def _list_days(first: date, last: date) -> Iterator[date]:
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def _follow(
    changes: Iterable[_Change], days: Iterable[date], zone: ZoneInfo
) -> Iterator[_Content | None]:
    """The sprint at the end of each day; None as long as no task was in it.

    The log has the order: a change that names an earlier time than the one before came after it.
    """
    left = list(changes)[::-1]
    points: dict[str, int] = {}
    done: set[str] = set()
    has_begun = False
    for day in days:
        while left and left[-1].changed_at.astimezone(zone).date() <= day:
            change = left.pop()
            points.pop(change.task_id, None)
            done.discard(change.task_id)
            if change.is_in:
                has_begun = True
                points[change.task_id] = change.points
                done.update([change.task_id] if change.is_done else [])
        yield _Content(dict(points), frozenset(done)) if has_begun else None


def _count_committed(before: _Content | None, ends: Sequence[_Content | None]) -> int | None:
    """The points of what the sprint began with, less what was done before its first day."""
    began = next(filter(None, ends), None)
    if began is None:
        return None
    done_before = before.done if before else frozenset()
    return sum(points for task, points in began.points.items() if task not in done_before)


def _tell(ends: Sequence[_Content | None]) -> dict[str, int]:
    """The last of these days, and how it changed the scope of the one before."""
    now = ends[-1]
    if now is None:
        return {}
    before = (ends[-2] if len(ends) > 1 else None) or now
    changes = [
        now.points.get(task, 0) - before.points.get(task, 0)
        for task in now.points.keys() | before.points.keys()
    ]
    return {
        "remaining": now.count_left(),
        "scope": sum(now.points.values()),
        "done": now.count_done(),
        "added": sum(change for change in changes if change > 0),
        "dropped": -sum(change for change in changes if change < 0),
    }
