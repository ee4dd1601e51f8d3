"""How requests and outside facts of people reach the log: `make_request`, then `publish`."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING

from infra.platform.clock import SystemClock
from infra.platform.errors import Invalid
from infra.platform.recording import note_recording
from infra.platform.settings import Settings
from infra.service.foundation.producer import Send, one_producer, producer_of
from schemas.codec import utc_millis
from schemas.envelope import Actor, Envelope, Event, outside_fact

if TYPE_CHECKING:
    from streams.hygiene.redaction.strings import StringRedactor


def make_request(event: Event, project_id: str, actor: str, key: str = "") -> Envelope:
    """What the person ``actor`` asks for now, as a fact.

    ``key`` is the natural key, from which the fact's id follows: the same key again is the same
    fact. Leave it empty where the event's own local key holds it. Raises Invalid for a key that
    is or holds a secret.
    """
    check_key(key or getattr(event, "request_key", ""))
    return outside_fact(
        event,
        project_id=project_id,
        occurred_at=utc_millis(SystemClock().now()),
        actor=Actor(type="human", id=actor),
        natural_key=key,
    )


async def publish(settings: Settings, facts: Sequence[Envelope]) -> None:
    """Return when the broker has acknowledged all ``facts``. Raises BrokerUnavailable."""
    note_recording()
    if shared := producer_of(settings):
        await shared.send(facts)
        return
    async with _open_send(settings) as send:
        await send(facts)


def share_producer(settings: Settings) -> AbstractAsyncContextManager[None]:
    """During the block, what this loop publishes goes over one producer."""
    return one_producer(settings, partial(_open_send, settings))


def _open_send(settings: Settings) -> AbstractAsyncContextManager[Send]:
    from connectors.runner import open_publish

    return open_publish(settings, SystemClock(), redactor_of(settings))


def check_key(key: str) -> None:
    """Raises Invalid for an idempotency key that is or holds a secret: ids are made of it."""
    from streams.hygiene.redaction.strings import redact_text

    if redact_text(key) != key:
        raise Invalid(
            "The idempotency key looks like a secret, and keys are stored in clear: choose"
            " another key.",
            code="key_holds_secret",
        )


def redactor_of(settings: Settings) -> StringRedactor:
    """What removes secrets from the strings that leave this installation's processes."""
    from infra.platform.vault import vault_of
    from streams.hygiene.redaction.strings import StringRedactor

    return StringRedactor(vault_of(settings).mark)


def draw_key() -> str:
    """A new idempotency key, for a request whose sender gave none."""
    return secrets.token_hex(16)
