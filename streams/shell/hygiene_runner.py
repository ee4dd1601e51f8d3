"""Runs stage 0: contents are collected, opened and cleaned side by side, answered in record order.

Cleaning is heavy, so a child makes the answer ahead, bytes and all; it compares with the last
answer for the source, so sending follows the records of a partition one by one. Content parts
are acknowledged when they come: a revision whose parts were read by an earlier process finds them
on the log, in front of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from infra import log
from infra.errors import Unavailable, Undecryptable
from infra.settings import MIB, Settings
from schemas.codec import InvalidRecord, decode
from schemas.envelope import Envelope, Event
from schemas.events.hygiene import SourceProcessed
from schemas.events.source import SourceContentPart, SourceRevised
from schemas.ids import sha256_hex
from streams.shell.cleaning import Clean, Decide, Made, made_of
from streams.shell.content import Parts
from streams.shell.delivery import Delivery, Progress
from streams.shell.failures import BACK_OFF_S, TRIES, dead_letter, failure_of, patiently
from streams.shell.hygiene_partition import HygienePartition, Keep, Make, Prepared
from streams.shell.partitions import AssignedPartitions
from streams.shell.pool import ChildPool, Pools
from streams.shell.preview_first import PreviewFirst
from streams.shell.publisher import Publisher

PER_CHILD = 8  # revisions under way for each child
ANSWERED_AT_ONCE = 64  # revisions
ANSWERED_BYTES = 4 * MIB  # of their contents
OPENED_IN_LOOP_BYTES = 128 * 1024  # cheaper than the way to a thread and back
HELD = 1_024  # records that wait for an unfinished one before them

LOG = log.get("hygiene")


@dataclass(frozen=True)
class Hygiene:
    """Stage 0's functions (``streams.hygiene.stage``) and who opens contents (`Vault.decrypt`)."""

    clean: Clean
    decide: Decide
    poisoned: Callable[[SourceProcessed | None, SourceRevised, str], list[Event]]
    decrypt: Callable[[str, bytes], bytes]
    name: str = "hygiene"
    input: str = "source.v1"
    output: str = "chunk.v1"


class ContentMismatch(Exception):
    """The bytes are not what ``source.revised`` says; the message says in which way."""


