"""The further parts of long contents, from when they come until their revision does."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from infra.platform.settings import MIB, Settings
from schemas.codec import InvalidRecord
from schemas.events.source import SourceContentPart, SourceRevised
from streams.shell.decoding import fact_in
from streams.shell.delivery import Delivery, make_unowned
from streams.shell.log_reader import LogReader

CACHE_BYTES = 64 * MIB
LOOK_BACK = 512  # records; a feeder sends a revision's parts right in front of it

Whose = tuple[str, str]  # source id, trigger key


class Parts:
    """A bounded cache over the log; safe to ask from many tasks at once."""

    def __init__(self, settings: Settings, topic: str, cache_bytes: int = CACHE_BYTES) -> None:
        self._reader = LogReader(settings)
        self._partitions = settings.partitions
        self._topic = topic
        self._limit = cache_bytes
        self._size = 0
        self._cache: OrderedDict[Whose, dict[int, SourceContentPart]] = OrderedDict()
        self._lock = asyncio.Lock()

    def keep(self, part: SourceContentPart) -> None:
        kept = self._cache.setdefault((part.source_id, part.trigger_key), {})
        if part.part_index not in kept:
            kept[part.part_index] = part
            self._size += len(part.content)
        while self._size > self._limit and len(self._cache) > 1:
            self._drop(next(iter(self._cache)))

    async def of(self, revised: SourceRevised, delivery: Delivery) -> list[SourceContentPart]:
        """The parts from 1 on, in order; fewer than announced when the log has no more.

        What is not in memory is looked for in front of the revision, further and further back.
        Raises BrokerUnavailable.
        """
        whose = (revised.source.source_id, revised.trigger_key)
        wanted = range(1, revised.part_count)
        found = dict(self._cache.get(whose, {}))
        look_back, start = LOOK_BACK, delivery.offset
        while start > 0 and any(index not in found for index in wanted):
            end, start = start, max(0, delivery.offset - look_back)
            found |= await self._read(whose, delivery.partition, start, end)
            look_back *= 8
        if whose in self._cache:
            self._drop(whose)
        return [found[index] for index in wanted if index in found]

    async def close(self) -> None:
        await self._reader.close()

    async def _read(
        self, whose: Whose, partition: int, start: int, end: int
    ) -> dict[int, SourceContentPart]:
        found: dict[int, SourceContentPart] = {}
        async with self._lock:
            async for batch in self._reader.tail(self._topic, partition, start):
                for record in batch:
                    if record.offset >= end:
                        return found
                    if record.key != whose[0].encode():
                        continue
                    try:
                        part = make_unowned(self._topic, record)
                        event = fact_in(part, self._partitions, alone=True).event
                    except InvalidRecord:
                        continue
                    if isinstance(event, SourceContentPart) and event.trigger_key == whose[1]:
                        found.setdefault(event.part_index, event)
        return found

    def _drop(self, whose: Whose) -> None:
        self._size -= sum(len(part.content) for part in self._cache.pop(whose).values())
