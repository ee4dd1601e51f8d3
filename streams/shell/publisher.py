"""Facts onto the log: one idempotent producer for all stages of a process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aiokafka import AIOKafkaProducer
from aiokafka.errors import MessageSizeTooLargeError

from infra.clock import Clock
from infra.kafka import broker_errors
from infra.settings import Settings
from schemas.codec import encode, headers
from schemas.envelope import Envelope
from schemas.topics import key_of, topic_of
from streams.shell.failures import RecordTooLarge


@dataclass(frozen=True, slots=True)
class Stamped:
    """A fact as it will be written: stamped, encoded, with its topic (without prefix) and key."""

    envelope: Envelope
    topic: str
    key: str
    value: bytes


@dataclass(frozen=True, slots=True)
class Place:
    """Where the broker has put a record."""

    partition: int
    offset: int


class Publisher:
    """Writes facts in the order of the calls; each is safe once its future has a `Place`."""

    def __init__(self, producer: AIOKafkaProducer, settings: Settings, clock: Clock) -> None:
        self._producer = producer
        self._settings = settings
        self._clock = clock

    def stamp(self, envelope: Envelope) -> Stamped:
        """The fact with its time of recording, as bytes. Raises RecordTooLarge."""
        recorded = envelope.recorded(self._clock.now())
        topic = topic_of(recorded)
        value = encode(recorded)
        if len(value) > topic.max_message_bytes:
            raise RecordTooLarge(
                f"{recorded.event.type_name} has {len(value)} bytes, topic {topic.name} takes"
                f" {topic.max_message_bytes}"
            )
        return Stamped(recorded, topic.name, key_of(recorded), value)

    async def send(self, stamped: Stamped, partition: int | None = None) -> asyncio.Future[Place]:
        """The record is on its way, after all sent before. Raises BrokerUnavailable."""
        with broker_errors(f"writing {stamped.topic}"):
            try:
                sent: asyncio.Future[Place] = await self._producer.send(
                    self._settings.topic(stamped.topic),
                    value=stamped.value,
                    key=stamped.key.encode(),
                    partition=partition,
                    headers=headers(stamped.envelope),
                )
            except MessageSizeTooLargeError as error:
                raise RecordTooLarge(f"{stamped.envelope.event.type_name}: {error}") from error
        return sent

    async def acknowledged(self, sent: Sequence[asyncio.Future[Place]]) -> list[Place]:
        """The places of records on their way, in the same order. Raises BrokerUnavailable.

        The idempotent producer tries for ever; the limit of an outage is set here. Being cancelled
        does not take back what is on its way.
        """
        if not sent:
            return []
        with broker_errors("waiting for acknowledgement"):
            await asyncio.wait(sent, timeout=self._settings.request_timeout_s)
            if not all(each.done() for each in sent):
                raise TimeoutError(f"{self._settings.request_timeout_s:.0f} s without an answer")
            done = [each.result() for each in sent]
        return [Place(each.partition, each.offset) for each in done]

    async def publish(self, facts: Iterable[Envelope]) -> list[Place]:
        """The facts are on the log. Raises RecordTooLarge, BrokerUnavailable."""
        stamped = [self.stamp(fact) for fact in facts]
        return await self.acknowledged([await self.send(each) for each in stamped])
