"""Reads pieces of the log without a group: for folding state and for finding single records."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from aiokafka.structs import TopicPartition

import infra.kafka
from infra.kafka import broker_errors
from infra.settings import Settings

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
        client = await self._started()
        place = TopicPartition(self._settings.topic(topic), partition)
        with broker_errors(f"reading the end of {topic}"):
            return int((await client.end_offsets([place]))[place])

    async def tail(self, topic: str, partition: int, start: int) -> AsyncIterator[Sequence[Any]]:
        """The records from ``start`` to the end at the time of the call, in batches, in order.

        Offsets below what the topic still has are skipped. Raises BrokerUnavailable.
        """
        client = await self._started()
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
            client.seek(place, max(start, first))
            client.resume(place)
            while (position := await client.position(place)) < end:
                found = await client.getmany(place, timeout_ms=POLL_MS, max_records=BATCH)
                records = [each for each in found.get(place, ()) if each.offset < end]
                if records:
                    yield records
                elif await client.position(place) == position:
                    end = min(end, await self.end(topic, place.partition))

    async def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            with broker_errors("closing"):
                await client.stop()

    async def _started(self) -> Any:
        if self._client is None:
            client = infra.kafka.consumer(self._settings)
            with broker_errors("connecting"):
                try:
                    await client.start()
                except BaseException:
                    await client.stop()
                    raise
            self._client = client
        return self._client
