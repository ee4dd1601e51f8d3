"""Runs stage 0: contents are collected, opened and cleaned side by side, answered as they are made.

Cleaning is heavy, so a child makes the answer ahead, bytes and all; it compares with the last
answer for the source, so the revisions of one source go one by one. Otherwise the order of the log
decides nothing: projects take turns, so that nobody's README waits behind another's backlog, and
what previews read has turns of its own. Offsets are acknowledged in order. Content parts are
acknowledged when they come: a revision whose parts were read by an earlier process finds them on
the log, in front of it.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial

import structlog

from infra.platform import log
from infra.platform.errors import Undecryptable
from infra.platform.settings import MIB, Settings
from schemas.codec import InvalidRecord
from schemas.envelope import Envelope, Event
from schemas.events.hygiene import SourceProcessed
from schemas.events.source import SourceContentPart, SourceRevised
from schemas.ids import sha256_hex
from streams.shell.cleaning import Clean, Decide, MadeAnswer, make_answer
from streams.shell.content import Parts
from streams.shell.decoding import fact_in
from streams.shell.delivery import Delivery, DeliveryInWork, Progress
from streams.shell.failures import BACK_OFF_S, dead_letter, failure_of, patiently
from streams.shell.fair_queue import FairQueue, OneByOne
from streams.shell.hygiene_partition import HygienePartition, Keep, Make, Prepared
from streams.shell.in_part import find_in_part
from streams.shell.outage import is_outage
from streams.shell.partitions import AssignedPartitions, Running
from streams.shell.pool import JOB_TIMEOUT_S, ChildDied, ChildPool, JobTimedOut, Pools
from streams.shell.preview_first import PREVIEW_TIER, PreviewFirst
from streams.shell.publisher import Publisher
from streams.undecidable import TRIES

PER_CHILD = 8  # revisions under way for each child
ANSWERED_AT_ONCE = 64  # revisions
ANSWERED_BYTES = 4 * MIB  # of their contents
OPENED_IN_LOOP_BYTES = 128 * 1024  # cheaper than the way to a thread and back
HELD = 1_024  # records that were read ahead, or wait for an unfinished one before them
AHEAD_BYTES = 16 * MIB  # of records that were read ahead

LOG = log.get("hygiene")


@dataclass(frozen=True)
class Hygiene:
    """Stage 0's functions (``streams.hygiene.stage``) and who opens contents (`Vault.decrypt`).

    ``limit_s``: how long a revision may be worked on before parts of it are left out.
    """

    clean: Clean
    decide: Decide
    poisoned: Callable[[SourceProcessed | None, SourceRevised, str], list[Event]]
    decrypt: Callable[[str, bytes], bytes]
    name: str = "hygiene"
    input: str = "source.v1"
    output: str = "chunk.v1"
    limit_s: float = JOB_TIMEOUT_S


class ContentMismatch(Exception):
    """The bytes are not what ``source.revised`` says; the message says in which way."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A ``source.revised`` that waits or is in work; ``first``: a preview begins with it."""

    held: DeliveryInWork
    envelope: Envelope
    revised: SourceRevised
    running: Running[HygienePartition, Prepared]
    first: bool


