"""Facts onto the log: one idempotent producer for all stages of a process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from aiokafka import AIOKafkaProducer
from aiokafka.errors import MessageSizeTooLargeError

from infra.platform.clock import Clock
from infra.platform.kafka import broker_errors, partition_of
from infra.platform.settings import Settings
from schemas.envelope import Envelope
from streams.shell.failures import RecordTooLarge
from streams.shell.outgoing import Outgoing, Stamped, stamp
from streams.shell.slow_broker import Slowness


@dataclass(frozen=True, slots=True)
class LogPosition:
    """Where the broker has put a record."""

    partition: int
    offset: int


class Publisher:
    """Writes facts in the order of the calls; each is safe once its future has a `Place`."""

    def __init__(self, producer: AIOKafkaProducer, settings: Settings, clock: Clock) -> None:
        self._producer = producer
        self._settings = settings
        self._clock = clock

    def now(self) -> datetime:
        """The time of recording of what is written next."""
        return self._clock.now()

    def stamp(self, envelope: Envelope) -> Stamped:
        """The fact with its time of recording, as bytes. Raises RecordTooLarge."""
        return stamp(envelope, self._clock.now())

    async def send(
        self, record: Outgoing, partition: int | None = None
    ) -> asyncio.Future[LogPosition]:
        """The record is on its way, after all sent before. Raises BrokerUnavailable."""
        key = record.key.encode()
        if partition is None:
            partition = partition_of(key, self._settings.partitions)
        with broker_errors(f"writing {record.topic}"):
            try:
                sent: asyncio.Future[LogPosition] = await self._producer.send(
                    self._settings.topic(record.topic),
                    value=record.value,
                    key=key,
                    partition=partition,
                    headers=record.headers,
                )
            except MessageSizeTooLargeError as error:
                raise RecordTooLarge(f"{record.event_type}: {error}") from error
        return sent

    async def await_places(self, sent: Sequence[asyncio.Future[LogPosition]]) -> list[LogPosition]:
        """The places of records on their way, in the same order. Raises BrokerUnavailable.

        The idempotent producer tries for ever; the limit of an outage is set here, and starts anew
        with each answer. Being cancelled does not take back what is on its way.
        """
        if not sent:
            return []
        with broker_errors("waiting for acknowledgement"):
            slowness, waiting = Slowness(self._settings), {each for each in sent if not each.done()}
            while waiting:
                done, waiting = await asyncio.wait(
                    waiting,
                    timeout=self._settings.request_timeout_s,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if done:
                    slowness.answered()
                elif not await slowness.is_bearable():
                    raise TimeoutError(f"{slowness.silent_s:.0f} s without an answer")
            places = [each.result() for each in sent]
        return [LogPosition(each.partition, each.offset) for each in places]

    async def publish(self, facts: Iterable[Envelope]) -> list[LogPosition]:
        """The facts are on the log. Raises RecordTooLarge, BrokerUnavailable."""
        records = [self.stamp(fact) for fact in facts]
        return await self.await_places([await self.send(each) for each in records])
