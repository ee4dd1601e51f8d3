"""Reads pieces of the log without a group: for folding state and for finding single records."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from aiokafka.structs import TopicPartition

from infra.platform import kafka
from infra.platform.findings import LogDamaged, broken, find_missing_end, find_missing_start, holes
from infra.platform.kafka import UNREADABLE, broker_errors
from infra.platform.settings import Settings

POLL_MS = 500
BATCH = 500


class LogReader:
    """Reads partitions up to where they end now. One reader may be used by one task at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: Any = None
        self._readings = 0

    async def end(self, topic: str, partition: int) -> int:
        """The offset after the last record; ``topic`` without prefix. Raises BrokerUnavailable."""
        client = await self._start()
        place = TopicPartition(self._settings.topic(topic), partition)
        with broker_errors(f"reading the end of {topic}"):
            return int((await client.end_offsets([place]))[place])

    async def end_behind(self, topic: str, partition: int, known: int) -> int:
        """The same of a log that has been read up to ``known``.

        Raises BrokerUnavailable, LogDamaged when it ends before that, at a second look too: a
        broker that has just started may tell an end that is too small.
        """
        end = await self.end(topic, partition)
        if known > end:
            end = await self.end(topic, partition)
        for finding in find_missing_end(topic, partition, known, end):
            raise LogDamaged(finding.of(self._settings))
        return end

    async def tail(self, topic: str, partition: int, start: int) -> AsyncIterator[Sequence[Any]]:
        """The records from ``start`` to the end at the time of the call, in batches, in order.

        Offsets below what a topic with a time limit still has are skipped. Raises
        BrokerUnavailable, LogDamaged when a record is missing or cannot be read.
        """
        client = await self._start()
        place = TopicPartition(self._settings.topic(topic), partition)
        end = await self.end(topic, partition)
        if start >= end:
            return
        self._readings += 1
        reading = self._readings
        try:
            async for records in self._read(client, place, start, end, topic):
                yield records
        finally:
            if self._readings == reading:  # one that was left early may be closed during the next
                client.pause(place)  # or it asks the broker for news many times a second

    async def _read(
        self, client: Any, place: TopicPartition, start: int, end: int, topic: str
    ) -> AsyncIterator[Sequence[Any]]:
        with broker_errors(f"reading {topic}"):
            first = (await client.beginning_offsets([place]))[place]
            if client.assignment() != {place}:
                client.assign([place])
            for finding in find_missing_start(topic, place.partition, start, first):
                raise LogDamaged(finding.of(self._settings))
            client.seek(place, max(start, first))
            client.resume(place)
            while (position := await client.position(place)) < end:
                try:
                    getmany = await client.getmany(place, timeout_ms=POLL_MS, max_records=BATCH)
                except UNREADABLE:
                    at = await _first_unreadable(client, place, position)
                    bad = broken(topic, place.partition, at)
                    raise LogDamaged(bad.of(self._settings)) from None
                records = [each for each in getmany.get(place, ()) if each.offset < end]
                for finding in holes(topic, place.partition, position, (r.offset for r in records)):
                    raise LogDamaged(finding.of(self._settings))
                if records:
                    yield records
                elif await client.position(place) == position:
                    end = min(end, await self.end(topic, place.partition))

    async def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            with broker_errors("closing"):
                await client.stop()

    async def _start(self) -> Any:
        if self._client is None:
            client = kafka.consumer(self._settings)
            with broker_errors("connecting"):
                try:
                    await client.start()
                except BaseException:
                    await client.stop()
                    raise
            self._client = client
        return self._client


async def _first_unreadable(client: Any, place: TopicPartition, start: int) -> int:
    """The first offset that cannot be read: the client gave nothing of what was in front of it."""
    client.seek(place, start)
    while True:
        try:
            if not await client.getmany(place, timeout_ms=POLL_MS, max_records=1):
                return int(await client.position(place))
        except UNREADABLE:
            return int(await client.position(place))


async def check_readable(settings: Settings, group: str, topics: Sequence[str]) -> None:
    """What the group (full name) has before it can be read. Raises LogDamaged."""
    async with kafka.running_admin(settings) as admin:
        with broker_errors("reading a group's offsets"):
            committed = await admin.list_consumer_group_offsets(group)
    reader = LogReader(settings)
    try:
        for topic in topics:
            for partition in range(settings.partitions):
                known = committed.get(TopicPartition(settings.topic(topic), partition))
                start = max(0, known.offset) if known else 0
                async for _ in reader.tail(topic, partition, start):
                    pass
    finally:
        await reader.close()
