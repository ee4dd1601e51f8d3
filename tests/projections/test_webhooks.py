"""Which messages the log makes, to whom they are given, and how the queue of one webhook ends."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from infra.store import webhook_deliveries as queue
from infra.store.webhook_deliveries import Answer
from projections.fold.webhooks import messages_about
from projections.read import webhooks as read
from schemas.envelope import SERVICE_WIDE, Actor, Event, outside_fact
from schemas.events.artifact import VersionRejected
from schemas.events.ingestion import Counters, RunStopped
from schemas.events.job import JobDead, JobRecord, JobSucceeded
from schemas.events.ledger import HumanDecision, LedgerChanged, Snapshot
from schemas.events.model_calls import CallOverBudget
from schemas.events.project import ProjectDeleted
from schemas.events.webhook import (
    WebhookAdded,
    WebhookChanged,
    WebhookDeliveryEnded,
    WebhookDisabled,
)
from tests.projections.builders import PROJECT, START
from tests.projections.conftest import ReadModel
from tests.projections.log import Log

ANA = Actor(type="human", id="ana")
TAKEN, BROKEN, GONE = Answer(5, 200), Answer(5, 500), Answer(5, 410)


@dataclass
class World:
    """The queue over a read model; what is folded was recorded just now."""

    model: ReadModel
    log: Log = field(default_factory=Log)
    folded: int = 0

    def tell(self, *events: Event) -> None:
        for event in events:
            key = f"{event.type_name}|{len(self.log.records)}"
            fact = outside_fact(
                event, project_id=PROJECT, occurred_at=START, actor=ANA, natural_key=key
            )
            self.log.write(fact)
        self.model.fold(self.log.records[self.folded :])
        self.folded = len(self.log.records)
        self.model.rows("UPDATE webhook_messages SET recorded_at = now() RETURNING 1")
        self.model.rows("UPDATE webhooks SET counts_from = now() - interval '1 hour' RETURNING 1")

    def give_out(self) -> int:
        return queue.give_out(self.model.connection, queue.list_unseen(self.model.connection))

    def attempt(self, answer: Answer) -> str | None:
        (due,) = queue.list_due(self.model.connection, [], 10)
        return queue.record_attempt(self.model.connection, due, answer)

    def log_of(self, webhook_id: str) -> list[read.Delivery]:
        return read.list_deliveries(self.model.connection, PROJECT, webhook_id).items


@pytest.fixture
def world(model: ReadModel) -> World:
    for table in ("webhook_deliveries", "webhook_messages_seen", "outbox"):
        model.rows(f"DELETE FROM {table} RETURNING 1")
    return World(model)


def added(webhook_id: str, *events: str, **more: Any) -> WebhookAdded:
    fields = {"url": "https://example.org/", "key_id": "key_1", "sealed": b"sealed"}
    return WebhookAdded.model_validate(
        {"webhook_id": webhook_id, "events": list(events) or ["run.ended"]} | fields | more
    )


def stopped(why: str, run: str = "run_1", **more: Any) -> RunStopped:
    counts = {"batch_count": 1, "sources_processed": 1, "sources_skipped": 0, "chunks_skipped": 0}
    fields = {"run_id": run, "stop_reason": why, "totals": Counters()}
    return RunStopped.model_validate(fields | counts | more)


def ended(run: str) -> RunStopped:
    return stopped("exhausted", run)


def a_job() -> JobRecord:
    counts = {"transition": 3, "priority": 10, "lease_epoch": 1, "attempt_count": 3}
    texts = dict.fromkeys(("idempotency_key", "correlation_id", "created_by"), "one")
    fields = {"job_id": "job_1", "job_type": "report", "status": "dead", "max_attempts": 3}
    times = {"run_after": START, "created_at": START, "payload": "{}"}
    return JobRecord.model_validate(fields | counts | texts | times)


def over_budget(call_id: str) -> CallOverBudget:
    texts = ("agent", "stage", "provider", "model", "asked_model", "tier", "prompt_version")
    call = dict.fromkeys((*texts, "request_hash"), "one") | {"call_id": call_id, "attempt": 1}
    budget = {"scope": "project", "unit": "usd", "limit": 5.0, "spent": 4.9, "estimate": 0.3}
    return CallOverBudget.model_validate({"call": call | {"outcome": "budget_exceeded"}} | budget)


def decided(outcome: str, decision: str) -> LedgerChanged:
    made = HumanDecision.model_validate(
        {
            "hitl_event_id": "hitl_1",
            "action": "contradiction_resolution",
            "target_type": "contradiction",
            "target_id": "ctr_1",
            "decision": decision,
            "outcome": outcome,
            "rationale": "Nobody needs the blue door.",
            "actor_id": "ana",
            "actor_role": "member",
            "expected_revision": 1,
            "before": Snapshot(),
        }
    )
    return LedgerChanged(ledger_seq=1, prev_hash="", caused_by_event_id="e", hitl=made)


def test_a_message_goes_once_to_each_active_webhook_that_asked_for_it(world: World):
    world.tell(added("whk_1"), added("whk_2", "prd.changed"), added("whk_3", is_active=False))
    world.tell(ended("run_1"))

    assert world.give_out() == 1
    assert world.give_out() == 0
    (told,) = world.log_of("whk_1")
    assert json.loads(told.body)["data"]["path"] == f"/v1/projects/{PROJECT}/ingestion-runs/run_1"
    assert (world.log_of("whk_2"), world.log_of("whk_3")) == ([], [])


def test_what_happened_before_a_webhook_counts_or_two_weeks_ago_is_not_sent(world: World):
    world.tell(added("whk_1"), ended("run_1"), ended("run_2"))
    world.model.rows("UPDATE webhooks SET counts_from = now() + interval '1 hour' RETURNING 1")
    assert world.give_out() == 0
    world.tell(ended("run_3"))
    world.model.rows(
        "UPDATE webhook_messages SET recorded_at = now() - interval '15 days' RETURNING 1"
    )
    assert queue.list_unseen(world.model.connection) == []


@pytest.mark.parametrize(
    ("outcome", "kinds"), [("proposed", ["proposal"]), ("applied", []), ("refused", [])]
)
def test_what_a_member_proposes_waits_for_a_decision(outcome: str, kinds: list[str]):
    changed = decided(outcome, "dismiss")
    fact = outside_fact(changed, project_id=PROJECT, occurred_at=START, actor=ANA)
    found = list(messages_about(fact, changed))
    assert [each.data["kind"] for each in found] == kinds
    assert "blue door" not in json.dumps([dict(each.data) for each in found])


def escalated(event: Event, project_id: str = PROJECT) -> list[dict[str, Any]]:
    """What the messages of this type say."""
    fact = outside_fact(
        event, project_id=project_id, occurred_at=START, actor=ANA, natural_key="one"
    )
    found = [it for it in messages_about(fact, event) if it.event_type == "escalation"]
    return [dict(it.data) | {"path": it.path} for it in found]


@pytest.mark.parametrize(
    ("event", "kind", "path"),
    [
        (stopped("budget_exhausted"), "run", "/ingestion-runs/run_1"),
        (stopped("undecidable"), "run", "/ingestion-runs/run_1"),
        (stopped("exhausted", removals_held=["src_1"]), "run", "/ingestion-runs/run_1"),
        (JobDead(job=a_job()), "job", "/jobs/job_1"),
        (
            VersionRejected(artifact_id="art_1", artifact_type="prd", version=2, findings=[]),
            "document",
            "/artifacts",
        ),
        (
            WebhookDisabled(webhook_id="whk_1", reason="gone", delivery_id="dlv_1", round=1),
            "webhook",
            "/webhooks/whk_1",
        ),
        (decided("applied", "escalate"), "contradiction", "/contradictions"),
    ],
)
def test_what_goes_on_no_further_without_a_person_is_an_escalation(
    event: Event, kind: str, path: str
):
    (told,) = escalated(event)
    assert (told["kind"], told["path"]) == (kind, f"/v1/projects/{PROJECT}{path}")


@pytest.mark.parametrize(
    "event",
    [
        stopped("exhausted"),
        stopped("cancelled"),
        JobSucceeded(job=a_job()),
        decided("applied", "a_wins"),
        decided("refused", "escalate"),
        decided("proposed", "escalate"),
    ],
)
def test_what_ends_well_or_waits_for_an_everyday_decision_is_none(event: Event):
    assert escalated(event) == []


def test_what_belongs_to_no_project_is_told_to_none():
    assert escalated(JobDead(job=a_job()), SERVICE_WIDE) == []


def test_a_budget_that_refuses_many_calls_is_told_once_a_day(world: World):
    world.tell(added("whk_1", "escalation"))
    world.tell(*(over_budget(f"call_{number}") for number in range(3)))
    assert world.give_out() == 1
    world.tell(over_budget("call_3"))
    assert world.give_out() == 0
    (told,) = world.log_of("whk_1")
    assert json.loads(told.body)["data"]["kind"] == "budget"


def test_nothing_is_sent_of_a_project_that_was_deleted(world: World):
    world.tell(added("whk_1"), ended("run_1"))
    world.give_out()
    world.tell(ProjectDeleted(name="demo"), ended("run_2"))
    assert world.give_out() == 0
    assert queue.list_due(world.model.connection, [], 10) == []
    queue.forget_old(world.model.connection)
    assert world.log_of("whk_1") == []


def test_what_a_webhook_has_no_room_for_is_in_its_log_and_nothing_else_waits(
    world: World,
):
    world.tell(added("whk_1"), added("whk_2"))
    world.model.rows(
        "INSERT INTO webhook_deliveries"
        " (delivery_id, webhook_id, project_id, message_id, event_type, body, next_attempt_at)"
        " SELECT 'dlv_' || n, 'whk_1', %s, 'msg_' || n, 'run.ended', '{}', now()"
        f" FROM generate_series(1, {queue.MOST_WAITING - 1}) n RETURNING 1",
        PROJECT,
    )
    world.tell(ended("run_1"), ended("run_2"))

    assert world.give_out() == 4
    refused = [each for each in world.log_of("whk_1") if each.status == "failed"]
    assert ["waiting already" in each.attempts[0].error for each in refused] == [True]
    assert [each.status for each in world.log_of("whk_2")] == ["waiting"] * 2


def test_an_attempt_that_was_recorded_already_counts_for_nothing(world: World):
    world.tell(added("whk_1"), ended("run_1"))
    world.give_out()
    (due,) = queue.list_due(world.model.connection, [], 10)
    assert queue.list_due(world.model.connection, ["whk_1"], 10) == []

    assert queue.record_attempt(world.model.connection, due, BROKEN) is None
    assert queue.record_attempt(world.model.connection, due, TAKEN) is None
    (told,) = world.log_of("whk_1")
    assert (told.status, told.attempt_count, len(told.attempts)) == ("waiting", 1, 1)


def test_ends_are_facts_and_a_queue_made_anew_does_not_begin_them_again(world: World):
    world.tell(added("whk_1"), ended("run_1"))
    world.give_out()
    assert world.attempt(TAKEN) == "delivered"
    ends = world.model.rows("SELECT event_type, payload FROM outbox")
    ((kind, payload),) = ends
    assert kind == "webhook.delivery_ended"

    world.tell(WebhookDeliveryEnded.model_validate(payload))
    world.model.rows("DELETE FROM webhook_deliveries RETURNING 1")
    world.model.rows("DELETE FROM webhook_messages_seen RETURNING 1")
    assert world.give_out() == 0


def test_the_last_attempt_of_three_days_or_a_410_disables_and_a_success_meanwhile_does_not(
    world: World,
):
    kinds = "SELECT payload->>'reason' FROM outbox WHERE event_type = 'webhook.disabled'"
    last = "UPDATE webhook_deliveries SET attempt_count = %s WHERE status = 'waiting' RETURNING 1"
    world.tell(added("whk_1"), ended("run_1"), ended("run_2"), ended("run_3"), ended("run_4"))
    world.give_out()

    world.attempt(TAKEN)
    world.model.rows(last, len(queue.PAUSES_S))
    assert world.attempt(BROKEN) == "failed"
    assert world.model.rows(kinds) == []
    world.model.rows(
        "UPDATE webhook_deliveries SET ended_at = now() - interval '4 days'"
        " WHERE status = 'delivered' RETURNING 1"
    )
    assert world.attempt(BROKEN) == "failed"
    assert world.attempt(GONE) == "failed"
    assert sorted(world.model.rows(kinds)) == [("failing",), ("gone",)]


def test_a_long_story_of_attempts_keeps_its_newest(world: World):
    world.tell(added("whk_1"), ended("run_1"))
    world.give_out()
    again = "UPDATE webhook_deliveries SET next_attempt_at = now(), attempt_count = 1 RETURNING 1"
    for number in range(queue.KEPT_ATTEMPTS + 3):
        world.attempt(Answer(number, 500))
        world.model.rows(again)
    (told,) = world.log_of("whk_1")
    assert [each.took_ms for each in told.attempts] == list(range(3, queue.KEPT_ATTEMPTS + 3))


def test_starting_a_webhook_again_ends_its_disablement(world: World):
    world.tell(added("whk_1"))
    world.model.rows(
        "UPDATE webhooks SET is_active = false, disabled_reason = 'gone', disabled_at = now()"
        " RETURNING 1"
    )
    (told,) = read.list_disabled_webhooks(world.model.connection)
    assert (told.webhook_id, told.disabled_reason) == ("whk_1", "gone")
    world.tell(WebhookChanged(webhook_id="whk_1", is_active=True))
    assert read.list_disabled_webhooks(world.model.connection) == []
    known = read.read_webhook(world.model.connection, PROJECT, "whk_1")
    assert (known.is_active, known.disabled_reason, known.disabled_at) == (True, None, None)