class HygieneRunner(AssignedPartitions[HygienePartition, asyncio.Task[Prepared]]):
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
        self._opened_with: set[str] = set()  # keys of subjects
        self._under_way = asyncio.Semaphore(pools.deep.size * PER_CHILD)
        self._preparing: set[asyncio.Task[Prepared]] = set()

    @property
    def topics(self) -> tuple[str, ...]:
        return (self._hygiene.input,)

    async def revoked(self, partitions: set[int]) -> None:
        """Also what is being prepared ends; the log gives it to whoever has the partition then."""
        for task in self._preparing:
            task.cancel()
        await super().revoked(partitions)
        await asyncio.gather(*self._preparing, return_exceptions=True)
        self._progress.forget()
        self._moved.set()

    async def close(self) -> None:
        await super().close()
        await self._parts.close()

    async def take(self, delivery: Delivery) -> None:
        """The record is under way; returns when there is room for another."""
        while self._progress.count > HELD:
            self._moved.clear()
            await self._moved.wait()
        running = self._running.get(delivery.partition)
        if running is None:
            return
        try:
            envelope = decode(delivery.value)
        except InvalidRecord as error:
            held = self._progress.begin(delivery)
            letter = dead_letter(self._hygiene.name, delivery, error, 1, None)
            await self._publisher.publish([letter])
            self._progress.finish(held)
            return
        match envelope.event:
            case SourceContentPart() as part:
                self._parts.keep(part)
                self._progress.finish(self._progress.begin(delivery))
            case SourceRevised(trigger_key=trigger_key, source=source):
                first = await self._preview_first.give_way(
                    envelope.project_id, trigger_key, source.priority_tier
                )
                await self._under_way.acquire()
                if self._running.get(delivery.partition) is not running:  # revoked meanwhile
                    self._under_way.release()
                    return
                await running.waiting.put(
                    self._prepare(delivery, envelope, running.partition, self._pool_for(first))
                )
            case _:
                self._progress.finish(self._progress.begin(delivery))

    def _pool_for(self, first: bool) -> ChildPool:
        """What a preview begins with does not stand behind what others read."""
        return self._pools.preview if first and self._pools.deep.is_busy else self._pools.deep

    def _prepare(
        self, delivery: Delivery, envelope: Envelope, partition: HygienePartition, pool: ChildPool
    ) -> asyncio.Task[Prepared]:
        held = self._progress.begin(delivery)

        def settled() -> None:
            self._progress.finish(held)
            self._moved.set()

        def ended(task: asyncio.Task[Prepared]) -> None:
            self._preparing.discard(task)
            self._under_way.release()

        task = asyncio.create_task(self._prepared(delivery, envelope, partition, pool, settled))
        self._preparing.add(task)
        task.add_done_callback(ended)
        return task

    async def _prepared(
        self,
        delivery: Delivery,
        envelope: Envelope,
        partition: HygienePartition,
        pool: ChildPool,
        settled: Callable[[], None],
    ) -> Prepared:
        """The revision with its answer, or with the reason why it has none."""
        revised = envelope.event
        assert isinstance(revised, SourceRevised)
        structlog.contextvars.bind_contextvars(
            stage=self._hygiene.name, place=delivery.place, correlation_id=envelope.correlation_id
        )
        previous = partition.last(revised.source.source_id)
        found = Prepared(delivery, envelope, revised, settled, previous)
        for attempt in range(1, TRIES + 1):
            try:
                found.make = self._making(delivery, await self._content(delivery, revised), pool)
                found.made = await found.make(previous)
                return found
            except Unavailable:
                raise
            except (ContentMismatch, Undecryptable) as error:
                found.poison = str(error) or type(error).__name__
                return found
            except Exception as error:
                if attempt == TRIES:
                    found.poison = failure_of(error).error
                    found.letter = dead_letter(
                        self._hygiene.name, delivery, error, attempt, envelope
                    )
                    return found
            await asyncio.sleep(BACK_OFF_S * 2 ** (attempt - 1))
        raise AssertionError("unreachable: the last try returns")

    def _making(self, delivery: Delivery, content: bytes, pool: ChildPool) -> Make:
        async def make(previous: SourceProcessed | None) -> Made:
            return await pool.run(
                made_of,
                self._hygiene.clean,
                self._hygiene.decide,
                delivery.value,
                content,
                previous,
                self._publisher.now(),
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
        content = b"".join([await self._opened(key_id, each) for key_id, each in sealed])
        if len(content) != revised.byte_count:
            raise ContentMismatch(f"{len(content)} bytes, {revised.byte_count} were announced")
        if sha256_hex(content) != revised.raw_sha256:
            raise ContentMismatch("the bytes do not match raw_sha256")
        return content

    async def _opened(self, key_id: str, sealed: bytes) -> bytes:
        """In a thread while the key may have to be fetched, or when it takes long."""
        if key_id in self._opened_with and len(sealed) <= OPENED_IN_LOOP_BYTES:
            return self._hygiene.decrypt(key_id, sealed)

        async def decrypted() -> bytes:
            return await asyncio.to_thread(self._hygiene.decrypt, key_id, sealed)

        content = await patiently(decrypted, self._settings.request_timeout_s)
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
        )

    async def _work(
        self,
        partition: HygienePartition,
        waiting: asyncio.Queue[asyncio.Task[Prepared]],
        caught_up: asyncio.Event,
    ) -> None:
        async with partition.opened():
            caught_up.set()
            next_task: asyncio.Task[Prepared] | None = None
            while True:
                first = await (next_task or await waiting.get())
                group, next_task = _with_ready_ones(first, waiting)
                await partition.answer(group)
                for prepared in group:
                    prepared.settled()


def _with_ready_ones(
    first: Prepared, waiting: asyncio.Queue[asyncio.Task[Prepared]]
) -> tuple[list[Prepared], asyncio.Task[Prepared] | None]:
    """``first`` with those behind it that are prepared too, and who comes after them, if known."""
    group, size = [first], first.revised.byte_count
    while len(group) < ANSWERED_AT_ONCE and size < ANSWERED_BYTES and not waiting.empty():
        task = waiting.get_nowait()
        if not task.done():
            return group, task
        group.append(task.result())
        size += group[-1].revised.byte_count
    return group, None
