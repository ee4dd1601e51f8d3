"""Consumes deliveries in order: applies each one, then commits its offset.

The only file of the intake that uses Kafka. Delivery is at least once: after a crash the same
delivery is taken again, which changes nothing more. A delivery that cannot be read becomes a dead
letter, with its ciphertext, and the partition continues.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from aiokafka.structs import TopicPartition

from connectors.connector import SourceRefused, SourceUnavailable, UnknownSource
from connectors.feeder import Publish
from connectors.intake.intake import Intake
from connectors.payloads import UnreadablePayload
from connectors.webhooks.counters import Counters
from infra.platform.clock import Clock
from infra.platform.errors import TopicsUnfit, Unavailable, VaultUnconfigured, is_without_room
from infra.platform.kafka import broker_errors, running_consumer
from infra.platform.log import get
from infra.platform.pacing import pace_fetches
from infra.platform.placement import check_place
from infra.platform.settings import Settings
from schemas.code_version import code_version
from schemas.codec import InvalidRecord, decode, utc_millis
from schemas.envelope import SERVICE_WIDE, SYSTEM, Envelope, outside_fact
from schemas.events.connector_item import ItemReceived
from schemas.events.dlq import (
    RETRIES_HEADER,
    DeadLetter,
    DeadLetterResolved,
    RecordUndecidable,
)

STAGE = "intake"  # consumer group and origin of dead letters; released, never renamed
POLL_MS = 200
WAITS_MS = 5_000  # for a delivery; it is there at once
AT_ONCE = 32  # records taken from the broker before offsets are committed
TRIES = 3
PAUSES_S = (1.0, 5.0)  # before another try when a service outside does not answer
KEPT_VALUE_BYTES = 512 * 1024

# Errors whose messages contain nothing of the delivery.
TELLING = (InvalidRecord, SourceUnavailable, SourceRefused, UnknownSource, UnreadablePayload)
# Fetching a repository for the first time may take as long as `connectors.git` lets it.
LONGEST_POLL_PAUSE_MS = 2 * 3600 * 1000

log = get(STAGE)
Sleep = Callable[[float], Awaitable[None]]


class Consumer:
    """Hands records to an ``Intake``; each one is applied or becomes a dead letter."""

    def __init__(
        self,
        intake: Intake,
        publish: Publish,
        counters: Counters,
        clock: Clock,
        partitions: int,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """``partitions``: how many every topic has."""
        self._partitions = partitions
        self._intake, self._publish, self._counters = intake, publish, counters
        self._clock, self._sleep = clock, sleep
        self._taken, self._in_work = 0, False

    def progress(self) -> object:
        """A value that changes whenever work was done; fetching a repository may take hours."""
        return time.monotonic() if self._in_work else self._taken

    async def process(self, record: Any) -> None:
        """Applies one record and counts it as progress."""
        self._in_work = True
        try:
            await self._process(record)
        finally:
            self._taken, self._in_work = self._taken + 1, False

    async def _process(self, record: Any) -> None:
        """Applies the record or publishes it as a dead letter.

        Raises …Unavailable, VaultUnconfigured, TopicsUnfit if broker, database or vault are down:
        then the process stops and the offset does not move.
        """
        fact: Envelope | None = None
        try:
            fact = fact_in(record, self._partitions)
        except InvalidRecord as error:
            await self._give_up(record, None, error, 1)
            return
        if not isinstance(fact.event, ItemReceived):
            return
        for attempt in range(1, TRIES + 1):
            try:
                for outcome in await self._intake.take(fact):
                    self._counters.count(fact.event.connector, outcome)
                await self._settle(record, fact)
                return
            except (SourceUnavailable, SourceRefused, UnknownSource) as error:
                if attempt == TRIES:
                    await self._give_up(record, fact, error, attempt)
                    return
                await self._sleep(PAUSES_S[attempt - 1])
            except (Unavailable, VaultUnconfigured, TopicsUnfit, MemoryError):
                raise
            except Exception as error:
                if is_without_room(error):
                    raise
                if attempt == TRIES:
                    await self._give_up(record, fact, error, attempt)
                    return

    async def _settle(self, record: Any, fact: Envelope) -> None:
        """Tells that a dead letter is settled, where somebody retries it by this record."""
        for name, value in record.headers or ():
            if name == RETRIES_HEADER:
                settled = DeadLetterResolved(dead_letter_id=value.decode(), stage=STAGE)
                await self._publish([fact.caused(settled)])

    async def _give_up(
        self, record: Any, fact: Envelope | None, error: Exception, attempts: int
    ) -> None:
        """Publishes a dead letter: position and class of the failure, no word of the delivery."""
        letter = DeadLetter(
            stage=STAGE,
            origin_topic=ItemReceived.topic,
            origin_partition=record.partition,
            origin_offset=record.offset,
            origin_key=(record.key or b"").decode("utf-8", "replace"),
            value=record.value if fact and len(record.value) <= KEPT_VALUE_BYTES else None,
            error_class=type(error).__name__,
            error=str(error) if isinstance(error, TELLING) else "",
            attempts=attempts,
        )
        if fact and not isinstance(error, TELLING):
            letter = RecordUndecidable(
                **letter.model_dump(),
                subject_id=str(fact.event_id),
                stage_version=code_version("schemas", "connectors"),
            )
        log.warning("intake.record_rejected", error_class=letter.error_class, attempts=attempts)
        dead = outside_fact(
            letter,
            project_id=fact.project_id if fact else SERVICE_WIDE,
            occurred_at=utc_millis(self._clock.now()),
            actor=SYSTEM,
            correlation_id=fact.correlation_id if fact else "",
        )
        await self._publish([dead])
        event = fact.event if fact else None
        connector = event.connector if isinstance(event, ItemReceived) else "unreadable"
        self._counters.count(connector, "dead_letter")


async def recall(settings: Settings, intake: Intake) -> int:
    """Restores what the intake knows of the deliveries before its offset; returns how many.

    Raises BrokerUnavailable.
    """
    recalled = 0
    async with running_consumer(settings, group=settings.group(STAGE)) as reader:
        with broker_errors("reading deliveries again"):
            topic = settings.topic(ItemReceived.topic)
            await reader._client.force_metadata_update()
            places = [TopicPartition(topic, part) for part in reader.partitions_for_topic(topic)]
            reader.assign(places)  # by hand, outside of the group
            ends = {place: await reader.committed(place) or 0 for place in places}
            await reader.seek_to_beginning(*places)
            while left := [it for it in places if await reader.position(it) < ends[it]]:
                for place, records in (await reader.getmany(*left, timeout_ms=POLL_MS)).items():
                    for record in records:
                        if record.offset < ends[place]:
                            recalled += _recall_record(intake, record, settings.partitions)
    return recalled


def fact_in(record: Any, partitions: int) -> Envelope:
    """The fact of a record in its proper partition. Raises InvalidRecord."""
    fact = decode(record.value or b"")
    check_place(ItemReceived.topic, record.partition, record.key, fact, partitions)
    return fact


def _recall_record(intake: Intake, record: Any, partitions: int) -> int:
    with suppress(InvalidRecord):  # it became a dead letter
        fact = fact_in(record, partitions)
        if isinstance(fact.event, ItemReceived):
            intake.recall(fact)
            return 1
    return 0


async def consume(settings: Settings, consumer: Consumer, counters: Counters) -> None:
    """Reads until cancelled. Raises …Unavailable, Refusal: the supervisor restarts it."""
    topic = settings.topic(ItemReceived.topic)
    longest = {"max_poll_interval_ms": LONGEST_POLL_PAUSE_MS}
    async with running_consumer(settings, topic, group=settings.group(STAGE), **longest) as reader:
        pace_fetches(reader)
        while True:
            with broker_errors("reading deliveries"):
                batch = await reader.getmany(timeout_ms=WAITS_MS, max_records=AT_ONCE)
            for place, records in batch.items():
                for record in records:
                    await consumer.process(record)
                with broker_errors("committing offsets"):
                    await reader.commit({place: records[-1].offset + 1})
            counters.write()
