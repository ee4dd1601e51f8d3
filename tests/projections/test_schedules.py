"""Schedules become jobs: ticks, quiet hours and ends of work, over a real queue and real tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from infra.service.foundation.job_kind import JobKind
from infra.service.jobs.agent_jobs import ALL_JOB_KINDS
from infra.service.jobs.job_kinds import JOB_KINDS
from infra.service.jobs.scheduler import beat, tick
from infra.store.jobs import lease as leases
from infra.store.jobs.outbox import list_pending, mark_published
from projections.read import schedules
from projections.read.schedules import ScheduledWork
from schemas.envelope import Actor, Event, outside_fact
from schemas.events.agent import ConfirmationRequested, RequestReceived
from schemas.events.job import JobType
from schemas.events.project import ProjectCreated, SettingsChanged
from schemas.events.schedule import (
    QuietHours,
    Recurrence,
    ScheduleCreated,
    ScheduleRemoved,
    ScheduleUpdated,
    WorkItemFinished,
    WorkItemReceived,
)
from tests.projections.builders import PROJECT
from tests.projections.conftest import ReadModel
from tests.projections.log import Log

ANA = Actor(type="human", id="ana")
GITHUB = Actor(type="connector", id="github")
EVERY_S = 900
MONDAY_9 = Recurrence(kind="weekly", at="09:00", weekday=0, first_day="2026-11-26")
NIGHT = QuietHours(start="22:00", end="07:00")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


THURSDAY = utc("2026-11-26T12:00")
MONDAY = utc("2026-11-30T08:00")  # 09:00 in Berlin


@dataclass
class World:
    """A read model with a queue, and a log that both write to."""

    model: ReadModel
    log: Log = field(default_factory=Log)
    read: int = 0
    kinds: Mapping[JobType, JobKind] = field(default_factory=lambda: JOB_KINDS)

    def say(self, *events: Event, at: datetime = THURSDAY, actor: Actor = ANA) -> None:
        for event in events:
            key = event.local_key or f"{event.type_name}|{at.isoformat()}|{event.aggregate_id}"
            self.log.write(
                outside_fact(
                    event, project_id=PROJECT, occurred_at=at, actor=actor, natural_key=key
                )
            )
        self.fold()

    def publish(self) -> list[str]:
        """What the outbox holds goes to the log and into the tables; the types, in order."""
        pending = list_pending(self.model.connection, 1_000)
        for each in pending:
            self.log.write(each.fact)
        mark_published(self.model.connection, pending)
        self.fold()
        return [each.fact.event.type_name for each in pending]

    def fold(self) -> None:
        self.model.fold(self.log.records[self.read :])
        self.read = len(self.log.records)

    def beat(self, now: datetime) -> list[str]:
        """One beat of the scheduler, seen by the tables; the types of its facts."""
        beat(self.model.connection, kinds=self.kinds, interval_s=EVERY_S, now=now)
        return self.publish()

    def jobs(self) -> list[tuple[Any, ...]]:
        return self.model.rows(
            "SELECT job_type, payload, run_after, status FROM orchestration_jobs"
            " ORDER BY priority, run_after, created_seq"
        )

    def work(self, work_item_id: str = "wrk_report") -> ScheduledWork:
        return schedules.read_schedule(self.model.connection, PROJECT, work_item_id)


@pytest.fixture
def world(model: ReadModel) -> Iterator[World]:
    model.connection.execute("TRUNCATE orchestration_jobs, outbox")
    world = World(model)
    world.say(ProjectCreated(name="Shop", timezone="Europe/Berlin"))
    yield world
    model.connection.execute("TRUNCATE orchestration_jobs, outbox")


def a_report(**given: Any) -> ScheduleCreated:
    values: dict[str, Any] = {
        "work_item_id": "wrk_report",
        "title": "Sprint report",
        "agent": "reporter",
        "job_type": "report",
        "payload": '{"report_type": "sprint"}',
        "recurrence": MONDAY_9,
        "next_run_at": MONDAY,
    }
    return ScheduleCreated.model_validate(values | given)


def a_failed_build(**given: Any) -> WorkItemReceived:
    values: dict[str, Any] = {
        "work_item_id": "wrk_ci",
        "rule": "ci_failed",
        "occasion": "1",
        "title": "CI failed",
        "agent": "analyst",
        "priority": "urgent",
        "connector": "github",
    }
    return WorkItemReceived.model_validate(values | given)


def test_due_work_becomes_a_job_and_the_next_run_follows(world: World):
    world.say(a_report())
    assert world.beat(MONDAY - timedelta(minutes=1)) == ["heartbeat.ticked"]
    assert world.jobs() == []

    assert world.beat(MONDAY) == ["heartbeat.ticked", "job.enqueued", "work_item.routed"]

    ((job_type, payload, _, status),) = world.jobs()
    assert (job_type, status) == ("report", "queued")
    assert payload == {"report_type": "sprint", "as_of": "2026-11-30"}
    work = world.work()
    assert (work.status, work.due_at, work.last_run_at) == ("routed", MONDAY, MONDAY)
    assert work.next_run_at == utc("2026-12-07T08:00")
    assert work.job_id is not None


def test_a_slot_has_one_tick_however_many_processes_beat(world: World):
    world.say(a_report())

    def tick_there(_: int) -> list[str] | None:
        options = "-c search_path=cairn"
        with psycopg.connect(world.model.conninfo, autocommit=True, options=options) as other:
            return tick(other, PROJECT, kinds=JOB_KINDS, interval_s=EVERY_S, now=MONDAY)

    with ThreadPoolExecutor(4) as pool:
        ticks = list(pool.map(tick_there, range(4)))

    assert ticks.count(None) == 3 and ["wrk_report"] in ticks
    assert world.publish().count("work_item.routed") == 1
    assert len(world.jobs()) == 1


def test_a_beat_before_the_tables_have_seen_the_last_one_changes_nothing(world: World):
    world.say(a_report())
    later = MONDAY + timedelta(seconds=EVERY_S)
    for now in (MONDAY, MONDAY, later):
        beat(world.model.connection, kinds=JOB_KINDS, interval_s=EVERY_S, now=now)

    assert world.publish().count("work_item.routed") == 1
    assert len(world.jobs()) == 1


def test_after_a_long_stop_work_is_done_once(world: World):
    world.say(a_report())

    world.beat(utc("2026-12-30T12:00"))

    assert len(world.jobs()) == 1
    assert (world.work().due_at, world.work().next_run_at) == (MONDAY, utc("2027-01-04T08:00"))
    assert "work_item.routed" not in world.beat(utc("2026-12-30T12:15"))


def test_in_quiet_hours_only_urgent_work_runs(world: World):
    night, morning = utc("2026-11-30T22:00"), utc("2026-12-01T06:00")
    at_night = Recurrence(kind="daily", at="23:00", first_day="2026-11-30")
    world.say(SettingsChanged(quiet_hours=NIGHT))
    world.say(
        a_report(recurrence=at_night, next_run_at=night),
        a_report(
            work_item_id="wrk_urgent", priority="urgent", recurrence=at_night, next_run_at=night
        ),
    )

    facts = world.beat(night)

    assert facts.count("work_item.deferred") == 1
    waits, urgent = world.work(), world.work("wrk_urgent")
    assert (waits.not_before, waits.reason) == (morning, "quiet_hours")
    assert urgent.not_before is None
    assert [run_after == morning for _, _, run_after, _ in world.jobs()] == [False, True]
    # The report is about the day on which it is made.
    assert [payload["as_of"] for _, payload, _, _ in world.jobs()] == ["2026-11-30", "2026-12-01"]


def test_urgent_work_starts_before_scheduled_and_that_before_background(world: World):
    names = ("background", "urgent", "scheduled")
    world.say(*(a_report(work_item_id=f"wrk_{name}", priority=name) for name in names))
    world.beat(MONDAY)

    connection = world.model.connection
    begun = [leases.claim(connection, "worker-1", ["report"]) for _ in names]

    order = [lease.correlation_id for lease in begun if lease]
    assert order == ["wrk_urgent", "wrk_scheduled", "wrk_background"]


@pytest.mark.parametrize(
    ("status", "error"), [("succeeded", ""), ("dead", "There is nothing to report.")]
)
def test_the_end_of_its_job_is_the_end_of_the_work(world: World, status: str, error: str):
    world.say(a_report())
    world.beat(MONDAY)
    world.model.connection.execute(
        "UPDATE orchestration_jobs SET status = %s, last_error = %s", (status, error or None)
    )

    assert world.beat(MONDAY + timedelta(seconds=5)) == ["work_item.finished"]

    work = world.work()
    assert work.status == "waiting"  # for the next Monday
    assert work.last_result == {"outcome": status, "job_id": work.job_id, "detail": error}
    assert world.beat(MONDAY + timedelta(seconds=10)) == []


def test_work_that_is_done_once_is_finished_after_it(world: World):
    once = Recurrence(kind="once", at="09:00", first_day="2026-11-30")
    world.say(a_report(recurrence=once))
    world.beat(MONDAY)
    world.model.connection.execute("UPDATE orchestration_jobs SET status = 'succeeded'")
    world.beat(MONDAY + timedelta(seconds=5))

    work = world.work()
    assert (work.status, work.next_run_at) == ("finished", None)
    assert world.beat(MONDAY + timedelta(days=1)) == []  # a project without schedules


def test_another_time_zone_moves_the_next_run(world: World):
    world.say(a_report())
    world.say(SettingsChanged(timezone="America/New_York"), at=THURSDAY + timedelta(hours=1))

    assert "schedule.updated" in world.beat(THURSDAY + timedelta(hours=2))
    assert world.work().next_run_at == utc("2026-11-30T14:00")
    assert "work_item.routed" not in world.beat(MONDAY)
    assert "work_item.routed" in world.beat(utc("2026-11-30T14:00"))


def test_a_removed_schedule_is_not_done_even_where_the_heartbeat_was_faster(world: World):
    world.say(a_report())
    beat(world.model.connection, kinds=JOB_KINDS, interval_s=EVERY_S, now=MONDAY)
    world.say(ScheduleRemoved(work_item_id="wrk_report"), at=MONDAY)
    world.publish()

    assert (world.work().status, world.work().next_run_at) == ("removed", None)
    assert schedules.list_schedules(world.model.connection, PROJECT).items == []
    assert world.beat(utc("2026-12-07T08:00")) == []


def test_an_update_changes_what_it_names(world: World):
    friday = Recurrence(kind="weekly", at="10:00", weekday=4, first_day="2026-11-26")
    next_run_at = utc("2026-11-27T09:00")
    world.say(a_report())
    told = ScheduleUpdated(
        work_item_id="wrk_report", recurrence=friday, priority="urgent", next_run_at=next_run_at
    )
    world.say(told, at=THURSDAY + timedelta(minutes=1))

    work = world.work()
    assert (work.title, work.priority, work.recurrence) == ("Sprint report", "urgent", friday)
    assert "work_item.routed" in world.beat(next_run_at)


def test_a_payload_that_the_job_does_not_take_ends_the_work_with_the_reason(world: World):
    world.say(a_report(payload='{"report_type": "poem"}'))
    world.beat(MONDAY)

    result = world.work().last_result
    assert result and result["outcome"] == "refused" and "report_type" in result["detail"]
    assert world.jobs() == []


def test_what_a_delivery_asks_for_is_routed_at_once_to_its_agent(world: World):
    world.say(a_failed_build(), actor=GITHUB)

    assert world.beat(THURSDAY) == ["work_item.routed"]
    work = world.work("wrk_ci")
    assert (work.agent, work.job_id, work.status) == ("analyst", None, "routed")
    assert (work.origin, work.created_by) == ("webhook", "connector:github")
    assert world.beat(THURSDAY) == []


def test_work_without_a_job_is_asked_of_the_agents_who_may_only_read(world: World):
    world.kinds = ALL_JOB_KINDS
    asked = a_failed_build(payload='{"ask": "Analyse the risks: CI has failed."}')
    nobody = a_failed_build(work_item_id="wrk_chat", rule="mentioned", agent="assistant")
    world.say(asked, nobody, actor=GITHUB)
    world.say(a_report(title="Call the vendor", agent="assistant", job_type=None, payload="{}"))

    world.beat(MONDAY)

    turns = [payload for job_type, payload, _, _ in world.jobs() if job_type == "agent_turn"]
    assert [turn["text"] for turn in turns] == [
        "Analyse the risks: CI has failed.",
        "Call the vendor",
    ]
    assert {turn["role"] for turn in turns} == {"viewer"}
    assert len({turn["conversation_id"] for turn in turns}) == 2
    assert world.work("wrk_chat").job_id is None


def test_a_turn_that_nobody_goes_on_with_is_ended_by_a_job(world: World):
    world.kinds = ALL_JOB_KINDS
    place: dict[str, Any] = {"conversation_id": "cnv_1", "turn_id": "trn_1"}
    asked: dict[str, Any] = {"tool": "delete_task", "arguments": "{}", "summary": "Delete it."}
    world.say(
        RequestReceived(**place, ordinal=0, text="Delete task 1", role="pm"),
        ConfirmationRequested(**place, ordinal=1, confirmation_id="cnf_1", **asked),
    )

    world.beat(THURSDAY + timedelta(hours=6))
    assert world.jobs() == []
    late = THURSDAY + timedelta(hours=6, minutes=1)
    for _ in range(2):
        world.beat(late)

    ((_, payload, _, _),) = world.jobs()
    assert payload["given"] == {
        **{"confirmation_id": "cnf_1", "decision": "reject"},
        **{"reason": "", "given_by": "", "message_key": ""},
    }
    world.model.connection.execute("UPDATE orchestration_jobs SET status = 'dead'")
    for _ in range(2):
        world.beat(late)
    assert [payload.get("ended") for _, payload, _, _ in world.jobs()] == [None, "dead", None]


def test_a_turn_whose_job_cannot_be_read_keeps_no_other_one_waiting(world: World):
    world.kinds = ALL_JOB_KINDS
    place: dict[str, Any] = {"conversation_id": "cnv_1", "turn_id": "trn_1"}
    asked: dict[str, Any] = {"tool": "delete_task", "arguments": "{}", "summary": "Delete it."}
    world.say(ConfirmationRequested(**place, ordinal=1, confirmation_id="cnf_1", **asked))
    late = THURSDAY + timedelta(hours=7)
    world.beat(late)
    world.model.connection.execute(
        "UPDATE orchestration_jobs SET status = 'dead', payload = '{}'::jsonb"
    )

    world.beat(late)

    assert [payload.get("turn_id") for _, payload, _, _ in world.jobs()] == [None, "trn_1"]


def test_what_the_intake_does_itself_is_routed_and_done(world: World):
    merged = a_failed_build(
        work_item_id="wrk_pr", agent="", job_type="delta_ingestion", done_by="intake"
    )
    world.say(merged, actor=GITHUB)

    assert world.beat(THURSDAY) == ["work_item.routed", "work_item.finished"]
    result = world.work("wrk_pr").last_result
    assert result and result["outcome"] == "done"


def test_a_delivery_may_ask_for_work_later(world: World):
    later = THURSDAY + timedelta(hours=48)
    world.say(a_failed_build(not_before=later), actor=GITHUB)

    assert world.beat(later - timedelta(seconds=1)) == []
    assert world.beat(later) == ["work_item.routed"]
    assert world.work("wrk_ci").due_at == later


def test_a_review_that_is_answered_in_time_is_not_nudged_and_one_asked_for_again_is(world: World):
    later = THURSDAY + timedelta(hours=48)
    nudge = a_failed_build(work_item_id="wrk_review", rule="review_requested", not_before=later)
    answered = WorkItemFinished(work_item_id="wrk_review", due_at=THURSDAY, outcome="answered")
    world.say(nudge, answered, actor=GITHUB)

    assert world.beat(later) == []
    assert world.work("wrk_review").status == "finished"

    again = nudge.model_copy(update={"occasion": "2", "not_before": later + timedelta(hours=48)})
    world.say(again, at=later, actor=GITHUB)
    assert world.beat(later) == []
    assert world.beat(later + timedelta(hours=48)) == ["work_item.routed"]


def test_a_fault_with_one_project_keeps_no_other_waiting(world: World):
    world.say(a_report())
    world.model.connection.execute(
        "INSERT INTO scheduled_work (work_item_id, project_id, recurrence, next_run_at, status)"
        " VALUES ('wrk_broken', 'prj_0', '{}', now(), 'waiting')"
    )
    assert "work_item.routed" in world.beat(MONDAY)


def test_facts_in_any_batch_leave_the_same_rows(world: World, other_model: ReadModel):
    """The order of the log counts, not how it is cut: a rebuild folds it in one piece."""
    world.say(a_failed_build(), actor=GITHUB)
    world.beat(THURSDAY)
    world.say(a_failed_build(occasion="2"), at=THURSDAY + timedelta(hours=1), actor=GITHUB)
    world.say(a_report())
    world.beat(MONDAY)

    other_model.fold(world.log.records)

    columns = ("scheduled_work", "heartbeats", "project_settings")
    assert {name: other_model.sums()[name] for name in columns} == {
        name: world.model.sums()[name] for name in columns
    }
    assert _statuses(other_model) == _statuses(world.model)


def _statuses(model: ReadModel) -> Sequence[tuple[Any, ...]]:
    return model.rows("SELECT work_item_id, status FROM scheduled_work ORDER BY 1")