class HygieneRunner(AssignedPartitions[HygienePartition, Prepared]):
    """Feeds stage 0 and writes what it answers; what fails for good goes to ``failed``."""

    def __init__(
        self,
        hygiene: Hygiene,
        settings: Settings,
        cluster: str,
        publisher: Publisher,
        pools: Pools,
        keep: Keep,
        preview_first: PreviewFirst,
        failed: Callable[[BaseException], None],
    ) -> None:
        super().__init__(hygiene.name, 0, failed)
        self._hygiene = hygiene
        self._settings = settings
        self._cluster = cluster
        self._publisher = publisher
        self._pools = pools
        self._keep = keep
        self._preview_first = preview_first
        self._parts = Parts(settings, hygiene.input)
        self._progress = Progress()
        self._moved = asyncio.Event()
        self._ahead_bytes = 0
        self._opened_with: set[str] = set()  # keys of subjects
        self._sources: OneByOne[Revision] = OneByOne()
        self._ahead: FairQueue[Revision] = FairQueue()
        self._rest: FairQueue[Revision] = FairQueue()
        self._preparing: set[asyncio.Task[None]] = set()
        self._in_turn: list[asyncio.Task[None]] = []

    @property
    def topics(self) -> tuple[str, ...]:
        return (self._hygiene.input,)

    def worked(self) -> object:
        return super().worked(), self._pools.deep.work, self._pools.preview.work

    async def assign(self, partitions: set[int]) -> None:
        await super().assign(partitions)
        if not self._in_turn:
            begin = (self._begin_ahead(), self._begin_rest())
            self._in_turn = [asyncio.create_task(self._for_good(each)) for each in begin]

    async def revoke(self, partitions: set[int]) -> None:
        """Also what is being prepared ends; the log gives it to whoever has the partition then."""
        for task in self._preparing:
            task.cancel()
        await super().revoke(partitions)
        await asyncio.gather(*self._preparing, return_exceptions=True)
        self._progress.forget()
        for each in (self._sources, self._ahead, self._rest):
            each.forget()
        self._ahead_bytes = 0
        self._moved.set()

    async def close(self) -> None:
        for task in self._in_turn:
            task.cancel()
        await super().close()
        await self._parts.close()

    async def take(self, delivery: Delivery) -> None:
        """The record waits for its turn; returns when there is room for another."""
        while self._progress.count > HELD or self._ahead_bytes > AHEAD_BYTES:
            self._moved.clear()
            await self._moved.wait()
        running = self._running.get(delivery.partition)
        if running is None:
            return
        held = self._progress.begin(delivery)
        try:
            envelope = fact_in(delivery, self._settings.partitions, alone=True)
        except InvalidRecord as error:
            letter = dead_letter(self._hygiene.name, delivery, error, 1, None)
            await self._publisher.publish([letter])
            self._progress.finish(held)
            return
        match envelope.event:
            case SourceContentPart() as part:
                self._parts.keep(part)
                self._progress.finish(held)
            case SourceRevised() as revised:
                self._ahead_bytes += len(delivery.value)
                first = self._preview_first.came(envelope.project_id, revised.trigger_key)
                revision = Revision(held, envelope, revised, running, first)
                if self._sources.is_free(revised.source.source_id, revision):
                    self._stand(revision)
            case _:
                self._progress.finish(held)

    def _stand(self, revision: Revision) -> None:
        """No other revision of the source is in work: this one waits for its turn."""
        project, revised = revision.envelope.project_id, revision.revised
        read_by_previews = revision.first or (
            revised.source.priority_tier == PREVIEW_TIER
            and self._preview_first.is_expected(project, revised.trigger_key)
        )
        turns = self._ahead if read_by_previews else self._rest
        # By partition, too: in each the listing's order holds, and a preview waits for its first.
        line = f"{project}|{revision.held.delivery.partition}"
        turns.wait(line, revision)

    async def _for_good(self, beginning: Coroutine[None, None, None]) -> None:
        """Ends with the runner; without it nothing more would begin."""
        try:
            await beginning
        except Exception as error:
            self._failed(error)

    async def _begin_ahead(self) -> None:
        """What previews read; until it is made other work gives way."""
        under_way = asyncio.Semaphore(PER_CHILD)
        while True:
            await under_way.acquire()
            revision = await self._ahead.next()
            project = revision.envelope.project_id
            self._preview_first.begin(project)

            def end(project: str = project) -> None:
                self._preview_first.end(project)
                under_way.release()

            self._begin(revision, self._pool_for(revision), end)

    def _pool_for(self, revision: Revision) -> ChildPool:
        """Who makes what previews read: not those of lower priority while there is other work,
        which would let them wait.
        """
        deep, preview = self._pools.deep, self._pools.preview
        shared = deep.is_busy or self._preview_first.shares(revision.envelope.project_id)
        return preview if shared or (revision.first and not preview.is_busy) else deep

    async def _begin_rest(self) -> None:
        under_way = asyncio.Semaphore(self._pools.deep.size * PER_CHILD)
        while True:
            await under_way.acquire()
            revision = await self._rest.next()
            await self._preview_first.give_way(
                revision.envelope.project_id, revision.revised.trigger_key
            )
            self._begin(revision, self._pools.deep, under_way.release)

    def _begin(self, revision: Revision, pool: ChildPool, ended: Callable[[], None]) -> None:
        if self._running.get(revision.held.delivery.partition) is not revision.running:
            ended()  # revoked meanwhile
            return
        task = asyncio.create_task(self._prepare(revision, pool))
        self._preparing.add(task)
        # Not in the task: cancelled before its first step it would run nothing.
        task.add_done_callback(self._preparing.discard)
        task.add_done_callback(lambda _: ended())

    async def _prepare(self, revision: Revision, pool: ChildPool) -> None:
        try:
            prepared = await self._compute(revision, pool)
        except Exception as error:
            self._failed(error)
        else:
            revision.running.waiting.put_nowait(prepared)

    def _settle(self, revision: Revision) -> None:
        self._progress.finish(revision.held)
        self._ahead_bytes -= len(revision.held.delivery.value)
        self._moved.set()
        following = self._sources.settle(revision.revised.source.source_id)
        if following is not None:
            self._stand(following)

    async def _compute(self, revision: Revision, pool: ChildPool) -> Prepared:
        """The revision with its answer, or with the reason why it has none."""
        delivery, envelope, revised = revision.held.delivery, revision.envelope, revision.revised
        structlog.contextvars.bind_contextvars(
            stage=self._hygiene.name, place=delivery.place, correlation_id=envelope.correlation_id
        )
        previous = revision.running.partition.last(revised.source.source_id)
        settled = partial(self._settle, revision)
        prepared = Prepared(delivery, envelope, revised, settled, previous)
        for attempt in range(1, TRIES + 1):
            try:
                await self._make(prepared, await self._content(delivery, revised), pool, attempt)
                return prepared
            except (ContentMismatch, Undecryptable) as error:
                prepared.poison = str(error) or type(error).__name__
                return prepared
            except Exception as error:
                if is_outage(error):
                    raise
                if attempt == TRIES or isinstance(error, JobTimedOut):
                    prepared.poison = failure_of(error).error
                    prepared.letter = dead_letter(
                        self._hygiene.name, delivery, error, attempt, envelope
                    )
                    return prepared
            await asyncio.sleep(BACK_OFF_S * 2 ** (attempt - 1))
        raise AssertionError("unreachable: the last try returns")

    async def _make(
        self, prepared: Prepared, content: bytes, pool: ChildPool, attempt: int
    ) -> None:
        """The answer to the whole text, or to what of it does not take too long.

        A child that died may have died of something else: that is tried again before.
        """
        clean, delivery = self._hygiene.clean, prepared.delivery
        try:
            prepared.make = self._make_with(clean, delivery, content, pool)
            prepared.made = await prepared.make(prepared.previous)
        except (JobTimedOut, ChildDied) as error:
            if isinstance(error, ChildDied) and attempt < TRIES:
                raise
            in_part = await find_in_part(
                pool, clean, prepared.revised, content, error, self._hygiene.limit_s
            )
            if in_part is None:
                raise
            prepared.make = self._make_with(in_part.clean, delivery, content, pool)
            prepared.made = await prepared.make(prepared.previous)
            prepared.letter = dead_letter(
                self._hygiene.name, delivery, in_part.failure, attempt, prepared.cause
            )
            LOG.warning("source.partly_skipped", place=delivery.place)

    def _make_with(self, clean: Clean, delivery: Delivery, content: bytes, pool: ChildPool) -> Make:
        async def make(previous: SourceProcessed | None) -> MadeAnswer:
            return await pool.run(
                make_answer,
                clean,
                self._hygiene.decide,
                delivery.value,
                content,
                previous,
                self._publisher.now(),
                limit_s=self._hygiene.limit_s,
            )

        return make

    async def _content(self, delivery: Delivery, revised: SourceRevised) -> bytes:
        """The revision's bytes in clear. Raises ContentMismatch, Undecryptable."""
        sealed = [(revised.key_id, revised.content)]
        if revised.part_count > 1:
            parts = await self._parts.of(revised, delivery)
            if len(parts) != revised.part_count - 1:
                raise ContentMismatch(
                    f"{len(parts) + 1} of {revised.part_count} parts are on the log"
                )
            sealed += [(part.key_id, part.content) for part in parts]
        content = b"".join([await self._decrypt(key_id, each) for key_id, each in sealed])
        if len(content) != revised.byte_count:
            raise ContentMismatch(f"{len(content)} bytes, {revised.byte_count} were announced")
        if revised.unread is None and sha256_hex(content) != revised.raw_sha256:
            raise ContentMismatch("the bytes do not match raw_sha256")
        return content

    async def _decrypt(self, key_id: str, sealed: bytes) -> bytes:
        """In a thread while the key may have to be fetched, or when it takes long."""
        in_loop = key_id in self._opened_with and len(sealed) <= OPENED_IN_LOOP_BYTES

        async def decrypt() -> bytes:
            if in_loop:
                return self._hygiene.decrypt(key_id, sealed)
            return await asyncio.to_thread(self._hygiene.decrypt, key_id, sealed)

        content = await patiently(decrypt, self._settings.request_timeout_s)
        self._opened_with.add(key_id)
        return content

    def _open(self, number: int) -> HygienePartition:
        return HygienePartition(
            self._hygiene.name,
            self._hygiene.output,
            number,
            self._settings,
            self._cluster,
            self._publisher,
            self._hygiene.poisoned,
            self._keep,
            self._done,
        )

    async def _work(
        self,
        partition: HygienePartition,
        waiting: asyncio.Queue[Prepared],
        caught_up: asyncio.Event,
    ) -> None:
        group: list[Prepared] = []  # and not answered
        while True:
            try:
                async with partition.open():
                    caught_up.set()
                    while True:
                        group = group or _with_ready_ones(await waiting.get(), waiting)
                        await partition.answer(group)
                        for prepared in group:
                            prepared.settled()
                        group = []
            except sqlite3.Error as error:
                partition.set_aside(error)


def _with_ready_ones(first: Prepared, waiting: asyncio.Queue[Prepared]) -> list[Prepared]:
    """``first`` with those that are prepared too."""
    group, size = [first], first.revised.byte_count
    while len(group) < ANSWERED_AT_ONCE and size < ANSWERED_BYTES and not waiting.empty():
        group.append(waiting.get_nowait())
        size += group[-1].revised.byte_count
    return group
