"""The queue of deliveries in the database: what is due, and what came of each attempt.

A message is given to the webhooks of its project once, in the transaction that notes it as given. A
delivery leaves the queue in the transaction that records its end, and its end is a fact. So a kill
at any moment can repeat an attempt, with the same ``webhook-id``, and never lose one.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import Connection
from psycopg.types.json import Jsonb

from infra.platform import postgres
from infra.store.jobs.outbox import add_fact
from projections.core import CORE
from projections.read.session import rows
from schemas.envelope import SYSTEM, Event
from schemas.events.webhook import (
    DeliveryOutcome,
    DisabledReason,
    WebhookDeliveryEnded,
    WebhookDisabled,
)
from schemas.ids import derive_id

# About three days in all: what is down over a weekend gets its messages (the schedule that the
# specification of Standard Webhooks gives as an example).
PAUSES_S = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
JITTER = 0.2
LONGEST_WAIT_S = 3_600.0  # that a receiver may ask for
MOST_WAITING = 10_000  # of one webhook
KEPT_ATTEMPTS = 20
MESSAGES_AT_ONCE = 500

Conn = Connection[tuple[Any, ...]]

# Messages are kept two weeks; one that comes later than that is too old to be news.
UNSEEN = (
    "SELECT m.message_id FROM webhook_messages m"
    " WHERE m.recorded_at > now() - interval '14 days' AND NOT EXISTS"
    " (SELECT FROM webhook_messages_seen s WHERE s.message_id = m.message_id)"
    " ORDER BY m.recorded_at LIMIT %s"
)
RECEIVERS = (
    "SELECT w.webhook_id, m.message_id, m.project_id, m.event_type, m.body"
    " FROM webhook_messages m JOIN webhooks w USING (project_id)"
    " WHERE m.message_id = ANY(%s) AND w.is_active AND NOT w.removed"
    " AND NOT EXISTS (SELECT FROM deleted_projects p WHERE p.project_id = w.project_id)"
    " AND m.event_type = ANY(w.events) AND m.recorded_at >= w.counts_from"
    " ORDER BY m.recorded_at, m.message_id"
)
SEEN = (
    "INSERT INTO webhook_messages_seen (message_id) SELECT unnest(%s::text[])"
    " ON CONFLICT DO NOTHING"
)
ADD = (
    "INSERT INTO webhook_deliveries (delivery_id, webhook_id, project_id, message_id, event_type,"
    " body, next_attempt_at) SELECT %s, %s, %s, %s, %s, %s, now()"
    " WHERE NOT EXISTS (SELECT FROM webhook_outcomes o WHERE o.delivery_id = %s)"
    " ON CONFLICT DO NOTHING"
)
OVERFLOW = (
    "UPDATE webhook_deliveries SET status = 'failed', ended_at = now(), next_attempt_at = NULL,"
    " attempts = %s WHERE delivery_id = ANY(%s) AND status = 'waiting' AND attempt_count = 0"
)
DUE = """
    SELECT w.webhook_id, w.url, w.allow_private_address, w.key_id, w.sealed,
        CASE WHEN w.previous_until > now() THEN w.previous_key_id END AS previous_key_id,
        w.previous_sealed, d.delivery_id, d.project_id, d.message_id, d.event_type, d.body,
        d.round, d.attempt_count
    FROM webhooks w CROSS JOIN LATERAL (
        SELECT * FROM webhook_deliveries q
        WHERE q.webhook_id = w.webhook_id AND q.status = 'waiting' AND q.next_attempt_at <= now()
        ORDER BY q.next_attempt_at LIMIT 1) d
    WHERE w.is_active AND NOT w.removed AND w.webhook_id <> ALL(%s)
        AND NOT EXISTS (SELECT FROM deleted_projects p WHERE p.project_id = w.project_id)
    ORDER BY d.next_attempt_at LIMIT %s
