"""The heartbeat: finds work that is due, and gives it to the queue or to an agent.

Several processes may beat at once. Whoever adds the tick of a project and slot to the outbox first
does its work, in the same transaction; ids follow from the work and the time it was due, so also a
tick that is done again changes nothing. A project without schedules has no heartbeat.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from agents.project.scheduling import defer_until, slot_of
from agents.runs.confirmations import ANSWER_WITHIN
from infra.platform import postgres
from infra.platform.errors import Invalid, Unavailable
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.service.asking.turn_ends import decline_call, end_turn
from infra.service.development.gates import end_run
from infra.service.foundation.database import Changes
from infra.service.jobs.due_jobs import TURN, Kinds, make_job
from infra.service.jobs.project_hours import ProjectHours, read_hours
from infra.store import workflow_jobs
from infra.store.jobs import queue
from infra.store.jobs.outbox import Conn, add_fact, holds_fact
from projections.read import agents, schedules
from projections.read.schedules import EndedWork, ScheduledWork
from schemas.envelope import Actor, Event
from schemas.events.schedule import (
    HeartbeatTicked,
    ScheduleUpdated,
    WorkItemDeferred,
    WorkItemFinished,
    WorkItemRouted,
    WorkOutcome,
)

LOOK_EVERY_S = 2.0
AT_ONCE = 200
BY = Actor(type="agent", id="scheduler")
MAX_DETAIL_CHARS = 1_000

log = get("heartbeat")


async def watch_work(
    settings: Settings, kinds: Kinds, stop: asyncio.Event, look_every_s: float = LOOK_EVERY_S
) -> None:
    """Beat until ``stop``. Outages are waited for."""
    beating = partial(beat, kinds=kinds, interval_s=settings.heartbeat_s)
    with contextlib.closing(Changes(settings)) as changes:
        while not stop.is_set():
            try:
                await changes.make(beating)
            except Unavailable as error:
                log.warning("scheduler.outage", reason=str(error))
            except Exception:  # one that ends would leave all later work undone, unknown to anybody
                log.exception("scheduler.failed")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), look_every_s)


def beat(tables: Conn, *, kinds: Kinds, interval_s: int, now: datetime | None = None) -> None:
    """Tick for each project whose slot has begun, route what was received, end what has ended, and
    turns of agents that nobody goes on with.

    ``now`` None: the database's.
    """
    now = now or postgres.read_time(tables)
    for project_id in schedules.list_beating_projects(tables):
        with _alone(project_id):
            tick(tables, project_id, kinds=kinds, interval_s=interval_s, now=now)
    for work in schedules.list_received_work(tables, now, AT_ONCE):
        with _alone(work.project_id):
            _route_received(tables, work, kinds, now)
    for ended in schedules.list_ended_work(tables, AT_ONCE):
        with _alone(ended.project_id):
            _finish(tables, ended, now)
    if TURN in kinds:
        end_turns(tables, now)
        end_workflows(tables)


def end_turns(tables: Conn, now: datetime) -> None:
    """End turns whose job is over, then decline calls that nobody decided about in time: the end
    of a turn is that of what waits in it.
    """
    for over in agents.list_unanswered_turns(tables):
        with _alone(over.project_id):
            end_turn(tables, over, BY)
    for late in agents.list_expired_confirmations(tables, now - ANSWER_WITHIN):
        with _alone(late.project_id):
            decline_call(tables, late, BY)


def end_workflows(tables: Conn) -> None:
    """End workflows whose job is over, though they have not ended."""
    for left in workflow_jobs.list_left(tables):
        with _alone(left.project_id):
            end_run(tables, left, left.left_as, BY)


@contextlib.contextmanager
def _alone(project_id: str) -> Iterator[None]:
    """A fault with one project keeps no other one waiting. Raises Unavailable."""
    try:
        yield
    except Unavailable:
        raise
    except Exception:
        log.exception("scheduler.failed", project_id=project_id)


def tick(
    tables: Conn, project_id: str, *, kinds: Kinds, interval_s: int, now: datetime
) -> list[str] | None:
    """Give the due work of a project away; its ids, or None where this slot has had its tick.

    Work whose time has passed several times, since nothing ran, is done once.
    """
    slot_at = slot_of(now, interval_s)
    if holds_fact(tables, HeartbeatTicked(slot_at=slot_at, interval_s=interval_s), project_id):
        return None
    hours = read_hours(tables, project_id)
    plans = [_plan(work, hours, now) for work in schedules.list_recurring_work(tables, project_id)]
    due = [plan for plan in plans if plan.due_at is not None]
    ticked = HeartbeatTicked(
        slot_at=slot_at, interval_s=interval_s, due=[plan.work.work_item_id for plan in due]
    )
    with tables.transaction():
        if not _tell(tables, ticked, project_id, now):
            return None
        for plan in due:
            _route(tables, plan, kinds, now)
        for plan in plans:
            if plan.due_at is None and plan.next_run_at != plan.work.next_run_at:
                _tell(tables, _moved(plan, slot_at), project_id, now)
    return ticked.due


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done with a piece of work now; ``due_at`` None: nothing yet."""

    work: ScheduledWork
    hours: ProjectHours
    due_at: datetime | None
    next_run_at: datetime | None

    @property
    def due(self) -> datetime:
        assert self.due_at is not None
        return self.due_at

    def routed(self) -> WorkItemRouted:
        return WorkItemRouted(
            work_item_id=self.work.work_item_id,
            due_at=self.due,
            agent=self.work.agent,
            job_type=self.work.job_type,
            priority=self.work.priority,
            next_run_at=self.next_run_at,
        )

    def deferred(self, until: datetime) -> WorkItemDeferred:
        return WorkItemDeferred(
            work_item_id=self.work.work_item_id,
            due_at=self.due,
            not_before=until,
            reason="quiet_hours",
        )

    def finished(self, outcome: WorkOutcome, detail: str = "") -> WorkItemFinished:
        return WorkItemFinished(
            work_item_id=self.work.work_item_id,
            due_at=self.due,
            outcome=outcome,
            detail=detail[:MAX_DETAIL_CHARS],
            has_next_run=self.next_run_at is not None,
        )


