"""Reading a stretch of the log once, from given offsets to given offsets, by no consumer group."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

from aiokafka import AIOKafkaConsumer
from aiokafka.structs import ConsumerRecord, TopicPartition

import infra.kafka
from infra.settings import Settings
from projections.checkpoint import Record
from schemas.codec import InvalidRecord, decode
from schemas.envelope import Envelope

Offsets = Mapping[tuple[str, int], int]

MAX_RECORDS = 2_000
FETCH: dict[str, Any] = {
    "fetch_max_wait_ms": infra.kafka.IDLE_WAIT_MS,
    "max_partition_fetch_bytes": 1024 * 1024,
    "fetch_max_bytes": 8 * 1024 * 1024,
}
POLL_MS = 200


async def ends_of(settings: Settings, topics: Sequence[str]) -> dict[tuple[str, int], int]:
    """The offset after the last record of each partition, by short topic name."""
    cut = len(settings.topic(""))
    ends = await infra.kafka.end_offsets(settings, [settings.topic(name) for name in topics])
    return {(topic[cut:], partition): offset for (topic, partition), offset in ends.items()}


async def stretch(
    settings: Settings, start: Offsets, end: Offsets
) -> AsyncGenerator[list[Record], None]:
    """The records from ``start`` (missing: the first there is) up to, without, ``end``.

    Short topic names; within a partition in order. Raises BrokerUnavailable.
    """
    wanted = {place: offset for place, offset in end.items() if offset > start.get(place, 0)}
    if not wanted:
        return
    async with infra.kafka.running_consumer(settings, **FETCH) as consumer:
        open_at = {
            TopicPartition(settings.topic(topic), part): (topic, part) for topic, part in wanted
        }
        consumer.assign(list(open_at))
        first = await consumer.beginning_offsets(list(open_at))
        for place, short in open_at.items():
            consumer.seek(place, max(first[place], start.get(short, 0)))
        open_at = {p: short for p, short in open_at.items() if first[p] < wanted[short]}
        while open_at:
            polled = await consumer.getmany(timeout_ms=POLL_MS, max_records=MAX_RECORDS)
            records = [
                record
                for record in records_of(settings, polled)
                if record.offset < wanted[record.topic, record.partition]
            ]
            if records:
                yield records
            for place in [*open_at]:
                if await consumer.position(place) >= wanted[open_at[place]]:
                    consumer.pause(place)
                    del open_at[place]


class Place(NamedTuple):
    """Where a record stands; ``topic`` is without prefix."""

    topic: str
    partition: int
    offset: int


async def fact_at(settings: Settings, place: Place) -> Envelope | None:
    """The fact at a place; None when it is gone or unreadable. Raises BrokerUnavailable."""
    topic, partition, offset = place
    at = (topic, partition)
    async with aclosing(stretch(settings, {at: offset}, {at: offset + 1})) as batches:
        found = [record async for records in batches for record in records]
    values = [record.value for record in found if record.offset == offset and record.value]
    try:
        return decode(values[0]) if values else None
    except InvalidRecord:
        return None


def start_at(consumer: AIOKafkaConsumer, settings: Settings, offsets: Offsets) -> None:
    """The consumer reads exactly these partitions (short names), from these offsets on."""
    at = {
        TopicPartition(settings.topic(topic), part): next_
        for (topic, part), next_ in offsets.items()
    }
    consumer.assign(list(at))
    for place, offset in at.items():
        consumer.seek(place, offset)


def records_of(
    settings: Settings, polled: Mapping[TopicPartition, list[ConsumerRecord[bytes, bytes]]]
) -> list[Record]:
    """What was polled, partition by partition, under short topic names."""
    cut = len(settings.topic(""))
    return [
        Record(
            topic=place.topic[cut:],
            partition=place.partition,
            offset=message.offset,
            key=message.key,
            value=message.value,
            headers=tuple(message.headers),
        )
        for place, messages in polled.items()
        for message in messages
    ]
