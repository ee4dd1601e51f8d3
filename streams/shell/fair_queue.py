"""Which revision stage 0 takes next: projects take turns, a source's revisions keep their order."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from typing import Generic, TypeVar

W = TypeVar("W")


class FairQueue(Generic[W]):
    """Work by line, handed out line by line, so that nobody waits for another's backlog."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[str, deque[W]] = OrderedDict()  # by line, the next one first
        self._some = asyncio.Event()

    def wait(self, line: str, work: W) -> None:
        self._waiting.setdefault(line, deque()).append(work)
        self._some.set()

    async def next(self) -> W:
        """The first one of the line that has waited longest for a turn."""
        while not self._waiting:
            self._some.clear()
            await self._some.wait()
        line, queue = self._waiting.popitem(last=False)
        work = queue.popleft()
        if queue:
            self._waiting[line] = queue  # behind all others
        return work

    def forget(self) -> None:
        """After a revocation: the log hands out again what was not acknowledged."""
        self._waiting.clear()


class OneByOne(Generic[W]):
    """What is in work by source, and what came for the same source meanwhile, in its order."""

    def __init__(self) -> None:
        self._behind: dict[str, deque[W]] = {}

    def is_free(self, source_id: str, work: W) -> bool:
        """Whether nothing earlier of the source is in work; else the work waits for it."""
        if (behind := self._behind.get(source_id)) is not None:
            behind.append(work)
            return False
        self._behind[source_id] = deque()
        return True

    def settle(self, source_id: str) -> W | None:
        """The source's work is done; what stood behind it, which is in work now."""
        if behind := self._behind.get(source_id):
            return behind.popleft()
        self._behind.pop(source_id, None)
        return None

    def forget(self) -> None:
        """After a revocation, as `Turns.forget`."""
        self._behind.clear()
