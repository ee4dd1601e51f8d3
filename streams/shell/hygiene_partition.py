"""One partition of stage 0: what was answered last for each source, and the answers to come.

The state is folded from the commit records (``source.processed``) of the own output and kept in a
local store; a commit record names its revision as its cause, so a revision is answered once,
whatever is delivered again. An answer is made in a child, ahead, from what was last known of the
source; when another answer came in between, it is made again. Answers go out in groups: each waits
for the broker twice, whatever it holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from infra.platform import log
from infra.platform.settings import Settings
from infra.runtime.watchdog import Work
from schemas.codec import InvalidRecord
from schemas.envelope import Envelope, Event
from schemas.events.hygiene import SourceProcessed
from schemas.events.source import SourceRevised
from streams.shell.cleaning import MadeAnswer
from streams.shell.decoding import fact_in
from streams.shell.delivery import Delivery, make_unowned
from streams.shell.failures import dead_letter, failure_of
from streams.shell.log_reader import LogReader
from streams.shell.outage import is_outage
from streams.shell.publisher import LogPosition, Publisher
from streams.shell.slow_broker import outlast_slowness
from streams.shell.state_file import StateFile
from streams.shell.store import SqliteTables
from streams.stage import Table

STATE_VERSION = "1"
FOLDED_PER_COMMIT = 2_000
TURN_S = 0.005  # how long the loop is kept at most while sending
MARKER_HEADER = ("event-type", SourceProcessed.type_name.encode())

LOG = log.get("hygiene")


Keep = Callable[[str, bytes], None]
Make = Callable[[SourceProcessed | None], Awaitable[MadeAnswer]]


@dataclass
class Prepared:
    """A revision with the answer ``made`` ahead, or ``poison``; ``letter`` goes with a failure.

    The answer was made from ``previous``, the last one for the source that was known then;
    ``make`` makes it from another.
    """

    delivery: Delivery
    cause: Envelope
    revised: SourceRevised
    settled: Callable[[], None]
    previous: SourceProcessed | None = None
    make: Make | None = None
    made: MadeAnswer | None = None
    poison: str | None = None
    letter: Envelope | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a revision leads to: records to write first, then the commit record with its places."""

    cause: Envelope
    made: MadeAnswer

    def make_commit_record(self, places: Sequence[LogPosition]) -> Envelope:
        """The commit record with the places of its chunks; those of an earlier revision keep
        theirs.
        """
        where = dict(zip(self.made.chunk_ids, places, strict=True))
        chunks = [
            ref.model_copy(update={"partition": place.partition, "offset": place.offset})
            if (place := where.get(ref.chunk_id))
            else ref
            for ref in self.made.commit_record.chunks
        ]
        return self.cause.caused(self.made.commit_record.model_copy(update={"chunks": chunks}))


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
        poisoned: Callable[[SourceProcessed | None, SourceRevised, str], list[Event]],
        keep: Keep,
        done: Work,
    ) -> None:
        self._stage = stage
        self._output = output
        self._partition = partition
        self._publisher = publisher
        self._poisoned = poisoned
        self._keep = keep
        self._settings = settings
        self._done = done
        self._reader = LogReader(settings)
        self._file = StateFile(settings, stage, partition, cluster, STATE_VERSION)
        self._tables: SqliteTables
        self._processed: Table[SourceProcessed] | None = None
        self._answered: Table[int]
        self._cursor = 0

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """The store is ours and up to date for the time of the block.

        Every error of the database goes out of the block as it is; see `set_aside`.
        """
        async with self._file.lock():
            self._tables = self._file.open()
            try:
                self._processed = self._tables.table("processed", SourceProcessed)
                self._answered = self._tables.table("answered", int)
                self._cursor = self._tables.cursors().get(self._output, 0)
                await self._catch_up()
                yield
            finally:
                self._tables.close()
                await self._reader.close()

    def set_aside(self, error: sqlite3.Error) -> None:
        """The store has failed: the next time it is `opened` it is folded from offset 0."""
        self._file.set_aside(error)

    def last(self, source_id: str) -> SourceProcessed | None:
        """What was answered last for the source, as far as it is known yet.

        Nothing is while the store fails: to answer comes upon that too, and is what has it mended.
        """
        with contextlib.suppress(sqlite3.Error):
            return self._processed.get(source_id) if self._processed is not None else None
        return None

    async def answer(self, group: Sequence[Prepared]) -> None:
        """The revisions' facts are on the log, the commit records last, and in the state. Once
        each.

        ``group``: no source twice, since its second revision has to see the commit record of its
        first. Texts and chunks of all are acknowledged before the first commit record is written;
        the commit records follow in order.
        """
        answers: list[Answer] = []
        sent: list[asyncio.Future[LogPosition]] = []
        turn = time.monotonic()
        for prepared in group:
            if str(prepared.cause.event_id) in self._answered:
                continue
            answer = await self._decide(prepared)
            if prepared.letter is not None:
                await self._publisher.publish([prepared.letter])
            sent += [await self._publisher.send(each) for each in answer.made.before]
            answers.append(answer)
            if time.monotonic() - turn > TURN_S:
                await asyncio.sleep(0)
                turn = time.monotonic()
        places = await self._publisher.await_places(sent)
        self._remember_chunks(answers)
        left = iter(places)
        commit_records = [
            each.make_commit_record(list(islice(left, len(each.made.before)))) for each in answers
        ]
        ends = await self._publisher.publish(commit_records)
        for commit_record in commit_records:
            self._fold(commit_record)
        self._done.count += len(group)
        await self._move_to([*_chunk_places(answers, places), *ends])

    async def _decide(self, prepared: Prepared) -> Answer:
        """What is to be written, every record known to fit; else that the source is given up."""
        revised = prepared.revised
        assert self._processed is not None
        previous = self._processed.get(revised.source.source_id)
        if prepared.poison is None:
            assert prepared.made is not None and prepared.make is not None
            try:
                if prepared.previous != previous:
                    prepared.made = await prepared.make(previous)
                return Answer(prepared.cause, prepared.made)
            except Exception as error:
                if is_outage(error):
                    raise
                prepared.poison = failure_of(error).error
                prepared.letter = dead_letter(
                    self._stage, prepared.delivery, error, 1, prepared.cause
                )
        LOG.warning("source.given_up", place=prepared.delivery.place, reason=prepared.poison)
        [commit_record] = self._poisoned(previous, revised, prepared.poison)
        assert isinstance(commit_record, SourceProcessed)
        return Answer(prepared.cause, MadeAnswer((), (), commit_record))

    def _remember_chunks(self, answers: Sequence[Answer]) -> None:
        for made in (answer.made for answer in answers):
            for chunk_id, record in zip(made.chunk_ids, made.before, strict=True):
                if chunk_id:
                    self._keep(chunk_id, record.value)

    async def _move_to(self, written: Sequence[LogPosition]) -> None:
        """The cursor is after what was written; what others wrote in between is folded too."""
        if not written:
            return
        expected = list(range(self._cursor, self._cursor + len(written)))
        if [place.offset for place in written] == expected:
            self._cursor += len(written)
            self._tables.commit({self._output: self._cursor})
        else:
            await self._catch_up()

    async def _catch_up(self) -> None:
        """Everything on the own output is in the state. Raises BrokerUnavailable, LogDamaged."""
        await outlast_slowness(self._settings, self._read_to_end)

    async def _read_to_end(self) -> None:
        end = await self._reader.end_behind(self._output, self._partition, self._cursor)
        await self._read_tail()
        self._cursor = max(self._cursor, end)
        self._tables.commit({self._output: self._cursor})

    async def _read_tail(self) -> None:
        folded = 0
        async for batch in self._reader.tail(self._output, self._partition, self._cursor):
            for record in batch:
                if MARKER_HEADER in record.headers:
                    await self._fold_record(make_unowned(self._output, record))
                self._cursor = record.offset + 1
            folded += len(batch)
            self._done.count += len(batch)
            if folded >= FOLDED_PER_COMMIT:
                self._tables.commit({self._output: self._cursor})
                folded = 0

    async def _fold_record(self, delivery: Delivery) -> None:
        """A record that is no fact, or belongs elsewhere, is a dead letter."""
        try:
            commit_record = fact_in(delivery, self._settings.partitions, alone=True)
        except InvalidRecord as error:
            await self._publisher.publish([dead_letter(self._stage, delivery, error, 1, None)])
            LOG.warning("record.dead_lettered", stage=self._stage, place=delivery.place)
            return
        self._fold(commit_record)

    def _fold(self, commit_record: Envelope) -> None:
        cause, processed = str(commit_record.causation_id), commit_record.event
        if isinstance(processed, SourceProcessed) and cause not in self._answered:
            assert self._processed is not None
            self._answered[cause] = 1
            self._processed[processed.source.source_id] = processed


def _chunk_places(answers: Sequence[Answer], places: Sequence[LogPosition]) -> list[LogPosition]:
    """The places of those records that went to the commit records' topic."""
    before = [record for answer in answers for record in answer.made.before]
    return [
        place
        for record, place in zip(before, places, strict=True)
        if record.topic == SourceProcessed.topic
    ]
