"""Webhooks as the last fact left them, the messages that may be sent to them, and what came of it.

A message is made in the transaction that folds its event, once for all webhooks, and says no more
than which thing to ask the API about.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from datetime import UTC, timedelta
from typing import Any

from projections.fold.escalations import ESCALATIONS
from projections.fold.messages import Message, project_path, recorded_at_of
from projections.projection import Fold
from projections.rows import Rows, as_json
from projections.tables import OPERATIONAL
from schemas.envelope import Envelope, Event
from schemas.events.agent import ConfirmationRequested
from schemas.events.artifact import VersionPublished
from schemas.events.ingestion import RunStopped
from schemas.events.ledger import LedgerChanged
from schemas.events.pipeline import PipelineWaits
from schemas.events.webhook import (
    WebhookAdded,
    WebhookChanged,
    WebhookDeliveryEnded,
    WebhookDisabled,
    WebhookRemoved,
    WebhookSecretRotated,
)
from schemas.ids import derive_id

SENT_WITHIN = timedelta(days=14)  # longer than all attempts of a delivery take

OPENED = frozenset(("contradiction_opened", "merge_candidate_opened"))


Messages = Callable[[Envelope, Any], Iterator[Message]]

FORGET = "DELETE FROM webhook_messages WHERE recorded_at < %s"
CHANGE = (
    "UPDATE webhooks SET ({columns}) ="
    " (SELECT {columns} FROM json_populate_record(NULL::webhooks, %s))"
    " WHERE webhook_id = %s AND NOT removed"
)
ROTATE = (
    "UPDATE webhooks SET previous_key_id = key_id, previous_sealed = sealed, previous_until = %s,"
    " key_id = %s, sealed = %s, secret_request = %s, updated_from_event_id = %s"
    " WHERE webhook_id = %s AND NOT removed"
)


def webhook_added(rows: Rows, fact: Envelope, event: WebhookAdded) -> None:
    fields = event.model_dump(exclude={"sealed", "request_key"})
    rows.add(
        fact,
        "webhooks",
        fields
        | {
            "sealed": _text_of(event.sealed),
            "secret_request": event.request_key,
            "last_request": event.request_key,
            "counts_from": recorded_at_of(fact),
            "removed": False,
            "created_at": fact.occurred_at,
            "created_by": f"{fact.actor.type}:{fact.actor.id}",
        },
    )


def webhook_changed(rows: Rows, fact: Envelope, event: WebhookChanged) -> None:
    fields = event.model_dump(exclude_none=True, exclude={"webhook_id", "request_key"})
    fields["last_request"] = event.request_key
    if event.is_active:
        fields |= {
            "disabled_reason": None,
            "disabled_at": None,
            "counts_from": recorded_at_of(fact),
        }
    _change(rows, fact, event.webhook_id, fields)


def webhook_secret_rotated(rows: Rows, fact: Envelope, event: WebhookSecretRotated) -> None:
    secret = (event.previous_until, event.key_id, _text_of(event.sealed), event.request_key)
    rows.then(ROTATE, (*secret, fact.event_id, event.webhook_id))


def webhook_removed(rows: Rows, fact: Envelope, event: WebhookRemoved) -> None:
    _change(rows, fact, event.webhook_id, {"removed": True, "is_active": False})


def webhook_disabled(rows: Rows, fact: Envelope, event: WebhookDisabled) -> None:
    row = {"is_active": False, "disabled_reason": event.reason, "disabled_at": fact.occurred_at}
    _change(rows, fact, event.webhook_id, row)


def webhook_delivery_ended(rows: Rows, fact: Envelope, event: WebhookDeliveryEnded) -> None:
    fields = event.model_dump(include={"delivery_id", "round", "outcome"})
    rows.add(fact, "webhook_outcomes", fields | {"ended_at": fact.occurred_at})


def with_messages(fold: Fold) -> Fold:
    """The fold that also writes the messages about a fact."""

    def fold_both(rows: Rows, fact: Envelope, event: Any) -> None:
        fold(rows, fact, event)
        for message in messages_about(fact, event):
            _add_message(rows, fact, message)
        if isinstance(event, RunStopped):
            rows.then(FORGET, (recorded_at_of(fact) - SENT_WITHIN,))

    return fold_both


def _add_message(rows: Rows, fact: Envelope, message: Message) -> None:
    recorded_at = recorded_at_of(fact)
    body = {
        "type": message.event_type,
        "timestamp": recorded_at.astimezone(UTC).isoformat(timespec="milliseconds"),
        "data": {"project_id": fact.project_id, **message.data, "path": message.path},
    }
    row = {
        "message_id": derive_id(
            "msg", message.once or str(fact.event_id), message.event_type, message.subject
        ),
        "event_type": message.event_type,
        "body": json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        "recorded_at": recorded_at,
    }
    rows.add(fact, "webhook_messages", row)


def _of_ledger(fact: Envelope, event: LedgerChanged) -> Iterator[Message]:
    opened = {each.target_id for each in event.changes if each.op in OPENED}
    project = project_path(fact)
    for contradiction in event.contradictions:
        if contradiction.contradiction_id in opened:
            fields = {
                "contradiction_id": contradiction.contradiction_id,
                "severity": contradiction.severity,
            }
            about = (contradiction.contradiction_id, f"{project}/contradictions")
            yield Message("contradiction.opened", *about, fields)
            if contradiction.status == "open":
                yield Message("decision.waiting", *about, {"kind": "contradiction"} | fields)
    for pair in event.merge_candidates:
        if pair.merge_candidate_id in opened and pair.state == "open":
            fields = {"kind": "merge", "merge_candidate_id": pair.merge_candidate_id}
            path = f"{project}/merge-candidates"
            yield Message("decision.waiting", pair.merge_candidate_id, path, fields)
    if event.hitl is not None and event.hitl.outcome == "proposed":
        asked = event.hitl
        fields = {"kind": "proposal", "proposal_id": asked.hitl_event_id, "action": asked.action}
        path = f"{project}/proposals/{asked.hitl_event_id}"
        yield Message("decision.waiting", asked.hitl_event_id, path, fields)


def _of_artifact(fact: Envelope, event: VersionPublished) -> Iterator[Message]:
    if event.artifact_type == "prd":
        artifact_id = event.snapshot.artifact_id
        changed = {
            "artifact_id": artifact_id,
            "version": event.snapshot.version,
            "section_ids": event.recomputed_sections,
        }
        path = f"{project_path(fact)}/artifacts/{artifact_id}"
        yield Message("prd.changed", artifact_id, path, changed)


def _of_run(fact: Envelope, event: RunStopped) -> Iterator[Message]:
    path = f"{project_path(fact)}/ingestion-runs/{event.run_id}"
    ended = {"run_id": event.run_id, "stop_reason": event.stop_reason}
    yield Message("run.ended", event.run_id, path, ended)


def _of_pipeline(fact: Envelope, event: PipelineWaits) -> Iterator[Message]:
    pipeline_id = event.pipeline.pipeline_id
    waits = {"kind": "onboarding", "pipeline_id": pipeline_id, "stage": event.stage}
    path = f"{project_path(fact)}/onboarding/pipelines/{pipeline_id}"
    yield Message("decision.waiting", pipeline_id, path, waits)


def _of_chat(fact: Envelope, event: ConfirmationRequested) -> Iterator[Message]:
    path = f"{project_path(fact)}/conversations/{event.conversation_id}"
    waits = {
        "kind": "confirmation",
        "confirmation_id": event.confirmation_id,
        "conversation_id": event.conversation_id,
    }
    yield Message("decision.waiting", event.confirmation_id, path, waits)


def _change(rows: Rows, fact: Envelope, webhook_id: str, row: dict[str, Any]) -> None:
    row |= {OPERATIONAL: fact.event_id}
    statement = CHANGE.format(columns=", ".join(row))
    rows.then(statement, (as_json(row), webhook_id))


def _text_of(sealed: bytes) -> str:
    return base64.b64encode(sealed).decode()


FOLDS: dict[type[Event], Any] = {
    WebhookAdded: webhook_added,
    WebhookChanged: webhook_changed,
    WebhookSecretRotated: webhook_secret_rotated,
    WebhookRemoved: webhook_removed,
    WebhookDisabled: webhook_disabled,
    WebhookDeliveryEnded: webhook_delivery_ended,
}
NEWS: dict[type[Event], Messages] = {
    LedgerChanged: _of_ledger,
    VersionPublished: _of_artifact,
    RunStopped: _of_run,
    PipelineWaits: _of_pipeline,
    ConfirmationRequested: _of_chat,
}


def messages_about(fact: Envelope, event: Any) -> Iterator[Message]:
    """All messages that a fact leads to."""
    for table in (NEWS, ESCALATIONS):
        if (messages := table.get(type(event))) is not None:
            yield from messages(fact, event)


TELLING: frozenset[type[Event]] = frozenset(NEWS) | frozenset(ESCALATIONS)
