"""Finds the ``chunk.created`` record a fact speaks of: in what was read before, or on the log."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from infra.platform import log
from infra.platform.kafka import partition_of
from infra.platform.settings import MIB, Settings
from schemas.codec import InvalidRecord, decode
from schemas.envelope import Event
from schemas.events.hygiene import ChunkCreated
from streams.shell.decoding import fact_in
from streams.shell.delivery import make_unowned
from streams.shell.log_reader import LogReader

CHUNKS = "chunk.v1"
CACHE_BYTES = 32 * MIB  # of records; the few that are read take as much again
READ_AHEAD = 64  # records; the chunks of a source are next to each other

LOG = log.get("chunks")


@dataclass
class Found:
    """The record of a chunk; most who ask hand it on unread."""

    value: bytes

    @cached_property
    def chunk(self) -> ChunkCreated:
        event = decode(self.value).event
        assert isinstance(event, ChunkCreated)
        return event


class ChunkReader:
    """A bounded cache of chunks over ``chunk.v1``; safe to ask from many tasks at once."""

    def __init__(self, settings: Settings, cache_bytes: int = CACHE_BYTES) -> None:
        self._settings = settings
        self._reader = LogReader(settings)
        self._lock = asyncio.Lock()
        self._cache: OrderedDict[str, Found] = OrderedDict()
        self._limit = cache_bytes
        self._size = 0
        self.searches = 0
        self.read = 0  # records

    async def chunk_of(self, event: Event) -> Found | None:
        """The chunk an extraction request or its result names. None when the log has no such chunk.

        The place in the event is a hint; a wrong one costs reading the source's partition from the
        start. Raises BrokerUnavailable.
        """
        named: Any = getattr(event, "reading", event)
        wanted: str = named.chunk_id
        if (found := self._find_cached(wanted)) is not None:
            return found
        async with self._lock:
            if (found := self._find_cached(wanted)) is not None:
                return found
            hint: Any = event
            if hint.chunk_partition >= 0 and hint.chunk_offset >= 0:
                found = await self._read(
                    hint.chunk_partition, hint.chunk_offset, wanted, READ_AHEAD
                )
            if found is None:
                self.searches += 1
                LOG.warning("chunk.searched", chunk_id=wanted)
                partition = partition_of(named.source_id.encode(), self._settings.partitions)
                found = await self._read(partition, 0, wanted, None)
            return found

    async def close(self) -> None:
        await self._reader.close()

    async def _read(
        self, partition: int, start: int, wanted: str, at_most: int | None
    ) -> Found | None:
        """Reads on from ``start`` until the chunk was seen, keeping what else comes."""
        seen = 0
        found: Found | None = None
        tail = self._reader.tail(CHUNKS, partition, start)
        async for batch in tail:
            for record in batch:
                chunk = self._chunk_in(record)
                if chunk is not None:
                    self.keep(chunk.chunk_id, record.value)
                    if chunk.chunk_id == wanted:
                        found = self._find_cached(wanted)
            seen += len(batch)
            self.read += len(batch)
            if found is not None or (at_most is not None and seen >= at_most):
                break
        return found

    def _chunk_in(self, record: Any) -> ChunkCreated | None:
        if ("event-type", b"chunk.created") not in record.headers:
            return None
        try:
            delivery = make_unowned(CHUNKS, record)
            event = fact_in(delivery, self._settings.partitions, alone=True).event
        except InvalidRecord:
            return None
        return event if isinstance(event, ChunkCreated) else None

    def _find_cached(self, chunk_id: str) -> Found | None:
        known = self._cache.get(chunk_id)
        if known is not None:
            self._cache.move_to_end(chunk_id)
        return known

    def keep(self, chunk_id: str, value: bytes) -> None:
        """The chunk of the record ``value`` is known without being read."""
        if chunk_id in self._cache:
            return  # the first record with an id is the fact
        self._cache[chunk_id] = Found(value)
        self._size += len(value)
        while self._size > self._limit and len(self._cache) > 1:
            self._size -= len(self._cache.popitem(last=False)[1].value)
