"""Runs a single writer: one partition of all its topics at a time, each with a store of its own."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable
from typing import Any

from infra.platform import log
from infra.platform.settings import Settings
from streams.shell.delivery import Delivery
from streams.shell.overdue import LOOK_EVERY_S, Overdue
from streams.shell.partitions import AssignedPartitions
from streams.shell.publisher import Publisher
from streams.shell.writer_partition import WriterPartition
from streams.stage import Writer

WAITING_RECORDS = 4_096
FOLDED_AT_ONCE = 256
FOLDED_PER_COMMIT = 256
COMMIT_AFTER_S = 0.1  # for what was folded and led to nothing

LOG = log.get("writer")


class WriterRunner(AssignedPartitions[WriterPartition, Delivery]):
    """One `WriterPartition` per assigned partition; what fails for good goes to ``failed``."""

    def __init__(
        self,
        writer: Writer[Any],
        settings: Settings,
        cluster: str,
        publisher: Publisher,
        failed: Callable[[BaseException], None],
    ) -> None:
        super().__init__(writer.name, WAITING_RECORDS, failed)
        self._writer = writer
        self._settings = settings
        self._cluster = cluster
        self._publisher = publisher

    @property
    def topics(self) -> tuple[str, ...]:
        return self._writer.inputs

    async def take(self, delivery: Delivery) -> None:
        running = self._running.get(delivery.partition)
        if running is not None:
            await running.waiting.put(delivery)

    def _open(self, number: int) -> WriterPartition:
        return WriterPartition(
            self._writer, number, self._settings, self._cluster, self._publisher, self._done
        )

    async def _work(
        self,
        partition: WriterPartition,
        waiting: asyncio.Queue[Delivery],
        caught_up: asyncio.Event,
    ) -> None:
        folded: list[Delivery] = []  # and not acknowledged
        while True:
            try:
                async with partition.open():
                    await partition.settle_all()
                    caught_up.set()
                    await self._write(partition, waiting, folded)
            except sqlite3.Error as error:
                partition.set_aside(error)

    async def _write(
        self,
        partition: WriterPartition,
        waiting: asyncio.Queue[Delivery],
        folded: list[Delivery],
    ) -> None:
        """Decide what is due until cancelled; ``folded`` is what still waits to be acknowledged.

        What the store lost is on the log, so it counts as folded once the store is open again.
        """
        overdue = Overdue(partition.list_awaited, partition.ask_again)
        settled = False
        while True:
            await overdue.look(asyncio.get_running_loop().time())
            patience_s = COMMIT_AFTER_S if folded else LOOK_EVERY_S
            deliveries = await _next_of(waiting, 0 if settled else patience_s)
            folded += deliveries
            await partition.fold(deliveries)
            settled = await partition.settle()
            if deliveries and not settled and len(folded) < FOLDED_PER_COMMIT:
                continue
            if folded and not settled:
                await partition.commit()
            for delivery in folded:
                delivery.acknowledge()
            folded.clear()


async def _next_of(waiting: asyncio.Queue[Delivery], patience_s: float) -> list[Delivery]:
    """The records that wait, some at least; none when none came within ``patience_s``."""
    deliveries: list[Delivery] = []
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            deliveries.append(await waiting.get())
    while not waiting.empty() and len(deliveries) < FOLDED_AT_ONCE:
        deliveries.append(waiting.get_nowait())
    return deliveries
