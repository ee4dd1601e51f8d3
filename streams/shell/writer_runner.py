"""Runs a single writer: one partition of all its topics at a time, each with a store of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from infra import log
from infra.settings import Settings
from streams.shell.delivery import Delivery
from streams.shell.publisher import Publisher
from streams.shell.writer_partition import WriterPartition
from streams.stage import Writer

WAITING_RECORDS = 4_096
FOLDED_AT_ONCE = 256
FOLDED_PER_COMMIT = 256
COMMIT_AFTER_S = 0.1  # for what was folded and led to nothing

LOG = log.get("writer")


@dataclass
class Running:
    """A partition that is ours, with its records that wait to be folded."""

    partition: WriterPartition
    waiting: asyncio.Queue[Delivery]
    task: asyncio.Task[None]
    caught_up: asyncio.Event


class WriterRunner:
    """One `WriterPartition` per assigned partition; what fails for good goes to ``failed``."""

    def __init__(
        self,
        writer: Writer[Any],
        settings: Settings,
        cluster: str,
        publisher: Publisher,
        failed: Callable[[BaseException], None],
    ) -> None:
        self._writer = writer
        self._settings = settings
        self._cluster = cluster
        self._publisher = publisher
        self._failed = failed
        self._running: dict[int, Running] = {}
        self._assigned = asyncio.Event()

    @property
    def topics(self) -> tuple[str, ...]:
        return self._writer.inputs

    async def assigned(self, partitions: set[int]) -> None:
        """Each partition is being brought up to date; its records wait until it is."""
        for number in sorted(partitions - self._running.keys()):
            self._running[number] = self._start(number)
        self._assigned.set()

    async def revoked(self, partitions: set[int]) -> None:
        """The partitions' stores are closed; nothing more is written for them."""
        gone = [self._running.pop(number) for number in partitions & self._running.keys()]
        for each in gone:
            each.task.cancel()
        await asyncio.gather(*(each.task for each in gone), return_exceptions=True)

    async def take(self, delivery: Delivery) -> None:
        running = self._running.get(delivery.partition)
        if running is not None:
            await running.waiting.put(delivery)

    async def ready(self) -> None:
        """Returns once there is an assignment and all of it is caught up."""
        await self._assigned.wait()
        for each in list(self._running.values()):
            await each.caught_up.wait()

    async def close(self) -> None:
        await self.revoked(set(self._running))

    def _start(self, number: int) -> Running:
        partition = WriterPartition(
            self._writer, number, self._settings, self._cluster, self._publisher
        )
        waiting: asyncio.Queue[Delivery] = asyncio.Queue(WAITING_RECORDS)
        caught_up = asyncio.Event()
        task = asyncio.create_task(
            self._run(partition, waiting, caught_up), name=f"{self._writer.name}-{number}"
        )
        return Running(partition, waiting, task, caught_up)

    async def _run(
        self,
        partition: WriterPartition,
        waiting: asyncio.Queue[Delivery],
        caught_up: asyncio.Event,
    ) -> None:
        try:
            async with partition.opened():
                await partition.settle()
                caught_up.set()
                folded: list[Delivery] = []  # and not acknowledged
                while True:
                    deliveries = await _next_of(waiting, COMMIT_AFTER_S if folded else None)
                    await partition.fold(deliveries)
                    folded += deliveries
                    settled = await partition.settle()
                    if deliveries and not settled and len(folded) < FOLDED_PER_COMMIT:
                        continue
                    if not settled:
                        await partition.commit()
                    for delivery in folded:
                        delivery.acknowledge()
                    folded.clear()
        except Exception as error:
            self._failed(error)


async def _next_of(waiting: asyncio.Queue[Delivery], patience_s: float | None) -> list[Delivery]:
    """The records that wait, some at least; none when none came within ``patience_s``."""
    deliveries: list[Delivery] = []
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            deliveries.append(await waiting.get())
    while not waiting.empty() and len(deliveries) < FOLDED_AT_ONCE:
        deliveries.append(waiting.get_nowait())
    return deliveries
