"""Small helpers of these tests: one topic, written and read whole."""

from collections.abc import Sequence
from dataclasses import dataclass

from aiokafka.structs import TopicPartition

from infra.platform import kafka, log_positions
from infra.platform.settings import Settings


@dataclass(frozen=True)
class Spec:
    name: str
    cleanup: str = "delete"
    retention_ms: int = -1
    max_message_bytes: int = 1024 * 1024


ONE_TOPIC = (Spec("test.v1"),)


async def write(
    settings: Settings,
    values: Sequence[bytes],
    topic: str = "test.v1",
    key: bytes | None = None,  # a compacted topic takes no record without one
) -> None:
    async with kafka.running_producer(settings) as producer:
        for value in values:
            await producer.send_and_wait(settings.topic(topic), value, key=key, partition=0)


async def read_all(settings: Settings, topic: str = "test.v1") -> list[bytes]:
    """Every record of partition 0, up to the end at the time of the call."""
    ends = await log_positions.end_offsets(settings, [settings.topic(topic)])
    end = ends[settings.topic(topic), 0]
    values: list[bytes] = []
    async with kafka.running_consumer(
        settings, settings.topic(topic), group=settings.group("reader")
    ) as consumer:
        while len(values) < end:
            values.append((await consumer.getone()).value)
        await consumer.commit()
    return values


async def values_of(settings: Settings, topic: str) -> list[bytes]:
    """Every record of all partitions, partition by partition."""
    name, values = settings.topic(topic), list[bytes]()
    ends = await log_positions.end_offsets(settings, [name])
    async with kafka.running_consumer(settings) as consumer:
        for (_, partition), end in sorted(ends.items()):
            place = TopicPartition(name, partition)
            consumer.assign([place])
            consumer.seek(place, 0)
            while await consumer.position(place) < end:
                values.append((await consumer.getone()).value)
    return values
