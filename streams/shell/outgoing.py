"""A fact as it will be written. Children import this, so it knows no broker's client."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from schemas.codec import (
    HEADER_BYTES,
    MARKER,
    InvalidRecord,
    decode,
    encode,
    headers,
    utc_millis,
)
from schemas.envelope import Envelope, Event
from schemas.events.hygiene import ChunkCreated
from schemas.strings import redact_fact
from schemas.topics import key_of, topic_of
from streams.hygiene.redaction.strings import STAGE_REDACTOR
from streams.shell.failures import RecordTooLarge

Handle = Callable[[Envelope, ChunkCreated | None], list[Event]]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A record: topic (without prefix), key, bytes, headers.

    ``answered``: what the next stage answers to it is among the records behind it.
    """

    event_type: str
    topic: str
    key: str
    value: bytes
    headers: list[tuple[str, bytes]]
    answered: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Stamped(Outgoing):
    """A record with the fact it was made from, stamped."""

    envelope: Envelope


def warm_codec(*imported: object) -> None:
    """All schemas are parsed; what is handed over was imported on the way into a child."""
    with contextlib.suppress(InvalidRecord):
        decode(MARKER + bytes(HEADER_BYTES))


def stamp(envelope: Envelope, at: datetime) -> Stamped:
    """The fact with ``at`` as its time of recording, as bytes. Raises RecordTooLarge.

    ``Stamped.envelope`` equals what the bytes are decoded to.
    """
    recorded = redact_fact(envelope, STAGE_REDACTOR).recorded(utc_millis(at))
    topic = topic_of(recorded)
    value = encode(recorded)
    if len(value) > topic.max_message_bytes:
        raise RecordTooLarge(
            f"{recorded.event.type_name} has {len(value)} bytes, topic {topic.name} takes"
            f" {topic.max_message_bytes}"
        )
    return Stamped(
        recorded.event.type_name, topic.name, key_of(recorded), value, headers(recorded), recorded
    )


def plain(stamped: Stamped) -> Outgoing:
    """The record without its fact: less to carry from a child."""
    return Outgoing(
        stamped.event_type,
        stamped.topic,
        stamped.key,
        stamped.value,
        stamped.headers,
        answered=stamped.answered,
    )


def answers_to(
    handle: Handle,
    then: Handle | None,
    value: bytes,
    chunk_value: bytes | None,
    at: datetime,
) -> list[Outgoing]:
    """What ``handle`` answers to the record, from bytes to bytes. Raises RecordTooLarge.

    With ``then``, the function of the step that answers these outputs, its answers follow each.
    """
    cause = decode(value)
    chunk = decode(chunk_value).event if chunk_value is not None else None
    assert chunk is None or isinstance(chunk, ChunkCreated)
    made: list[Stamped] = []
    for event in handle(cause, chunk):
        one = stamp(cause.caused(event), at)
        made += [one] if then is None else _with_answers(one, then, chunk, at)
    return [plain(each) for each in made]


def _with_answers(
    stamped: Stamped, handle: Handle, chunk: ChunkCreated | None, at: datetime
) -> list[Stamped]:
    """``one`` and what ``handle`` answers to it; alone when that step has to fail by itself."""
    try:
        answers = [
            stamp(stamped.envelope.caused(event), at) for event in handle(stamped.envelope, chunk)
        ]
    except Exception:
        return [stamped]
    return [replace(stamped, answered=True), *answers]
