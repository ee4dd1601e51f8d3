"""List records that could not be processed, and publish one once more."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from infra.errors import Conflict, NotFound
from infra.kafka import broker_errors, running_producer
from infra.service.reading import ask
from infra.settings import Settings
from projections.read import dead_letters
from projections.read.dead_letters import DeadLetter
from projections.read.page import take
from schemas.codec import InvalidRecord, decode, headers
from schemas.topics import key_of, topic_of


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

    Raises NotFound, Conflict for a record that was too large to be kept, BrokerUnavailable.
    """
    letter = await ask(settings, lambda tables: dead_letters.dead_letter(tables, dead_letter_id))
    if letter is None:
        raise NotFound(
            f"There is no dead letter {dead_letter_id}.",
            code="unknown_dead_letter",
            detail={"dead_letter_id": dead_letter_id},
        )
    if letter.value is None:
        raise Conflict(
            f"{dead_letter_id} was too large to be kept: it stands on"
            f" {letter.origin_topic}/{letter.origin_partition}@{letter.origin_offset}.",
            code="dead_letter_too_large",
        )
    await _publish(settings, letter.origin_topic, letter.origin_key, letter.value)
    return RetriedLetter(dead_letter_id, letter.origin_topic)


async def _publish(settings: Settings, topic: str, key: str, value: bytes) -> None:
    """Publish a fact to the topic it belongs to, and what is no fact to where it stood."""
    with_headers: list[tuple[str, bytes]] = []
    with suppress(InvalidRecord, KeyError):
        fact = decode(value)
        topic, key, with_headers = topic_of(fact).name, key_of(fact), headers(fact)
    async with running_producer(settings) as producer:
        with broker_errors("publishing"):
            await producer.send_and_wait(
                settings.topic(topic), value=value, key=key.encode(), headers=with_headers
            )
