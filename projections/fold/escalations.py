"""What goes on no further until a person acts: the messages of the type ``escalation``.

That is: a contradiction that was handed on, a job that has failed for good, a record that no stage
could take in, a run that ended without what it was to do, onboarding that failed, a document that
its check refused, calls of a model beyond a budget, and a webhook that is sent nothing any more.
What waits for an everyday decision is ``decision.waiting`` and not here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from projections.fold.messages import Message, project_path, recorded_at_of
from schemas.envelope import SERVICE_WIDE, Envelope, Event
from schemas.events.artifact import VersionRejected
from schemas.events.dlq import DeadLetter, RecordUndecidable
from schemas.events.ingestion import RunStopped
from schemas.events.job import JobDead
from schemas.events.ledger import LedgerChanged
from schemas.events.model_calls import CallOverBudget
from schemas.events.pipeline import PipelineFailed
from schemas.events.webhook import WebhookDisabled

CUT_SHORT = ("budget_exhausted", "undecidable")


def _message(fact: Envelope, subject: str, place: str, **data: Any) -> Message:
    return Message("escalation", subject, project_path(fact) + place, data)


def _of_ledger(fact: Envelope, event: LedgerChanged) -> Iterator[Message]:
    made = event.hitl
    if made is None or made.outcome != "applied" or made.decision != "escalate":
        return
    target_id = made.target_id
    yield _message(
        fact, target_id, "/contradictions", kind="contradiction", contradiction_id=target_id
    )


def _of_run(fact: Envelope, event: RunStopped) -> Iterator[Message]:
    if event.stop_reason in CUT_SHORT or event.removals_held:
        yield _message(
            fact,
            event.run_id,
            f"/ingestion-runs/{event.run_id}",
            kind="run",
            run_id=event.run_id,
            stop_reason=event.stop_reason,
            removals_held=len(event.removals_held),
        )


def _of_job(fact: Envelope, event: JobDead) -> Iterator[Message]:
    job_id, job_type = event.job.job_id, event.job.job_type
    if fact.project_id != SERVICE_WIDE:
        yield _message(
            fact, job_id, f"/jobs/{job_id}", kind="job", job_id=job_id, job_type=job_type
        )


def _of_dead_letter(fact: Envelope, event: DeadLetter) -> Iterator[Message]:
    dead_letter_id = event.dead_letter_id
    if fact.project_id != SERVICE_WIDE:
        data = {"kind": "dead_letter", "dead_letter_id": dead_letter_id, "stage": event.stage}
        yield Message("escalation", dead_letter_id, "/v1/admin/dlq", data)


def _of_pipeline(fact: Envelope, event: PipelineFailed) -> Iterator[Message]:
    pipeline_id = event.pipeline.pipeline_id
    place = f"/onboarding/pipelines/{pipeline_id}"
    yield _message(
        fact, pipeline_id, place, kind="onboarding", pipeline_id=pipeline_id, stage=event.stage
    )


def _of_artifact(fact: Envelope, event: VersionRejected) -> Iterator[Message]:
    artifact_id = event.artifact_id
    yield _message(
        fact,
        artifact_id,
        "/artifacts",
        kind="document",
        artifact_id=artifact_id,
        artifact_type=event.artifact_type,
        version=event.version,
    )


def _of_budget(fact: Envelope, event: CallOverBudget) -> Iterator[Message]:
    """Once a day for each budget, however many calls it refuses."""
    if fact.project_id != SERVICE_WIDE:
        day = recorded_at_of(fact).date().isoformat()
        data = {"kind": "budget", "scope": event.scope, "unit": event.unit}
        once = f"{fact.project_id}|{event.scope}|{event.unit}|{day}"
        yield Message("escalation", event.scope, f"{project_path(fact)}/budgets", data, once)


def _of_webhook(fact: Envelope, event: WebhookDisabled) -> Iterator[Message]:
    webhook_id = event.webhook_id
    data = {"kind": "webhook", "webhook_id": webhook_id, "reason": event.reason}
    yield _message(fact, webhook_id, f"/webhooks/{webhook_id}", **data)


ESCALATIONS: dict[type[Event], Callable[[Envelope, Any], Iterator[Message]]] = {
    LedgerChanged: _of_ledger,
    RunStopped: _of_run,
    JobDead: _of_job,
    DeadLetter: _of_dead_letter,
    RecordUndecidable: _of_dead_letter,
    PipelineFailed: _of_pipeline,
    VersionRejected: _of_artifact,
    CallOverBudget: _of_budget,
    WebhookDisabled: _of_webhook,
}
