"""One partition of stage 0: what was answered last for each source, and the answers to come.

The state is folded from the markers (``source.processed``) of the own output and kept in a local
store; a marker names its revision as its cause, so a revision is answered once, whatever is
delivered again.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra import log
from infra.settings import Settings
from schemas.codec import InvalidRecord, decode
from schemas.envelope import Envelope, Event
from schemas.events.hygiene import ChunkCreated, SourceProcessed
from schemas.events.source import SourceRevised
from streams.shell.delivery import Delivery
from streams.shell.failures import StageStopped, dead_letter, failure_of
from streams.shell.log_reader import LogReader
from streams.shell.publisher import Place, Publisher
from streams.shell.store import SqliteTables, locked, open_tables, remove
from streams.stage import Table

STATE_VERSION = "1"
FOLDED_PER_COMMIT = 2_000
MARKER_HEADER = ("event-type", SourceProcessed.type_name.encode())

LOG = log.get("hygiene")


@dataclass
class Prepared:
    """A revision whose content was cleaned, or is ``poison``; ``letter`` goes with a failure."""

    delivery: Delivery
    cause: Envelope
    revised: SourceRevised
    settled: Callable[[], None]
    cleaned: Any = None
    poison: str | None = None
    letter: Envelope | None = None


class HygienePartition:
    """The state of stage 0 for one partition while it is assigned to this process."""

    def __init__(
        self,
        stage: str,
        output: str,
        partition: int,
        settings: Settings,
        cluster: str,
        publisher: Publisher,
        decide: Callable[[SourceProcessed | None, SourceRevised, Any], list[Event]],
        poisoned: Callable[[SourceProcessed | None, SourceRevised, str], list[Event]],
    ) -> None:
        self._stage = stage
        self._output = output
        self._partition = partition
        self._publisher = publisher
        self._decide = decide
        self._poisoned = poisoned
        self._reader = LogReader(settings)
        self._path = Path(settings.home) / "state" / stage / f"{partition}.sqlite"
        self._identity = {
            "cluster": cluster,
            "prefix": settings.topic_prefix,
            "stage": stage,
            "partition": str(partition),
            "state": STATE_VERSION,
        }
        self._tables: SqliteTables
        self._processed: Table[SourceProcessed]
        self._answered: Table[int]
        self._cursor = 0

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """The store is ours and up to date for the time of the block."""
        async with locked(self._path.with_suffix(".lock")):
            self._open()
            try:
                await self._catch_up()
                yield
            finally:
                self._tables.close()
                await self._reader.close()

    async def answer(self, prepared: Prepared) -> None:
        """The revision's facts are on the log, the marker last, and in the state. Once each."""
        cause = prepared.cause
        if str(cause.event_id) in self._answered:
            return
        facts = self._facts(prepared)
        if prepared.letter is not None:
            await self._publisher.publish([prepared.letter])
        *before, marker = facts
        places = await self._publisher.publish([cause.caused(fact) for fact in before])
        assert isinstance(marker, SourceProcessed)
        placed = cause.caused(_with_places(marker, before, places))
        [at] = await self._publisher.publish([placed])
        self._fold(placed)
        await self._move_to(at, [*_chunk_places(before, places), at])

    def _facts(self, prepared: Prepared) -> Sequence[Event]:
        """What is to be written, every record known to fit; else that the source is given up."""
        revised = prepared.revised
        previous = self._processed.get(revised.source.source_id)
        if prepared.poison is None:
            try:
                facts = self._decide(previous, revised, prepared.cleaned)
                for fact in facts:
                    self._publisher.stamp(prepared.cause.caused(fact))
                return facts
            except sqlite3.Error:
                raise
            except Exception as error:
                prepared.poison = failure_of(error).error
                prepared.letter = dead_letter(
                    self._stage, prepared.delivery, error, 1, prepared.cause
                )
        LOG.warning("source.given_up", place=prepared.delivery.place, reason=prepared.poison)
        return self._poisoned(previous, revised, prepared.poison)

    async def _move_to(self, marker: Place, written: Sequence[Place]) -> None:
        """The cursor is after the marker; what others wrote in between is folded too."""
        expected = list(range(self._cursor, self._cursor + len(written)))
        if [place.offset for place in written] == expected:
            self._cursor = marker.offset + 1
            self._tables.commit({self._output: self._cursor})
        else:
            await self._catch_up()

    def _open(self) -> None:
        self._tables = open_tables(self._path, self._identity)
        self._processed = self._tables.table("processed", SourceProcessed)
        self._answered = self._tables.table("answered", int)
        self._cursor = self._tables.cursors().get(self._output, 0)

    async def _catch_up(self) -> None:
        """Everything on the own output is in the state. Raises BrokerUnavailable, StageStopped."""
        for _ in range(2):
            end = await self._reader.end(self._output, self._partition)
            try:
                if self._cursor <= end:
                    await self._read_tail()
                    self._cursor = max(self._cursor, end)
                    self._tables.commit({self._output: self._cursor})
                    return
            except sqlite3.Error:
                LOG.warning("store.refolded", stage=self._stage, partition=self._partition)
            self._tables.close()
            remove(self._path)
            self._open()
        raise StageStopped(f"The state file {self._path} cannot be used: check its disk.")

    async def _read_tail(self) -> None:
        folded = 0
        async for batch in self._reader.tail(self._output, self._partition, self._cursor):
            for record in batch:
                if MARKER_HEADER in record.headers:
                    with contextlib.suppress(InvalidRecord):
                        self._fold(decode(record.value))
                self._cursor = record.offset + 1
            folded += len(batch)
            if folded >= FOLDED_PER_COMMIT:
                self._tables.commit({self._output: self._cursor})
                folded = 0

    def _fold(self, marker: Envelope) -> None:
        cause, processed = str(marker.causation_id), marker.event
        if isinstance(processed, SourceProcessed) and cause not in self._answered:
            self._answered[cause] = 1
            self._processed[processed.source.source_id] = processed


def _chunk_places(facts: Sequence[Event], places: Sequence[Place]) -> list[Place]:
    """The places of those facts that went to the marker's topic."""
    return [
        place
        for fact, place in zip(facts, places, strict=True)
        if fact.topic == SourceProcessed.topic
    ]


def _with_places(
    marker: SourceProcessed, facts: Sequence[Event], places: Sequence[Place]
) -> SourceProcessed:
    """The marker with where its chunks stand; those of an earlier revision keep their places."""
    where = {
        fact.chunk_id: place
        for fact, place in zip(facts, places, strict=True)
        if isinstance(fact, ChunkCreated)
    }
    chunks = [
        ref.model_copy(
            update={
                "partition": where[ref.chunk_id].partition,
                "offset": where[ref.chunk_id].offset,
            }
        )
        if ref.chunk_id in where
        else ref
        for ref in marker.chunks
    ]
    return marker.model_copy(update={"chunks": chunks})
