"""One partition of a single writer: fold, decide ahead, and make sure that nobody else wrote.

The state is the fold of the inputs and of the writer's own output, in a local store together with
the offsets folded. Up to 64 decisions are taken on the provisional state and sent
together; the offsets the broker gives to their commit records must follow the end that was known
without a gap. If they do not, another writer was there (a handover): the state is taken back, the
output is folded as it is, and everything is decided again.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from infra.platform import log
from infra.platform.settings import Settings
from infra.runtime.watchdog import Work
from schemas.codec import InvalidRecord
from schemas.envelope import Envelope
from streams.deciding import (
    WHOLE,
    Decider,
    Folder,
    FoldFailed,
    Place,
    Taken,
    settle_fold,
    version_of,
)
from streams.shell.decoding import fact_in, note_decoded
from streams.shell.delivery import Delivery, make_unowned
from streams.shell.failures import (
    RecordTooLarge,
    StageStopped,
    dead_letter,
    failure_of,
    settles,
)
from streams.shell.log_reader import LogReader
from streams.shell.outgoing import Stamped
from streams.shell.publisher import Publisher
from streams.shell.slow_broker import outlast_slowness
from streams.shell.state_file import StateFile
from streams.shell.store import SqliteTables
from streams.stage import UNKNOWN_OFFSET, Decision, Record, Requester, Writer
from streams.undecidable import OF_THE_MACHINE

DECIDED_AHEAD = 64
FOLDED_PER_COMMIT = 2_000
TURN_S = 0.02  # how long the loop is kept at most while folding
HANDOVER_TRIES = 20

LOG = log.get("writer")


class NotFoldable(Exception):
    """``evolve`` raised for a decision that is not written yet."""

    def __init__(self, error: Exception) -> None:
        super().__init__(type(error).__name__)
        self.error = error


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision as it will be written: the commit record last."""

    before: tuple[Stamped, ...]
    commit_record: Stamped


