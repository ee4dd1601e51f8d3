"""Work that is done at a time or because something happened outside, and who it is given to.

A piece of work is a row with an id: a schedule of a person, which comes again and again, or what a
delivery of a webhook asks for. Each time it is due is named by ``due_at``. Key ``project_id``.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from schemas.envelope import Event, Part
from schemas.events.job import JobType, Priority

RecurrenceKind = Literal["once", "daily", "weekly", "biweekly", "monthly", "sprint", "cron"]
SprintPoint = Literal["start", "midpoint", "end"]
Origin = Literal["user", "heartbeat", "webhook"]
DeferReason = Literal["quiet_hours"]
WorkOutcome = Literal["succeeded", "dead", "cancelled", "refused", "answered", "done"]


class Recurrence(Part):
    """When work is due, as the clocks of the project show it.

    ``at`` is the time of day (``09:00``), ``weekday`` 0 for Monday, ``day`` the day of the month,
    ``point`` the day of a sprint. ``first_day`` (``2026-01-31``) is the day of work that is done
    once, and the first possible one of all other. ``cron``: five fields (``0 9 * * mon,thu``), as
    the clocks of ``timezone`` show them, or those of the project; ``at`` is empty then.
    """

    kind: RecurrenceKind
    at: str = ""
    weekday: int | None = None
    day: int | None = None
    point: SprintPoint | None = None
    first_day: str = ""
    cron: str = ""
    timezone: str = ""


class QuietHours(Part):
    """From ``start`` to ``end`` (``22:00``, ``07:00``) only urgent work runs; an end that is not
    later than the start is the next day's.
    """

    start: str
    end: str


class _WorkItem(Event):
    """What the facts about one piece of work share."""

    topic: ClassVar[str] = "schedule.v1"

    work_item_id: str

    @property
    def aggregate_id(self) -> str:
        return self.work_item_id


class ScheduleCreated(_WorkItem):
    """A person, or an agent for them, wants work done at times. Natural key: the request's key.

    ``job_type`` is the job that does it; without one it is asked of ``agent``. ``payload`` is the
    JSON text of that job's payload.
    """

    type_name: ClassVar[str] = "schedule.created"

    title: str
    agent: str
    job_type: JobType | None = None
    payload: str = "{}"
    priority: Priority = "scheduled"
    recurrence: Recurrence
    next_run_at: datetime | None = None


class ScheduleUpdated(_WorkItem):
    """A schedule is different from now on; what is None stays as it is.

    The heartbeat of ``slot_at`` tells it where another time zone or other sprints move the next
    run: then only ``next_run_at`` is given, or ``has_no_run`` where there is none any more.
    """

    type_name: ClassVar[str] = "schedule.updated"

    title: str | None = None
    priority: Priority | None = None
    recurrence: Recurrence | None = None
    next_run_at: datetime | None = None
    has_no_run: bool = False
    slot_at: datetime | None = None

    @property
    def local_key(self) -> str:
        return f"{self.work_item_id}|{self.slot_at.isoformat() if self.slot_at else '-'}"


class ScheduleRemoved(_WorkItem):
    """The work is not done any more. Natural key: the request's key."""

    type_name: ClassVar[str] = "schedule.removed"


class HeartbeatTicked(Event):
    """The scheduler has looked for due work of a project, once in the time from ``slot_at`` on.

    ``due`` are the ids of the work that it has found.
    """

    type_name: ClassVar[str] = "heartbeat.ticked"
    topic: ClassVar[str] = "schedule.v1"

    slot_at: datetime
    interval_s: int = Field(ge=1)
    due: list[str] = []

    @property
    def aggregate_id(self) -> str:
        return "heartbeat"

    @property
    def local_key(self) -> str:
        return f"{self.slot_at.isoformat()}|{self.interval_s}"


class WorkItemReceived(_WorkItem):
    """Something happened outside that asks for work.

    Deliveries with one ``occasion`` ask for the same work. ``done_by`` names the process that does
    it already, as the intake does what it ingests. Before ``not_before`` nobody need do anything.
    """

    type_name: ClassVar[str] = "work_item.received"

    rule: str
    occasion: str
    title: str
    agent: str = ""
    job_type: JobType | None = None
    payload: str = "{}"
    priority: Priority = "scheduled"
    origin: Origin = "webhook"
    connector: str = ""
    done_by: str = ""
    not_before: datetime | None = None

    @property
    def local_key(self) -> str:
        return f"{self.work_item_id}|{self.occasion}"


class _Due(_WorkItem):
    """What the facts about one time that work is due share."""

    due_at: datetime

    @property
    def local_key(self) -> str:
        return f"{self.work_item_id}|{self.due_at.isoformat()}"


class WorkItemRouted(_Due):
    """Due work is given to an agent or a job. ``job_id`` None: no type of job does it yet.

    ``next_run_at`` is when it is due again.
    """

    type_name: ClassVar[str] = "work_item.routed"

    agent: str = ""
    job_type: JobType | None = None
    job_id: str | None = None
    priority: Priority
    next_run_at: datetime | None = None


class WorkItemDeferred(_Due):
    """Due work waits until ``not_before``."""

    type_name: ClassVar[str] = "work_item.deferred"

    not_before: datetime
    reason: DeferReason


class WorkItemFinished(_Due):
    """Due work has ended. ``has_next_run``: it comes again. ``detail`` is the error, if any."""

    type_name: ClassVar[str] = "work_item.finished"

    outcome: WorkOutcome
    job_id: str | None = None
    detail: str = ""
    has_next_run: bool = False


SCHEDULE_FACTS: tuple[type[Event], ...] = (
    ScheduleCreated,
    ScheduleUpdated,
    ScheduleRemoved,
    HeartbeatTicked,
    WorkItemReceived,
    WorkItemRouted,
    WorkItemDeferred,
    WorkItemFinished,
)
