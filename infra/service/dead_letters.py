"""List records that could not be processed, and publish one once more."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from infra.errors import Conflict, NotFound
from infra.kafka import broker_errors, read_record, running_producer
from infra.service.reading import ask
from infra.settings import Settings
from projections.read import dead_letters
from projections.read.dead_letters import DeadLetter, WholeDeadLetter
from projections.read.page import take
from schemas.codec import InvalidRecord, decode, headers
from schemas.topics import key_of, topic_of

# Failures of a fact that was never written, so its place in the log holds another one.
NEVER_WRITTEN = {
    "RecordTooLarge": ("dead_letter_too_large", "was too large to be written to"),
    "Undecidable": ("dead_letter_undecidable", "could not be decided, and was never written to"),
}


@dataclass(frozen=True, slots=True)
class RetriedLetter:
    """``topic``, without prefix, is where the record of a dead letter stood."""

    dead_letter_id: str
    topic: str


async def list_dead_letters(settings: Settings) -> list[DeadLetter]:
    """Every dead letter with place and reason, without its value."""
    return await ask(
        settings, lambda tables: list(take(partial(dead_letters.dead_letters, tables)))
    )


async def retry_dead_letter(settings: Settings, dead_letter_id: str) -> RetriedLetter:
    """Publish the record of a dead letter to its topic once more.

    A record whose value is not kept is read from its place. Raises NotFound, Conflict when there
    is no record, BrokerUnavailable.
    """
    letter = await ask(settings, lambda tables: dead_letters.dead_letter(tables, dead_letter_id))
    if letter is None:
        raise NotFound(
            f"There is no dead letter {dead_letter_id}.",
            code="unknown_dead_letter",
            detail={"dead_letter_id": dead_letter_id},
        )
    await _publish(settings, letter.origin_topic, *await _record_of(settings, letter))
    return RetriedLetter(dead_letter_id, letter.origin_topic)


async def _record_of(settings: Settings, letter: WholeDeadLetter) -> tuple[bytes, bytes]:
    """Key and value of the record. Raises Conflict when there is none."""
    if letter.value is not None:
        return letter.origin_key.encode(), letter.value
    name = f"{letter.origin_topic}/{letter.origin_partition}@{letter.origin_offset}"
    if letter.error_class in NEVER_WRITTEN:
        code, why = NEVER_WRITTEN[letter.error_class]
        raise Conflict(
            f"{letter.dead_letter_id} {why} {name}, so there is no record to publish again.",
            code=code,
        )
    found = await read_record(
        settings,
        settings.topic(letter.origin_topic),
        letter.origin_partition,
        letter.origin_offset,
    )
    if found is None:
        raise Conflict(
            f"The record of {letter.dead_letter_id} is gone from {name}: read its source again.",
            code="dead_letter_gone",
        )
    return found


async def _publish(settings: Settings, topic: str, key: bytes, value: bytes) -> None:
    """Publish a fact to the topic it belongs to, and what is no fact to where it stood."""
    with_headers: list[tuple[str, bytes]] = []
    with suppress(InvalidRecord, KeyError):
        fact = decode(value)
        topic, key, with_headers = topic_of(fact).name, key_of(fact).encode(), headers(fact)
    async with running_producer(settings) as producer:
        with broker_errors("publishing"):
            await producer.send_and_wait(
                settings.topic(topic), value=value, key=key, headers=with_headers
            )
