"""Facts that commit together with the rows they are about, and are published afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from psycopg import Connection
from psycopg.types.json import Jsonb

from infra.platform import postgres
from infra.platform.errors import Conflict
from schemas.codec import utc_millis
from schemas.envelope import Actor, ActorType, Envelope, Event, outside_fact
from schemas.events import EVENT_TYPES
from schemas.ids import derive_event_id, sha256_hex

CHANNEL = "cairn_outbox"
RELAY_LOCK = int(sha256_hex("outbox relay")[:15], 16)
KEPT_FOR = "1 day"  # after publishing, for whoever looks for a fact that readers miss

Conn = Connection[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Pending:
    """A fact that nobody has marked as published; ``position`` says which row it is."""

    position: int
    fact: Envelope


def add_fact(
    connection: Conn,
    event: Event,
    *,
    project_id: str,
    occurred_at: datetime,
    actor: Actor,
    correlation_id: str,
    only_once: bool = False,
) -> bool:
    """Add the fact to the caller's transaction. ``occurred_at`` is the database's ``now()``.

    ``only_once``: False where the outbox has held it already, in the last day at least; whoever
    adds the same one at the same time waits here until the other has committed.
    """
    fact = outside_fact(
        event,
        project_id=project_id,
        occurred_at=utc_millis(occurred_at),
        actor=actor,
        correlation_id=correlation_id,
    )
    again = " ON CONFLICT (event_id) DO NOTHING" if only_once else ""
    added = connection.execute(
        "INSERT INTO outbox (event_id, event_type, project_id, correlation_id, actor_type,"
        f" actor_id, payload, occurred_at) VALUES (%s, %s, %s, %s, %s, %s, %s, %s){again}".encode(),
        (
            fact.event_id,
            event.type_name,
            project_id,
            correlation_id,
            actor.type,
            actor.id,
            Jsonb(event.model_dump(mode="json")),
            fact.occurred_at,
        ),
    )
    if added.rowcount:
        connection.execute("SELECT pg_notify(%s, '')", (CHANNEL,))
    return added.rowcount == 1


def holds_fact(connection: Conn, event: Event, project_id: str) -> bool:
    """Whether the outbox has held the fact of a person or the outside, in the last day at least."""
    event_id = derive_event_id(event.type_name, project_id, event.local_key)
    found = connection.execute("SELECT FROM outbox WHERE event_id = %s", (event_id,))
    return found.fetchone() is not None


def list_pending(connection: Conn, limit: int) -> list[Pending]:
    """The first facts that are not published, in the order of their positions.

    A fact with a lower position than a published one can appear later: its transaction was slower.
    Facts about one thing keep their order, because each waits for the row that the one before it
    has locked.
    """
    found = connection.execute(
        "SELECT position, event_type, project_id, correlation_id, actor_type, actor_id, payload,"
        " occurred_at FROM outbox WHERE published_at IS NULL ORDER BY position LIMIT %s",
        (limit,),
    )
    return [Pending(position, _fact_of(*row)) for position, *row in found]


def mark_published(connection: Conn, pending: Sequence[Pending]) -> None:
    """Mark facts that the broker has acknowledged, and forget those marked long ago."""
    positions = [each.position for each in pending]
    connection.execute(
        "UPDATE outbox SET published_at = now() WHERE position = ANY(%s)", (positions,)
    )
    connection.execute(f"DELETE FROM outbox WHERE published_at < now() - interval '{KEPT_FOR}'")


@contextmanager
def hold_relay_lock(connection: Conn) -> Iterator[None]:
    """This session alone relays during the block. Raises Conflict while another one does."""
    if not postgres.try_lock(connection, RELAY_LOCK):
        raise Conflict("Another process publishes the outbox.", code="relay_running")
    yield  # the lock ends with the session: it must not outlive its connection


def _fact_of(
    event_type: str,
    project_id: str,
    correlation_id: str,
    actor_type: ActorType,
    actor_id: str,
    payload: dict[str, Any],
    occurred_at: datetime,
) -> Envelope:
    assert actor_type in get_args(ActorType)
    return outside_fact(
        EVENT_TYPES[event_type].model_validate(payload),
        project_id=project_id,
        occurred_at=occurred_at,
        actor=Actor(type=actor_type, id=actor_id),
        correlation_id=correlation_id,
    )
