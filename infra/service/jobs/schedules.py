"""Schedule work, and say which hours a project keeps: each change is a fact.

A change raises Invalid for what cannot be scheduled, NotFound for a schedule that there is not, and
Unavailable when broker, database or projector do not answer. The same key again changes nothing.
The heartbeat (``infra.service.jobs.scheduler``) does what is due.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.project.scheduling import check, check_time, complete
from agents.project.scheduling_words import (
    Unclear,
    read_recurrence,
    read_schedules,
)
from agents.project.state import SPECIALISTS
from agents.runs.consent.scheduling_work import ASSISTANT, find_work
from infra.platform.clock import SystemClock
from infra.platform.errors import Invalid, NotFound
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_until_shown
from infra.service.foundation.publishing import make_request, publish
from infra.service.foundation.time_zones import check_time_zone
from infra.service.jobs.job_kinds import JOB_KINDS
from infra.service.jobs.jobs import check_payload
from infra.service.jobs.project_hours import ProjectHours, read_hours
from projections.read import schedules as read
from projections.read.projects import find_project
from projections.read.schedules import ProjectSettings as ProjectSettings
from projections.read.schedules import ScheduledWork as ScheduledWork
from projections.read.session import Conn
from schemas.envelope import Event
from schemas.events.job import PRIORITIES, JobType
from schemas.events.project import SettingsChanged
from schemas.events.schedule import QuietHours as QuietHours
from schemas.events.schedule import (
    Recurrence,
    ScheduleCreated,
    ScheduleRemoved,
    ScheduleUpdated,
)
from schemas.ids import derive_id

MAX_TITLE_CHARS = 200
# What people of a project may start, now or at times. Reading folders of the machine, and upkeep,
# are for operators.
SCHEDULED_JOBS: tuple[JobType, ...] = (
    "report",
    "quality_run",
    "connector_sync",
    "sprint_planning",
    "insight_generation",
    "feature_generation",
    "task_breakdown",
)


@dataclass(frozen=True, slots=True)
class WorkRequest:
    """Work to be done at times, in words (``work``: "sprint report"; ``when``: "every Monday at 9")
    or in full. Without ``job_type`` it is asked of ``agent``.

    What ``recurrence`` leaves out is taken from the day on which this is asked.
    """

    when: str = ""
    recurrence: Recurrence | None = None
    work: str = ""
    title: str = ""
    agent: str = ASSISTANT
    job_type: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    priority: str = "scheduled"


@dataclass(frozen=True, slots=True)
class WorkChange:
    """What becomes different; None: as it is. ``when`` is a recurrence in words."""

    title: str | None = None
    when: str | None = None
    priority: str | None = None
    recurrence: Recurrence | None = None


async def schedule_work(
    settings: Settings, project: str, wanted: WorkRequest, *, actor: str, key: str
) -> ScheduledWork:
    """Have work done at times, and return it when the tables show it."""
    wanted = _name_work(wanted)
    _check_title(wanted.title)
    _check_priority(wanted.priority)
    if wanted.agent not in SPECIALISTS:
        known = ", ".join(SPECIALISTS)
        raise Invalid(f"There is no agent {wanted.agent!r}: there are {known}.", code="no_agent")
    payload = _check_work(wanted.job_type, wanted.payload)
    hours = await hours_of(settings, project)
    recurrence = _understand(hours, wanted.when, wanted.recurrence)
    work_item_id = derive_id("wrk", hours.project_id, key)

    def shows(tables: Conn) -> ScheduledWork | None:
        return read.find_schedule(tables, hours.project_id, work_item_id)

    if earlier := await ask(settings, shows):
        return earlier
    fact = ScheduleCreated(
        work_item_id=work_item_id,
        title=wanted.title.strip(),
        agent=wanted.agent,
        job_type=wanted.job_type,  # type: ignore[arg-type]  # `_check_work` knows it
        payload=json.dumps(payload, ensure_ascii=False, sort_keys=True),
        priority=wanted.priority,  # type: ignore[arg-type]  # `_check_priority` knows it
        recurrence=recurrence,
        next_run_at=hours.next_run(recurrence, SystemClock().now()),
    )
    if fact.next_run_at is None and recurrence.kind != "sprint":
        raise Invalid("That time has passed already.", code="schedule_in_the_past")
    await _publish(settings, fact, hours.project_id, actor, key)
    return await wait_until_shown(settings, shows)


async def schedule_in_words(
    settings: Settings, project: str, request: str, *, actor: str, key: str
) -> list[ScheduledWork]:
    """Have work done that a sentence names with its times: by several schedules, where one cannot
    hold them. Raises Invalid with a question where a part of it is not understood.
    """
    hours = await hours_of(settings, project)
    parsed = read_schedules(request, SystemClock().now(), hours.zone.key)
    if isinstance(parsed, Unclear):
        raise Invalid(parsed.question, code="schedule_invalid")
    made = []
    for number, one in enumerate(parsed):
        wanted = WorkRequest(
            recurrence=one.recurrence,
            title=one.work.title,
            agent=one.work.agent,
            job_type=one.work.job_type,
            payload=one.work.payload,
            priority=one.priority,
        )
        its_key = f"{key}|{number}" if number else key
        made.append(await schedule_work(settings, project, wanted, actor=actor, key=its_key))
    return made


async def update_schedule(
    settings: Settings, project: str, work_item_id: str, told: WorkChange, *, actor: str, key: str
) -> ScheduledWork:
    """Change what is told of a schedule."""
    if told.title is not None:
        _check_title(told.title)
    if told.priority is not None:
        _check_priority(told.priority)
    hours = await hours_of(settings, project)
    known = await find_schedule(settings, hours.project_id, work_item_id)
    recurrence = None
    if told.when or told.recurrence:
        recurrence = _understand(hours, told.when, told.recurrence)
    following = hours.next_run(recurrence, SystemClock().now()) if recurrence else None
    fact = ScheduleUpdated(
        work_item_id=known.work_item_id,
        title=told.title,
        priority=told.priority,  # type: ignore[arg-type]  # `_check_priority` knows it
        recurrence=recurrence,
        next_run_at=following,
        has_no_run=recurrence is not None and following is None,
    )
    await _publish(settings, fact, hours.project_id, actor, key)
    wanted = {
        name: value
        for name in ("title", "priority", "recurrence")
        if (value := getattr(fact, name)) is not None
    }

    def shows(tables: Conn) -> ScheduledWork | None:
        now = read.read_schedule(tables, hours.project_id, work_item_id)
        return now if all(getattr(now, name) == wanted[name] for name in wanted) else None

    return await wait_until_shown(settings, shows)


async def remove_schedule(
    settings: Settings, project: str, work_item_id: str, *, actor: str, key: str
) -> ScheduledWork:
    """Have work not done any more; returns it as it was. Jobs that were begun are not stopped."""
    project_id = await ask(settings, lambda tables: find_project(tables, project))
    known = await find_schedule(settings, project_id, work_item_id)
    fact = ScheduleRemoved(work_item_id=work_item_id)
    await _publish(settings, fact, project_id, actor, key)

    def shows(tables: Conn) -> bool | None:
        return read.read_schedule(tables, project_id, work_item_id).status == "removed" or None

    await wait_until_shown(settings, shows)
    return known


async def set_project_settings(
    settings: Settings,
    project: str,
    *,
    timezone: str | None = None,
    quiet_hours: QuietHours | None = None,
    has_no_quiet_hours: bool = False,
    actor: str,
    key: str,
) -> ProjectSettings:
    """Say which clocks a project goes by, and in which hours only urgent work runs.

    The next heartbeat moves what is scheduled to the new clocks.
    """
    if timezone is not None:
        check_time_zone(timezone)
    if quiet_hours is not None:
        _check_quiet(quiet_hours)
    fact = SettingsChanged(
        timezone=timezone,
        quiet_hours=None if has_no_quiet_hours else quiet_hours,
        has_no_quiet_hours=has_no_quiet_hours,
    )
    project_id = await ask(settings, lambda tables: find_project(tables, project))
    await _publish(settings, fact, project_id, actor, key)

    def shows(tables: Conn) -> ProjectSettings | None:
        now = read.read_project_settings(tables, project_id)
        wanted = fact.quiet_hours if quiet_hours or has_no_quiet_hours else now.quiet_hours
        return (
            now if (timezone or now.timezone, wanted) == (now.timezone, now.quiet_hours) else None
        )

    return await wait_until_shown(settings, shows)


def _understand(hours: ProjectHours, when: str | None, given: Recurrence | None) -> Recurrence:
    """The recurrence, of words or as it is given. Raises Invalid for what names no time."""
    now = SystemClock().now()
    said = read_recurrence(when or "", now, hours.zone.key) if when or given is None else given
    if isinstance(said, Unclear):
        raise Invalid(said.question, code="schedule_invalid")
    try:
        check(said)
    except ValueError as error:
        raise Invalid(str(error), code="schedule_invalid") from error
    return complete(said, now.astimezone(hours.zone).date())


async def hours_of(settings: Settings, project: str) -> ProjectHours:
    return await ask(settings, lambda tables: read_hours(tables, find_project(tables, project)))


async def find_schedule(settings: Settings, project_id: str, work_item_id: str) -> ScheduledWork:
    """A schedule that is not removed. Raises NotFound."""
    known = await ask(settings, lambda tables: read.read_schedule(tables, project_id, work_item_id))
    if known.recurrence is None or known.status == "removed":
        raise NotFound(f"There is no schedule {work_item_id}.", code="unknown_schedule")
    return known


def _name_work(wanted: WorkRequest) -> WorkRequest:
    """The request with the work that its words name. Raises Invalid where they name none."""
    if not wanted.work:
        return wanted
    found = find_work(wanted.work)
    if found is None:
        raise Invalid("Say which work is to be done.", code="schedule_title_invalid")
    return replace(
        wanted,
        title=wanted.title or found.title,
        agent=found.agent,
        job_type=found.job_type,
        payload=found.payload,
    )


def _check_title(title: str) -> None:
    from streams.hygiene.redaction.strings import redact_text

    if redact_text(title) != title:
        raise Invalid(
            "The title holds a secret, and titles are shown: leave it out.",
            code="schedule_title_holds_secret",
        )
    if not title.strip() or not title.isprintable() or len(title) > MAX_TITLE_CHARS:
        raise Invalid(
            f"The title of scheduled work has 1 to {MAX_TITLE_CHARS} printable characters.",
            code="schedule_title_invalid",
        )


def _check_priority(priority: str) -> None:
    if priority not in PRIORITIES:
        known = ", ".join(PRIORITIES)
        raise Invalid(
            f"There is no priority {priority!r}: there are {known}.", code="job_priority_unknown"
        )


def _check_work(job_type: str | None, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The payload in clear. Raises Invalid where no schedule may start such a job."""
    if job_type is None:
        if payload:
            raise Invalid("Only a job takes a payload.", code="job_payload_invalid")
        return {}
    check_job_type(job_type)
    # The day of a report is the day on which it is due.
    given = {"as_of": "2000-01-01", **payload} if job_type == "report" else payload
    checked = check_payload(JOB_KINDS[job_type], given)  # type: ignore[index]
    return {name: value for name, value in checked.items() if name in payload}


def check_job_type(job_type: str) -> None:
    """Raises Invalid for a job that people of a project cannot ask for."""
    if job_type not in SCHEDULED_JOBS:
        known = ", ".join(SCHEDULED_JOBS)
        raise Invalid(
            f"No job of type {job_type!r} can be asked for, only {known}.", code="job_type_unknown"
        )


def _check_quiet(quiet: QuietHours) -> None:
    try:
        check_time(quiet.start)
        check_time(quiet.end)
    except ValueError as error:
        raise Invalid(str(error), code="quiet_hours_invalid") from error
    if quiet.start == quiet.end:
        raise Invalid("Quiet hours begin and end at different times.", code="quiet_hours_invalid")


async def _publish(settings: Settings, fact: Event, project_id: str, actor: str, key: str) -> None:
    await publish(settings, [make_request(fact, project_id, actor, key)])