def _plan(work: ScheduledWork, hours: ProjectHours, now: datetime) -> _Plan:
    """The time is computed anew: another time zone or other sprints move it."""
    assert work.recurrence is not None and work.counts_from is not None
    following = hours.next_run(work.recurrence, work.counts_from)
    if following is None or following > now:
        return _Plan(work, hours, None, following)
    return _Plan(work, hours, following, hours.next_run(work.recurrence, now))


def _moved(plan: _Plan, slot_at: datetime) -> ScheduleUpdated:
    return ScheduleUpdated(
        work_item_id=plan.work.work_item_id,
        next_run_at=plan.next_run_at,
        has_no_run=plan.next_run_at is None,
        slot_at=slot_at,
    )


def _route_received(tables: Conn, work: ScheduledWork, kinds: Kinds, now: datetime) -> None:
    with tables.transaction():
        hours = read_hours(tables, work.project_id)
        due_at = work.not_before or work.received_at
        _route(tables, _Plan(work, hours, due_at, None), kinds, now)


def _route(tables: Conn, plan: _Plan, kinds: Kinds, now: datetime) -> None:
    """Give work to its job, to run when quiet hours are over, or to its agent."""
    work = plan.work
    routed = plan.routed()
    if holds_fact(tables, routed, work.project_id):
        return  # the tables have not seen it yet, and its job may have ended meanwhile
    told = partial(_tell, tables, project_id=work.project_id, now=now)
    if work.done_by:
        told(routed)
        told(plan.finished("done"))
        return
    until = defer_until(work.priority, plan.hours.quiet_hours, now, plan.hours.zone)
    try:
        job = make_job(work, plan.due, kinds, (until or now).astimezone(plan.hours.zone))
    except Invalid as error:
        told(routed)
        told(plan.finished("refused", str(error)))
        return
    if job is not None:
        job_id, _ = queue.enqueue(tables, replace(job, run_after=until), BY)
        routed = routed.model_copy(update={"job_id": job_id, "job_type": job.job_type})
    told(routed)
    if until is not None:
        told(plan.deferred(until))


def _finish(tables: Conn, ended: EndedWork, now: datetime) -> None:
    finished = WorkItemFinished.model_validate(
        ended.model_dump(exclude={"project_id", "detail"})
        | {"detail": ended.detail[:MAX_DETAIL_CHARS]}
    )
    with tables.transaction():
        _tell(tables, finished, ended.project_id, now)


def _tell(tables: Conn, event: Event, project_id: str, now: datetime) -> bool:
    return add_fact(
        tables,
        event,
        project_id=project_id,
        occurred_at=now,
        actor=BY,
        correlation_id=event.aggregate_id,
        only_once=True,
    )