class WriterPartition:
    """The state of one writer and partition while it is assigned to this process."""

    def __init__(
        self,
        writer: Writer[Any],
        partition: int,
        settings: Settings,
        cluster: str,
        publisher: Publisher,
        done: Work,
    ) -> None:
        self._writer = writer
        self._partition = partition
        self._settings = settings
        self._publisher = publisher
        self._done = done
        self._reader = LogReader(settings)
        version = str(writer.state_version)
        self._file = StateFile(settings, writer.name, partition, cluster, version)
        self._decider, self._folder = Decider(writer), Folder(writer)
        self._tables: SqliteTables
        self._state: Any = None
        self._cursors: dict[str, int] = {}

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """The store is ours and folded up to the end of the log for the time of the block.

        Every error of the database goes out of the block as it is; see `set_aside`.
        """
        async with self._file.lock():
            left_out = self._file.drop_if_left_out(version_of(self._writer))
            self._tables = self._file.open()
            try:
                await self._catch_up()
                await self._settle_folded(left_out)
                yield
            finally:
                self._tables.close()
                await self._reader.close()

    def set_aside(self, error: sqlite3.Error) -> None:
        """The store has failed: the next time it is `opened` it is folded from offset 0."""
        self._file.set_aside(error)

    async def fold(self, deliveries: Sequence[Delivery]) -> None:
        """The records are in the state, each once, whatever was folded before."""
        try:
            for delivery in deliveries:
                if delivery.offset > self._cursors[delivery.topic]:
                    await self._catch_up_with(delivery.topic)
                await self._fold(delivery)
        except FoldFailed:
            await self._start_again()

    async def settle(self) -> bool:
        """Up to 64 decisions that are due are taken, written and committed. Raises StageStopped.

        Not all at once: what came meanwhile is folded before the next. False: nothing was due, and
        what was folded before still waits for `commit`.
        """
        for _ in range(HANDOVER_TRIES):
            decided = await self._decide()
            if not decided:
                return False
            if await self._write(decided):
                return True
            LOG.warning("writer.conflict", stage=self._writer.name, partition=self._partition)
            await self._start_again()
        raise StageStopped(
            f"{self._writer.name}: somebody else keeps writing {self._writer.output} partition"
            f" {self._partition}: see that only one worker has this group and topic prefix."
        )

    async def settle_all(self) -> None:
        """Nothing is due any more."""
        while await self.settle():
            pass

    def list_awaited(self) -> Iterable[str]:
        """What the writer has asked for and waits for, by keys."""
        return self._writer.list_awaited(self._state) if isinstance(self._writer, Requester) else ()

    async def ask_again(self, keys: Collection[str]) -> None:
        """Send the requests of these keys once more, with the same ids."""
        if isinstance(self._writer, Requester):
            await self._publisher.publish(self._writer.repeat_requests(self._state, keys))

    async def commit(self) -> None:
        """What was folded is kept over a restart."""
        self._tables.commit(self._cursors)

    async def _decide(self) -> list[Decided]:
        """Up to 64 decisions, their commit records folded as if they were written."""
        group: list[Decided] = []
        while len(group) < DECIDED_AHEAD:
            place = (self._writer.output, self._partition, self._next_offset + len(group))
            taken = self._decider.next(self._state, place)
            if taken is None:
                break
            try:
                group.append(self._take(taken))
            except RecordTooLarge as error:
                self._decider.refuse(taken, failure_of(error), for_good=True)
            except NotFoldable as error:
                self._decider.refuse(taken, failure_of(error.error))
                await self._start_again()
                group = []
            await asyncio.sleep(0)
        return group

    @property
    def _next_offset(self) -> int:
        return self._cursors[self._writer.output]

    def _take(self, taken: Taken) -> Decided:
        """The decision as it will be written, and in the state. Raises RecordTooLarge, NotFoldable.

        After NotFoldable the state has to be taken back.
        """
        if taken.rung != WHOLE:
            LOG.warning("record.undecidable", stage=self._writer.name, partition=self._partition)
        decided = self._stamp(taken.decision)
        it = decided.commit_record
        record = Record(it.topic, self._partition, UNKNOWN_OFFSET, it.value, it.envelope)
        try:
            if self._decider.is_refused(taken):
                self._folder.pass_over(self._state, record)
            else:
                self._writer.evolve(self._state, record)
        except OF_THE_MACHINE:
            raise
        except Exception as error:
            raise NotFoldable(error) from error
        return decided

    def _stamp(self, decision: Decision) -> Decided:
        *before, commit_record = (self._publisher.stamp(each) for each in decision.envelopes)
        for each in (*before, commit_record):
            note_decoded(each.value, each.envelope)
        if commit_record.topic != self._writer.output:
            raise StageStopped(
                f"{self._writer.name}: {commit_record.envelope.event.type_name} belongs to"
                f" {commit_record.topic}, the output is {self._writer.output}."
            )
        return Decided(tuple(before), commit_record)

    async def _write(self, group: Sequence[Decided]) -> bool:
        """Whether the group is on the log with nobody in between; then it is committed."""
        sent = [await self._publisher.send(each) for decided in group for each in decided.before]
        await self._publisher.await_places(sent)
        commit_records = [
            await self._publisher.send(decided.commit_record, self._partition) for decided in group
        ]
        places = await self._publisher.await_places(commit_records)
        known_end = self._cursors[self._writer.output]
        if [place.offset for place in places] != list(range(known_end, known_end + len(group))):
            return False
        self._cursors[self._writer.output] = known_end + len(group)
        self._done.count += len(group)
        self._tables.commit(self._cursors)
        return True

    async def _settle_folded(self, left_out: Sequence[Place]) -> None:
        """Tell of records that an earlier version passed over and this one has folded."""
        folded = [place for place in left_out if place not in self._folder.given_up]
        now = self._publisher.now()
        await self._publisher.publish(settle_fold(self._writer.name, it, now) for it in folded)

    async def _start_again(self) -> None:
        """Back to the last commit, and up to date again."""
        self._tables.rollback()
        await self._catch_up()

    async def _catch_up(self) -> None:
        """The state holds all that is on the log now: the own output first, then the inputs."""
        while True:
            self._state = self._writer.open(self._tables)
            topics = dict.fromkeys((self._writer.output, *self._writer.inputs))
            self._cursors = dict.fromkeys(topics, 0) | self._tables.cursors()
            try:
                for topic in topics:
                    await outlast_slowness(self._settings, partial(self._catch_up_with, topic))
                self._tables.commit(self._cursors)
                return
            except FoldFailed:
                self._tables.rollback()

    async def _catch_up_with(self, topic: str) -> None:
        start, partition = self._cursors[topic], self._partition
        # A log that has lost its end stops here, because numbers that were given would be given
        # again: not before somebody has seen it.
        end = await self._reader.end_behind(topic, partition, start)
        turn, folded = time.monotonic(), 0
        async for batch in self._reader.tail(topic, partition, start):
            for record in batch:
                await self._fold(make_unowned(topic, record))
                folded += 1
                if time.monotonic() - turn > TURN_S:
                    await asyncio.sleep(0)
                    turn = time.monotonic()
            if folded >= FOLDED_PER_COMMIT:
                self._tables.commit(self._cursors)
                folded = 0
        self._cursors[topic] = max(self._cursors[topic], end)

    async def _fold(self, delivery: Delivery) -> None:
        if delivery.offset < self._cursors[delivery.topic]:
            return
        try:
            envelope = fact_in(delivery, self._settings.partitions)
        except InvalidRecord as error:
            await self._give_up(delivery, error)
        else:
            await self._evolve(delivery, envelope)
        self._cursors[delivery.topic] = delivery.offset + 1
        self._done.count += 1

    async def _evolve(self, delivery: Delivery, envelope: Envelope) -> None:
        """The record is in the state, or passed over and told. Raises FoldFailed."""
        place, value = (delivery.topic, delivery.partition, delivery.offset), delivery.value
        letter = self._folder.fold(self._state, Record(*place, value, envelope))
        told = [letter] if letter else []
        if letter:
            self._tables.note_left_out(*place, version_of(self._writer))
            LOG.warning("record.skipped", stage=self._writer.name, place=delivery.place)
        if told := [*told, *settles(delivery, self._writer.name, envelope)]:
            await self._publisher.publish(told)

    async def _give_up(self, delivery: Delivery, error: InvalidRecord) -> None:
        """The bytes are no fact: they are a dead letter, and skipped."""
        letter = dead_letter(self._writer.name, delivery, error, 1, None)
        await self._publisher.publish([letter])
        LOG.warning("record.dead_lettered", stage=self._writer.name, place=delivery.place)
