"""How requests and outside facts of people reach the log: `make_request`, then `publish`."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from infra.clock import SystemClock
from infra.settings import Settings
from schemas.codec import utc_millis
from schemas.envelope import Actor, Envelope, Event, outside_fact


def make_request(event: Event, project_id: str, actor: str, key: str = "") -> Envelope:
    """What the person ``actor`` asks for now, as a fact.

    ``key`` is the natural key, from which the fact's id follows: the same key again is the same
    fact. Leave it empty where the event's own local key holds it.
    """
    return outside_fact(
        event,
        project_id=project_id,
        occurred_at=utc_millis(SystemClock().now()),
        actor=Actor(type="human", id=actor),
        natural_key=key,
    )


async def publish(settings: Settings, facts: Sequence[Envelope]) -> None:
    """Return when the broker has acknowledged all ``facts``. Raises BrokerUnavailable."""
    from connectors.runner import open_publish

    async with open_publish(settings, SystemClock()) as send:
        await send(facts)


def draw_key() -> str:
    """A new idempotency key, for a request whose sender gave none."""
    return secrets.token_hex(16)
