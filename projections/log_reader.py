"""Reading a stretch of the log once, from given offsets to given offsets, by no consumer group."""

from __future__ import annotations

import time
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from aiokafka import AIOKafkaConsumer
from aiokafka.structs import ConsumerRecord, TopicPartition

from infra.platform import kafka, log_positions, pacing
from infra.platform.findings import Finding, broken, find_missing_end, find_missing_start, holes
from infra.platform.settings import Settings
from projections.checkpoint import Record
from schemas.codec import InvalidRecord, decode
from schemas.envelope import Envelope

Offsets = Mapping[tuple[str, int], int]
Report = Callable[[Finding], None]

MAX_RECORDS = 2_000
FETCH: dict[str, Any] = {
    "fetch_max_wait_ms": pacing.IDLE_WAIT_MS,
    "max_partition_fetch_bytes": 1024 * 1024,
    "fetch_max_bytes": 8 * 1024 * 1024,
}
POLL_MS = 1_000  # also until a stop is obeyed
NEAR = 500  # offsets between two wanted records that are rather read than skipped
# Only what is known to be there is read, so no fetch has to wait for news: one that was sent at the
# end of a partition would hold up the next.
NO_WAIT_MS = 10


async def ends_of(settings: Settings, topics: Sequence[str]) -> dict[tuple[str, int], int]:
    """The offset after the last record of each partition, by short topic name."""
    cut = len(settings.topic(""))
    ends = await log_positions.end_offsets(settings, [settings.topic(name) for name in topics])
    return {(topic[cut:], partition): offset for (topic, partition), offset in ends.items()}


async def stretch(
    settings: Settings, start: Offsets, end: Offsets, report: Report = lambda _: None
) -> AsyncGenerator[list[Record], None]:
    """The records from ``start`` (missing: the first there is) up to, without, ``end``.

    Short topic names, topic by topic and partition by partition in the order of their names, so
    that the same log is read in the same order each time. ``report`` is told where the log lacks
    something of that, or holds what cannot be read; the reading goes on behind it. Raises
    BrokerUnavailable.
    """
    wanted = sorted(place for place, offset in end.items() if offset > start.get(place, 0))
    if not wanted:
        return
    async with kafka.running_consumer(
        settings, **FETCH | {"fetch_max_wait_ms": NO_WAIT_MS}
    ) as consumer:
        places = [TopicPartition(settings.topic(topic), part) for topic, part in wanted]
        consumer.assign(places)
        consumer.pause(*places)
        first = await consumer.beginning_offsets(places)
        last = await consumer.end_offsets(places)
        if any(end[short] > last[place] for place, short in zip(places, wanted, strict=True)):
            last = await consumer.end_offsets(places)  # it may be told too small once, see damage
        for place, short in zip(places, wanted, strict=True):
            part = Part(
                *short, max(first[place], start.get(short, 0)), min(last[place], end[short])
            )
            for finding in (
                *find_missing_start(*short, start.get(short, 0), first[place]),
                *find_missing_end(*short, end[short], last[place]),
            ):
                report(finding)
            async for records in _read(settings, consumer, place, part, report):
                yield records


@dataclass(frozen=True, slots=True)
class Part:
    """What is there of a partition, and what should be."""

    topic: str
    partition: int
    start: int
    end: int


async def _read(
    settings: Settings,
    consumer: AIOKafkaConsumer,
    place: TopicPartition,
    part: Part,
    report: Report,
) -> AsyncIterator[list[Record]]:
    """The records of a partition, which is paused before and after.

    A batch that cannot be read is passed over offset by offset: where it ends only it knows.
    """
    at, moved_at = part.start, time.monotonic()
    bad: int | None = None  # the first offset that cannot be read
    careful = False  # one record at a time, to come as far as the broken batch
    consumer.seek(place, at)
    consumer.resume(place)
    while at < part.end:
        try:
            with kafka.broker_errors(f"reading {part.topic}"):
                limit = 1 if careful else MAX_RECORDS
                polled = await consumer.getmany(place, timeout_ms=POLL_MS, max_records=limit)
        except kafka.UNREADABLE:
            if careful:
                bad = at if bad is None else bad
                at += 1
            careful, moved_at = True, time.monotonic()
            consumer.seek(place, at)
            continue
        records = [each for each in records_of(settings, polled) if each.offset < part.end]
        if not records and await consumer.position(place) <= at:
            if time.monotonic() - moved_at > settings.request_timeout_s:
                bad = at if bad is None else bad
                at = part.end  # the broker serves all else, but not this
            continue
        if bad is not None:
            report(broken(part.topic, part.partition, bad, at))
            bad, careful = None, False
        for finding in holes(part.topic, part.partition, at, (each.offset for each in records)):
            report(finding)
        if records:
            yield records
        at, moved_at = await consumer.position(place), time.monotonic()
    if bad is not None:
        report(broken(part.topic, part.partition, bad, part.end))
    consumer.pause(place)


class Place(NamedTuple):
    """Where a record stands; ``topic`` is without prefix."""

    topic: str
    partition: int
    offset: int


async def fact_at(settings: Settings, place: Place) -> Envelope | None:
    """The fact at a place; None when it is gone or unreadable. Raises BrokerUnavailable."""
    return (await facts_at(settings, [place])).get(place)


async def facts_at(settings: Settings, places: Iterable[Place]) -> dict[Place, Envelope]:
    """The facts at these places but for those that are gone or unreadable.

    What lies close together is read in one go. Raises BrokerUnavailable.
    """
    wanted = sorted(set(places))
    facts: dict[Place, Envelope] = {}
    for first, last in _join_near(wanted):
        at = first[:2]
        async with aclosing(
            stretch(settings, {at: first.offset}, {at: last.offset + 1})
        ) as batches:
            async for records in batches:
                facts.update(_decode_wanted(records, frozenset(wanted)))
    return facts


def _join_near(places: Sequence[Place]) -> list[tuple[Place, Place]]:
    """Ordered places as stretches: of each the first and the last."""
    joined: list[tuple[Place, Place]] = []
    for place in places:
        first, last = joined[-1] if joined else (place, place)
        is_near = first[:2] == place[:2] and place.offset - last.offset <= NEAR
        if joined and is_near:
            joined[-1] = (first, place)
        else:
            joined.append((place, place))
    return joined


def _decode_wanted(
    records: Iterable[Record], wanted: Collection[Place]
) -> Iterator[tuple[Place, Envelope]]:
    for record in records:
        place = Place(record.topic, record.partition, record.offset)
        if place in wanted and record.value:
            with suppress(InvalidRecord):
                yield place, decode(record.value)


def place_in(settings: Settings, short: tuple[str, int]) -> TopicPartition:
    """A partition as the broker calls it."""
    return TopicPartition(settings.topic(short[0]), short[1])


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
