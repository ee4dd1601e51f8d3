"""Scheduled work, the hours that a project keeps, and its sprints."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows, select
from schemas.events.job import JobType, Priority
from schemas.events.schedule import Origin, QuietHours, Recurrence

COLUMNS = (
    "w.work_item_id, w.project_id, w.title, w.agent, w.job_type, w.payload, w.priority,"
    " w.recurrence, w.next_run_at, w.not_before, w.reason, w.origin, w.connector, w.done_by,"
    " w.status, w.due_at, w.last_run_at, w.last_result, w.job_id, w.received_at, w.counts_from,"
    " w.created_at, w.created_by"
)
WORK = Listing(
    "scheduled work",
    COLUMNS,
    "scheduled_work w",
    {"w.created_at": "timestamptz", "w.work_item_id": "text"},
)
ONE = f"SELECT {COLUMNS} FROM scheduled_work w WHERE w.project_id = %s AND w.work_item_id = %s"
# New sprints may bring work back that has no next run.
COMES_AGAIN = (
    "w.recurrence IS NOT NULL AND w.status <> 'removed'"
    " AND (w.next_run_at IS NOT NULL OR w.recurrence->>'kind' = 'sprint')"
)
RECURRING = (
    f"SELECT {COLUMNS} FROM scheduled_work w WHERE w.project_id = %s AND {COMES_AGAIN}"
    " ORDER BY w.next_run_at, w.work_item_id"
)
RECEIVED = (
    f"SELECT {COLUMNS} FROM scheduled_work w WHERE w.status = 'waiting'"
    " AND w.received_at IS NOT NULL AND coalesce(w.not_before, w.received_at) <= %s"
    " ORDER BY w.received_at, w.work_item_id LIMIT %s"
)
# What the queue has ended since; the job of a lost database is not known, so its work stays routed.
ENDED = (
    "SELECT w.project_id, w.work_item_id, w.due_at, w.job_id, j.status AS outcome,"
    " coalesce(j.last_error, '') AS detail, w.next_run_at IS NOT NULL AS goes_on"
    " FROM scheduled_work w JOIN orchestration_jobs j USING (job_id)"
    " WHERE w.status = 'routed' AND j.status IN ('succeeded', 'dead', 'cancelled')"
    " ORDER BY w.due_at, w.work_item_id LIMIT %s"
)
BEATING = f"SELECT DISTINCT w.project_id FROM scheduled_work w WHERE {COMES_AGAIN}"
SETTINGS = """
    SELECT p.project_id, coalesce(s.timezone, p.timezone) AS timezone, s.quiet_hours,
        h.slot_at AS heartbeat_at
    FROM projects p LEFT JOIN project_settings s USING (project_id)
        LEFT JOIN heartbeats h USING (project_id)
    WHERE p.project_id = %s
"""
SPRINTS = """
    SELECT (fields->>'start_date')::date AS first_day, (fields->>'end_date')::date AS last_day
    FROM artifacts WHERE project_id = %s AND artifact_type = 'sprint_plan' AND number <> ''
    ORDER BY 1
"""


class ScheduledWork(ReadModel):
    """Work of a schedule, or what a delivery of a webhook asks for.

    ``status``: ``waiting``, ``routed``, ``finished`` or ``removed``. ``not_before`` and ``reason``
    are set while it has to wait; ``due_at`` is the time it was due last.
    """

    work_item_id: str
    project_id: str
    title: str
    agent: str
    job_type: JobType | None
    payload: dict[str, Any]
    priority: Priority
    recurrence: Recurrence | None
    next_run_at: datetime | None
    not_before: datetime | None
    reason: str | None
    origin: Origin
    connector: str | None
    done_by: str | None
    status: str
    due_at: datetime | None
    last_run_at: datetime | None
    last_result: dict[str, Any] | None
    job_id: str | None
    received_at: datetime | None
    counts_from: datetime | None
    created_at: datetime
    created_by: str


class EndedWork(ReadModel):
    """Work whose job has ended."""

    project_id: str
    work_item_id: str
    due_at: datetime
    job_id: str
    outcome: str
    detail: str
    goes_on: bool


class ProjectSettings(ReadModel):
    """``heartbeat_at`` is when the scheduler has last looked for due work; None: never."""

    project_id: str
    timezone: str
    quiet_hours: QuietHours | None
    heartbeat_at: datetime | None


class SprintDays(ReadModel):
    first_day: date
    last_day: date


def list_schedules(
    connection: Conn,
    project_id: str,
    *,
    everything: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[ScheduledWork]:
    """A page of a project's schedules, oldest first; ``everything``: also what is removed, and what
    deliveries have asked for.
    """
    conditions: list[Condition] = [("w.project_id = %s", project_id)]
    if not everything:
        conditions.append(("w.recurrence IS NOT NULL AND w.status <> 'removed'",))
    records, following = page_of(connection, WORK, conditions, cursor, limit)
    return Page(items=[ScheduledWork(**row) for row in records], next_cursor=following)


def read_schedule(connection: Conn, project_id: str, work_item_id: str) -> ScheduledWork:
    """One piece of work. Raises NotFound."""
    row = find_schedule(connection, project_id, work_item_id)
    if row is None:
        raise NotFound(f"There is no schedule {work_item_id}.", code="unknown_schedule")
    return row


def find_schedule(connection: Conn, project_id: str, work_item_id: str) -> ScheduledWork | None:
    items = select(connection, ScheduledWork, ONE, project_id, work_item_id)
    return items[0] if items else None


def list_recurring_work(connection: Conn, project_id: str) -> list[ScheduledWork]:
    """The schedules of a project that can be due again, the next one first."""
    return select(connection, ScheduledWork, RECURRING, project_id)


def list_received_work(connection: Conn, now: datetime, limit: int) -> list[ScheduledWork]:
    """What deliveries ask for and nobody has been given yet, oldest first."""
    return select(connection, ScheduledWork, RECEIVED, now, limit)


def list_ended_work(connection: Conn, limit: int) -> list[EndedWork]:
    return select(connection, EndedWork, ENDED, limit)


def list_beating_projects(connection: Conn) -> list[str]:
    """The projects that have such a schedule."""
    return sorted(row["project_id"] for row in rows(connection, BEATING))


def read_project_settings(connection: Conn, project_id: str) -> ProjectSettings:
    """Raises NotFound."""
    items = select(connection, ProjectSettings, SETTINGS, project_id)
    if not items:
        raise NotFound(f"There is no project {project_id}.", code="unknown_project")
    return items[0]


def list_sprint_days(connection: Conn, project_id: str) -> list[SprintDays]:
    """The sprints of a project in order."""
    return select(connection, SprintDays, SPRINTS, project_id)
