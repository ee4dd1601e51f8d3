"""Runs a stage without state: a sliding window of records, acknowledged in offset order.

A step that computes in the loop writes its outputs in the order of its inputs; one that computes in
children, or reads chunks, writes them as they come (its readers wait for their turn).

What a model is asked for goes to an ``Asker``; what it does not answer is computed as ever.

Where this process also runs the step that answers the outputs (``Step.then``), for that partition,
the child is asked for both answers, and the other step passes over the records it is told of. It
forgets them with the process: a record whose cause was not acknowledged is written again, answer
and all, so what is passed over always has its answer; one too many is the same fact again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial

import structlog

from infra.platform import log
from infra.runtime.watchdog import Work
from schemas.codec import InvalidRecord
from schemas.envelope import Envelope, Event
from schemas.ids import sha256_hex
from streams.deciding import answer_without
from streams.shell.askers import Asker
from streams.shell.chunks import ChunkReader, Found
from streams.shell.decoding import fact_in
from streams.shell.delivery import Delivery, DeliveryInWork, Progress
from streams.shell.failures import (
    BACK_OFF_S,
    ChildFailed,
    RecordTooLarge,
    dead_letter,
    failure_of,
    retried_letter,
    settles,
)
from streams.shell.outage import is_outage
from streams.shell.outgoing import Outgoing, answers_to
from streams.shell.pool import Pools
from streams.shell.preview_first import PreviewFirst
from streams.shell.publisher import LogPosition, Publisher
from streams.stage import Step
from streams.undecidable import TRIES

IN_LOOP = 256  # records under way when the loop computes
PER_CHILD = 16  # records under way for each child: some computed, the others read or written
ANSWERED = 8_192  # records of which it is remembered that their answer was written with them
HELD_FACTOR = 8  # finished records behind an unfinished one, per record under way

LOG = log.get("step")


@dataclass(frozen=True, slots=True)
class Written:
    """A record whose outputs are on their way to the broker."""

    held: DeliveryInWork
    sent: list[asyncio.Future[LogPosition]]


class StepRunner:
    """Feeds a `Step` and writes what it answers; what fails for good goes to ``failed``."""

    def __init__(
        self,
        step: Step,
        publisher: Publisher,
        chunks: ChunkReader,
        pools: Pools,
        preview_first: PreviewFirst,
        failed: Callable[[BaseException], None],
        partitions: int,
        then: StepRunner | None = None,
        asker: Asker | None = None,
    ) -> None:
        """``partitions``: how many every topic has; ``asker`` answers what a model is asked for."""
        self._step = step
        self._partition_count = partitions
        self._then = then
        self._asker = asker
        self._alone = partial(answers_to, step.handle, None)
        self._with_answers = partial(answers_to, step.handle, then._step.handle if then else None)
        self._partitions: set[int] = set()
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._publisher = publisher
        self._chunks = chunks
        self._failed = failed
        self._preview_first = preview_first
        self._pool = {"loop": None, "child": pools.deep, "preview_child": pools.preview}[step.place]
        self._in_order = self._pool is None and not step.with_chunk and asker is None
        self._window = self._pool.size * PER_CHILD if self._pool else IN_LOOP
        self._window = max(self._window, asker.window if asker else 0)
        self._under_way = asyncio.Semaphore(self._window)
        self._progress = Progress()
        self._moved = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._follower: asyncio.Task[None] | None = None
        self._written: asyncio.Queue[Written] = asyncio.Queue(self._window)
        self._assigned = asyncio.Event()
        self._done = Work()

    def worked(self) -> object:
        """Another value whenever something was done."""
        asked = self._asker.work if self._asker else 0
        return self._done.count, self._pool and self._pool.work, self._chunks.read, asked

    @property
    def topics(self) -> tuple[str, ...]:
        return self._step.inputs

    async def assign(self, partitions: set[int]) -> None:
        if self._follower is None or self._follower.done():
            self._follower = self._start(self._follow())
        self._partitions |= partitions
        self._assigned.set()

    async def revoke(self, partitions: set[int]) -> None:
        """Nothing more is written for what was handed out; its next owner does it again."""
        self._partitions -= partitions
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        while not self._written.empty():
            self._written.get_nowait()
        self._progress.forget()
        self._moved.set()

    async def ready(self) -> None:
        await self._assigned.wait()

    async def close(self) -> None:
        await self.revoke(set())
        if self._asker:
            await self._asker.close()

    async def take(self, delivery: Delivery) -> None:
        """The record is under way; returns when there is room for another.

        Raises BrokerUnavailable.
        """
        while self._progress.count > self._window * HELD_FACTOR:
            self._moved.clear()
            await self._moved.wait()
        if self._is_passed_over(delivery):
            self._progress.finish(self._progress.begin(delivery))
            self._done.count += 1
            return
        if self._in_order:
            held = self._progress.begin(delivery)
            await self._written.put(Written(held, await self._send(delivery)))
            return
        project = _header(delivery, "project-id")
        if self._step.place == "child":
            await self._preview_first.give_way_to_others(project)
        await self._under_way.acquire()
        task = self._start(self._write(self._progress.begin(delivery)))
        if self._step.place == "preview_child":
            self._preview_first.reads(project)
        # Not in the task: cancelled before its first step it would run nothing.
        task.add_done_callback(lambda ended: self._end(project))

    def _is_passed_over(self, delivery: Delivery) -> bool:
        """Whether the record is no concern of the step, by header or age, or answered already."""
        within = self._step.within
        if within is not None and self._publisher.now() - delivery.at > within:
            return True
        if only := self._step.only:
            kind = _header(delivery, "event-type")
            return bool(kind) and kind not in only
        return bool(self._answered) and sha256_hex(delivery.value) in self._answered

    def reads(self, partition: int) -> bool:
        """Whether the records of the partition come to this process."""
        return partition in self._partitions

    def note_answered(self, value: bytes) -> None:
        """The answer to the record is written by whoever writes the record."""
        self._answered[sha256_hex(value)] = None
        if len(self._answered) > ANSWERED:
            self._answered.popitem(last=False)

    def _end(self, project: str) -> None:
        self._under_way.release()
        if self._step.place == "preview_child":
            self._preview_first.end(project)

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _follow(self) -> None:
        """Acknowledges what was written, in the order of writing, as the broker's answers come."""
        try:
            while True:
                group = [await self._written.get()]
                while not self._written.empty():
                    group.append(self._written.get_nowait())
                await self._publisher.await_places([sent for each in group for sent in each.sent])
                for each in group:
                    self._progress.finish(each.held)
                self._done.count += len(group)
                self._moved.set()
        except Exception as error:
            self._failed(error)

    async def _write(self, held: DeliveryInWork) -> None:
        try:
            await self._written.put(Written(held, await self._send(held.delivery)))
        except Exception as error:
            self._failed(error)

    async def _send(self, delivery: Delivery) -> list[asyncio.Future[LogPosition]]:
        return [await self._publisher.send(each) for each in await self._answer(delivery)]

    async def _answer(self, delivery: Delivery) -> Sequence[Outgoing]:
        """What is to be written for the record: its outputs, or its dead letter with the answer."""
        try:
            cause = fact_in(delivery, self._partition_count)
        except InvalidRecord as error:
            return self._give_up(delivery, None, None, error, 1)
        structlog.contextvars.bind_contextvars(
            stage=self._step.name, place=delivery.place, correlation_id=cause.correlation_id
        )
        chunk: Found | None = None
        for attempt in range(1, TRIES + 1):
            try:
                if self._step.with_chunk:
                    chunk = await self._chunks.chunk_of(cause.event)
                answers = await self._handle(delivery, cause, chunk)
                return [*answers, *self._settle(delivery, cause)]
            except Exception as error:
                if is_outage(error):
                    raise
                if attempt == TRIES or _too_large(error):
                    return self._give_up(delivery, cause, chunk, error, attempt)
            await asyncio.sleep(BACK_OFF_S * 2 ** (attempt - 1))
        raise AssertionError("unreachable: the last try returns")

    async def _handle(
        self, delivery: Delivery, cause: Envelope, found: Found | None
    ) -> Sequence[Outgoing]:
        asked = await self._asker.answer(cause, found) if self._asker else None
        if asked is not None:
            return self._tell(delivery, cause, asked)
        if self._pool is None:
            events = self._step.handle(cause, found.chunk if found else None)
            return self._tell(delivery, cause, events)
        then = self._then if self._then and self._then.reads(delivery.partition) else None
        answers = await self._pool.run(
            self._with_answers if then else self._alone,
            delivery.value,
            found.value if found else None,
            self._publisher.now(),
        )
        for each in answers:
            if then and each.answered:
                then.note_answered(each.value)
        return answers

    def _tell(
        self, delivery: Delivery, cause: Envelope, events: Sequence[Event]
    ) -> Sequence[Outgoing]:
        """The answers, or what a retried dead letter has in their place."""
        letter = retried_letter(delivery)
        if letter and self._step.again:
            events = self._step.again(events, letter)
        return [self._publisher.stamp(cause.caused(event)) for event in events]

    def _give_up(
        self,
        delivery: Delivery,
        cause: Envelope | None,
        found: Found | None,
        error: Exception,
        attempts: int,
    ) -> list[Outgoing]:
        """The answer somebody waits for, and the dead letter."""
        letter = dead_letter(self._step.name, delivery, error, attempts, cause)
        LOG.warning("record.dead_lettered", stage=self._step.name, place=delivery.place)
        if cause is None:
            return [self._publisher.stamp(letter)]
        chunk, name = found.chunk if found else None, failure_of(error).error_class
        events = answer_without(self._step, cause, chunk, name)
        answers = [self._publisher.stamp(cause.caused(event)) for event in events]
        return [*answers, self._publisher.stamp(letter), *self._settle(delivery, cause)]

    def _settle(self, delivery: Delivery, cause: Envelope) -> list[Outgoing]:
        return [self._publisher.stamp(it) for it in settles(delivery, self._step.name, cause)]


def _header(delivery: Delivery, name: str) -> str:
    """A header of the record, empty when it has none of that name."""
    return next((value.decode() for known, value in delivery.headers if known == name), "")


def _too_large(error: Exception) -> bool:
    """Whether trying again cannot help, here or in a child."""
    if isinstance(error, ChildFailed):
        return error.failure.error_class == RecordTooLarge.__name__
    return isinstance(error, RecordTooLarge)
