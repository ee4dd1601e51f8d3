# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Schedules are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from infra.client.connection import Model
from infra.client.models.schedules_parts import QuietHours, Recurrence


class ProjectSettings(Model):
    """``heartbeat_at`` is when the scheduler has last looked for due work; None: never."""

    project_id: str
    timezone: str
    quiet_hours: QuietHours | None
    heartbeat_at: datetime | None


class ScheduleRequest(Model):
    """Work in words (``work``: "sprint report") or as ``title`` with a job and its payload; when
    it is due in words (``when``: "every monday at 09:00") or as ``recurrence``.
    """

    when: str | None = None
    recurrence: Recurrence | None = None
    work: str | None = None
    title: str | None = None
    agent: str = "assistant"
    job_type: str | None = None
    payload: dict[str, Any] = {}
    priority: Literal["urgent", "scheduled", "background"] = "scheduled"


class ScheduleUpdate(Model):
    """What becomes different; what is left out stays."""

    title: str | None = None
    when: str | None = None
    recurrence: Recurrence | None = None
    priority: Literal["urgent", "scheduled", "background"] | None = None


class ScheduledWork(Model):
    """Work of a schedule, or what a delivery of a webhook asks for.

    ``status``: ``waiting``, ``routed``, ``finished`` or ``removed``. ``not_before`` and ``reason``
    are set while it has to wait; ``due_at`` is the time it was due last.
    """

    work_item_id: str
    project_id: str
    title: str
    agent: str
    job_type: str | None
    payload: dict[str, Any]
    priority: str
    recurrence: Recurrence | None
    next_run_at: datetime | None
    not_before: datetime | None
    reason: str | None
    origin: str
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


class SettingsRequest(Model):
    """What becomes different; ``has_no_quiet_hours`` takes the quiet hours away."""

    timezone: str | None = None
    quiet_hours: QuietHours | None = None
    has_no_quiet_hours: bool = False