"""
RECORD = (
    "UPDATE webhook_deliveries SET status = %s, attempt_count = attempt_count + 1, attempts = ("
    " SELECT jsonb_agg(value ORDER BY ordinality) FROM jsonb_array_elements(attempts || %s)"
    " WITH ORDINALITY WHERE ordinality > jsonb_array_length(attempts) + 1 - %s),"
    " next_attempt_at = now() + %s * interval '1 second',"
    " ended_at = CASE WHEN %s THEN now() END"
    " WHERE delivery_id = %s AND status = 'waiting' AND round = %s AND attempt_count = %s"
)
TAKEN_SINCE = (
    "SELECT EXISTS (SELECT FROM webhook_deliveries WHERE webhook_id = %s AND status = 'delivered'"
    " AND ended_at > now() - interval '3 days')"
)
FORGET = (
    "DELETE FROM webhook_deliveries WHERE ended_at < now() - interval '30 days'",
    "DELETE FROM webhook_deliveries d USING webhooks w"
    " WHERE w.webhook_id = d.webhook_id AND (w.removed"
    " OR EXISTS (SELECT FROM deleted_projects p WHERE p.project_id = w.project_id))",
    "DELETE FROM webhook_messages_seen WHERE seen_at < now() - interval '30 days'",
)

ADD_TEST = (
    "INSERT INTO webhook_deliveries (delivery_id, webhook_id, project_id, message_id, event_type,"
    " body, next_attempt_at) VALUES (%s, %s, %s, %s, %s, %s, now()) ON CONFLICT DO NOTHING"
)
REPLAY = (
    "UPDATE webhook_deliveries SET status = 'waiting', round = round + 1, attempt_count = 0,"
    " next_attempt_at = now(), ended_at = NULL"
    " WHERE delivery_id = %s AND status <> 'waiting' RETURNING delivery_id"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """``status`` None: there was none, and ``error`` says why. ``wait_s``: what it asks us to."""

    duration_ms: int
    status: int | None = None
    error: str = ""
    wait_s: float | None = None

    @property
    def is_taken(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        return self.status == 410


@dataclass(frozen=True, slots=True)
class Due:
    """An attempt to make now. ``previous_key_id`` is set while the earlier secret signs too."""

    webhook_id: str
    url: str
    allow_private_address: bool
    key_id: str
    sealed: str
    previous_key_id: str | None
    previous_sealed: str | None
    delivery_id: str
    project_id: str
    message_id: str
    event_type: str
    body: str
    round: int
    attempt_count: int


def has_webhooks(connection: Conn) -> bool:
    """Whether anybody wants messages."""
    return connection.execute("SELECT FROM webhooks LIMIT 1").fetchone() is not None


def list_unseen(connection: Conn) -> list[str]:
    """Messages that were not given to webhooks yet, oldest first."""
    return [row["message_id"] for row in rows(connection, UNSEEN, MESSAGES_AT_ONCE)]


def read_webhook_offsets(connection: Conn) -> dict[int, int]:
    """How far the table of webhooks has followed its topic, by partition."""
    found = connection.execute(
        "SELECT partition, next_offset FROM projection_offsets"
        " WHERE projection = %s AND topic = %s",
        (CORE.name, WebhookDisabled.topic),
    )
    return dict(found.fetchall())


def give_out(connection: Conn, message_ids: Sequence[str]) -> int:
    """Queue the messages for the webhooks that want them; how many deliveries that are.

    What a webhook has no room for is in its log as failed, where it can be replayed.
    """
    added: dict[str, list[str]] = {}
    with connection.transaction():
        for row in rows(connection, RECEIVERS, list(message_ids)):
            webhook_id, message_id = row["webhook_id"], row["message_id"]
            delivery_id = derive_id("dlv", webhook_id, message_id)
            place = (delivery_id, webhook_id, row["project_id"], message_id)
            told = (*place, row["event_type"], row["body"], delivery_id)
            if connection.execute(ADD, told).rowcount:
                added.setdefault(webhook_id, []).append(delivery_id)
        for webhook_id, delivery_ids in added.items():
            _leave_out(connection, webhook_id, delivery_ids)
        connection.execute(SEEN, (list(message_ids),))
    return sum(map(len, added.values()))


def _leave_out(connection: Conn, webhook_id: str, delivery_ids: list[str]) -> None:
    (waiting,) = rows(
        connection,
        "SELECT count(*) AS count FROM webhook_deliveries"
        " WHERE webhook_id = %s AND status = 'waiting'",
        webhook_id,
    )
    if (excess := waiting["count"] - MOST_WAITING) > 0:
        why = {
            "at": postgres.read_time(connection).isoformat(),
            "duration_ms": 0,
            "error": f"not sent: {MOST_WAITING:,} deliveries are waiting already",
        }
        connection.execute(OVERFLOW, (Jsonb([why]), delivery_ids[-excess:]))


def add_test(
    connection: Conn,
    delivery_id: str,
    webhook_id: str,
    *,
    project_id: str,
    message_id: str,
    event_type: str,
    body: str,
) -> None:
    """Queue a message for this webhook alone, due now."""
    parameters = (delivery_id, webhook_id, project_id, message_id, event_type, body)
    connection.execute(ADD_TEST, parameters)


def replay(connection: Conn, delivery_id: str) -> bool:
    """Queue a delivery that has ended once more; False where it waits already."""
    return bool(rows(connection, REPLAY, delivery_id))


def list_due(connection: Conn, busy: Collection[str], limit: int) -> list[Due]:
    """The next due delivery of each webhook that is not ``busy``."""
    return [Due(**row) for row in rows(connection, DUE, list(busy), limit)]


def record_attempt(connection: Conn, due: Due, answer: Answer) -> DeliveryOutcome | None:
    """Note what came of an attempt; the outcome when it was the last one.

    It counts for nothing where the delivery was replayed or recorded meanwhile.
    """
    attempt_no = due.attempt_count + 1
    outcome: DeliveryOutcome | None = None
    if answer.is_taken:
        outcome = "delivered"
    elif answer.is_gone or attempt_no > len(PAUSES_S):
        outcome = "failed"
    pause_s = None if outcome else pause_after(attempt_no, answer.wait_s)
    with connection.transaction():
        now = postgres.read_time(connection)
        told = {"at": now.isoformat(), "duration_ms": answer.duration_ms}
        told |= {"status": answer.status, "error": answer.error}
        noted = connection.execute(
            RECORD,
            (
                *(outcome or "waiting", Jsonb([told]), KEPT_ATTEMPTS, pause_s),
                *(outcome is not None, due.delivery_id, due.round, due.attempt_count),
            ),
        )
        if outcome is None or not noted.rowcount:
            return None
        _tell(
            connection,
            due,
            now,
            WebhookDeliveryEnded(
                webhook_id=due.webhook_id,
                delivery_id=due.delivery_id,
                message_id=due.message_id,
                event_type=due.event_type,
                round=due.round,
                outcome=outcome,
                attempts=attempt_no,
                status=answer.status,
            ),
        )
        if reason := _reason_to_disable(connection, due, answer, outcome):
            _tell(
                connection,
                due,
                now,
                WebhookDisabled(
                    webhook_id=due.webhook_id,
                    reason=reason,
                    delivery_id=due.delivery_id,
                    round=due.round,
                ),
            )
    return outcome


def pause_after(attempt_no: int, wait_s: float | None = None, spread: float | None = None) -> float:
    """Seconds to the next attempt. ``spread``, 0 to 1, is drawn: deliveries that failed together
    do not come back together.
    """
    drawn = random.random() if spread is None else spread
    pause_s = PAUSES_S[attempt_no - 1] * (1 + JITTER * drawn)
    return max(pause_s, min(wait_s or 0.0, LONGEST_WAIT_S))


def forget_old(connection: Conn) -> None:
    """What has ended 30 days ago is gone, and so is what was for removed webhooks."""
    for statement in FORGET:
        connection.execute(statement.encode())


def _reason_to_disable(
    connection: Conn, due: Due, answer: Answer, outcome: DeliveryOutcome
) -> DisabledReason | None:
    if answer.is_gone:
        return "gone"
    if outcome == "delivered":
        return None
    ((taken,),) = connection.execute(TAKEN_SINCE, (due.webhook_id,)).fetchall()
    return None if taken else "failing"


def _tell(connection: Conn, due: Due, now: datetime, event: Event) -> None:
    add_fact(
        connection,
        event,
        project_id=due.project_id,
        occurred_at=now,
        actor=SYSTEM,
        correlation_id=due.message_id,
        only_once=True,
    )
