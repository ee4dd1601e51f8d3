"""The partitions that are assigned to a stage: each has a state, a queue and a task of its own."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from infra.runtime.watchdog import Work

P = TypeVar("P")  # the partition's state
W = TypeVar("W")  # what waits for its task


@dataclass
class Running(Generic[P, W]):
    """A partition that is ours, with what waits for it, in record order."""

    partition: P
    waiting: asyncio.Queue[W]
    task: asyncio.Task[None]
    caught_up: asyncio.Event


class AssignedPartitions(ABC, Generic[P, W]):
    """Starts and ends the partitions' tasks; what fails for good goes to ``failed``."""

    def __init__(self, stage: str, room: int, failed: Callable[[BaseException], None]) -> None:
        """``room``: how much may wait for each partition; 0: no limit."""
        self._stage = stage
        self._room = room
        self._failed = failed
        self._running: dict[int, Running[P, W]] = {}
        self._assigned = asyncio.Event()
        self._done = Work()

    def worked(self) -> object:
        """Another value whenever something was done."""
        return self._done.count

    @abstractmethod
    def _open(self, number: int) -> P:
        """The partition, not yet up to date."""

    @abstractmethod
    def _work(
        self, partition: P, waiting: asyncio.Queue[W], caught_up: asyncio.Event
    ) -> Coroutine[Any, Any, None]:
        """Bring the partition up to date, say so, then do what waits until cancelled."""

    async def assign(self, partitions: set[int]) -> None:
        """Each partition is being brought up to date; its records wait until it is."""
        for number in sorted(partitions - self._running.keys()):
            self._running[number] = self._start(number)
        self._assigned.set()

    async def revoke(self, partitions: set[int]) -> None:
        """The partitions' stores are closed; nothing more is written for them."""
        gone = [self._running.pop(number) for number in partitions & self._running.keys()]
        for each in gone:
            each.task.cancel()
            each.caught_up.set()  # who waits for it is to wait for what is left
        await asyncio.gather(*(each.task for each in gone), return_exceptions=True)

    async def ready(self) -> None:
        """Returns once there is an assignment and all of it is caught up."""
        await self._assigned.wait()
        while behind := [one for one in self._running.values() if not one.caught_up.is_set()]:
            await behind[0].caught_up.wait()

    async def close(self) -> None:
        await self.revoke(set(self._running))

    def _start(self, number: int) -> Running[P, W]:
        partition = self._open(number)
        waiting: asyncio.Queue[W] = asyncio.Queue(self._room)
        caught_up = asyncio.Event()
        task = asyncio.create_task(
            self._run(partition, waiting, caught_up), name=f"{self._stage}-{number}"
        )
        return Running(partition, waiting, task, caught_up)

    async def _run(self, partition: P, waiting: asyncio.Queue[W], caught_up: asyncio.Event) -> None:
        try:
            await self._work(partition, waiting, caught_up)
        except Exception as error:
            self._failed(error)
