"""Connects the feeder to the broker: publishes facts, follows stage 0's answers.

Answers are followed on ``chunk.v1`` by headers and key; no record is decoded. Decided against the
group's committed offsets: they move seconds later than the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiokafka import AIOKafkaConsumer
from aiokafka.structs import TopicPartition

from connectors.feeder import InFlightWindow, Publish
from infra.platform.background import in_background
from infra.platform.clock import Clock
from infra.platform.kafka import broker_errors, running_consumer, running_producer
from infra.platform.placement import check_place, is_tombstone
from infra.platform.recording import note_recording
from infra.platform.settings import Settings
from schemas import codec
from schemas.envelope import Envelope
from schemas.events.hygiene import SourceProcessed
from schemas.strings import Redactor, redact_fact
from schemas.topics import key_of, topic_of

POLL_MS = 200

News = Callable[[], Awaitable[list[Envelope]]]


@asynccontextmanager
async def open_publish(
    settings: Settings, clock: Clock, redactor: Redactor
) -> AsyncIterator[Publish]:
    """A ``publish`` that returns when the broker has all facts. Raises BrokerUnavailable.

    No string of a fact leaves with a secret that ``redactor`` knows.
    """
    async with running_producer(settings, linger_ms=2) as producer:

        async def publish(envelopes: Sequence[Envelope]) -> None:
            note_recording()
            with broker_errors("publishing"):
                sent = [
                    await producer.send(
                        settings.topic(topic_of(envelope).name),
                        value=codec.encode(envelope.recorded(codec.utc_millis(clock.now()))),
                        key=key_of(envelope).encode(),
                        headers=codec.headers(envelope),
                    )
                    for envelope in [redact_fact(each, redactor) for each in envelopes]
                ]
                await asyncio.gather(*sent)

        yield publish


@asynccontextmanager
async def follow_answers(
    settings: Settings,
    project_id: str,
    trigger_key: str | None,
    *,
    from_start: bool,
    stalled: Callable[[], None],
) -> AsyncIterator[InFlightWindow]:
    """A window that hears every answer of stage 0 to this trigger during the block.

    Without a key it hears the answers to every trigger of the project (a sync has one per page).

    ``from_start``: the trigger may have been published before, so ``answers`` contains what the log
    says when the block begins. Raises BrokerUnavailable, also during the block: without answers the
    size of the queue is unknown.
    """
    window = InFlightWindow(stalled=stalled)
    wanted = {
        "event-type": SourceProcessed.type_name.encode(),
        "project-id": project_id.encode(),
    } | ({"correlation-id": trigger_key.encode()} if trigger_key else {})

    def hear(batch: dict[TopicPartition, list[Any]]) -> None:
        for records in batch.values():
            for record in records:
                if wanted.items() <= dict(record.headers).items():
                    window.release(record.key.decode())

    async with running_consumer(settings) as consumer:
        with broker_errors("reading stage 0's answers"):
            await _assign(settings.topic(SourceProcessed.topic), consumer, from_start, hear)
        async with in_background(_follow(consumer, hear)):
            yield window


@asynccontextmanager
async def facts_of(settings: Settings, *topics: str) -> AsyncIterator[News]:
    """Reads small topics from their beginning; each call returns what is new since the last one.

    The order is that of each partition. Raises BrokerUnavailable, as does each call.
    """
    async with running_consumer(settings) as consumer:
        with broker_errors("looking for topics"):
            await consumer._client.force_metadata_update()
            places = [
                TopicPartition(settings.topic(topic), part)
                for topic in topics
                for part in consumer.partitions_for_topic(settings.topic(topic)) or ()
            ]
            consumer.assign(places)
            consumer.pause(*places)  # nothing is asked of the broker between two calls
            await consumer.seek_to_beginning(*places)

        async def news() -> list[Envelope]:
            envelopes: list[Envelope] = []
            with broker_errors(f"reading {', '.join(topics)}"):
                ends = await consumer.end_offsets(places)
                while behind := [
                    each for each in places if await consumer.position(each) < ends[each]
                ]:
                    consumer.resume(*behind)
                    batch = await consumer.getmany(timeout_ms=POLL_MS)
                    consumer.pause(*behind)
                    for place, records in batch.items():
                        short = place.topic[len(settings.topic("")) :]
                        envelopes += _facts(short, records, settings.partitions)
            return envelopes

        yield news


def _facts(topic: str, records: list[Any], partitions: int) -> Iterator[Envelope]:
    """The valid facts of the records. Invalid or misplaced records are reported elsewhere."""
    for record in records:
        if not is_tombstone(topic, record.value):
            with suppress(codec.InvalidRecord):
                fact = codec.decode(record.value or b"")
                check_place(topic, record.partition, record.key, fact, partitions)
                yield fact


async def _assign(
    topic: str,
    consumer: AIOKafkaConsumer,
    from_start: bool,
    hear: Callable[[dict[TopicPartition, list[Any]]], None],
) -> None:
    """Places the consumer at the topic's end; ``from_start``: after reading everything before."""
    await consumer._client.force_metadata_update()
    places = [TopicPartition(topic, part) for part in consumer.partitions_for_topic(topic) or ()]
    consumer.assign(places)
    ends = await consumer.end_offsets(places)
    if not from_start:
        for place, end in ends.items():
            consumer.seek(place, end)
        return
    await consumer.seek_to_beginning(*places)
    while any([await consumer.position(place) < end for place, end in ends.items()]):
        hear(await consumer.getmany(timeout_ms=POLL_MS))


async def _follow(
    consumer: AIOKafkaConsumer, hear: Callable[[dict[TopicPartition, list[Any]]], None]
) -> None:
    with broker_errors("following stage 0's answers"):
        while True:
            hear(await consumer.getmany(timeout_ms=POLL_MS))
