"""Previews go first: stage 0 gives way while a preview is being read, or is about to be.

All stages of a process share one loop, and a preview crosses it five times for each of its batches;
behind a whole corpus in stage 0 every crossing waits. Decided against stopping stage 0 altogether:
a preview needs sources from it, and previews can follow each other without end.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

RECENT_S = 0.25  # a preview's next batch comes sooner than this after the one before
GIVE_WAY_S = 0.03  # for each source: a good thirty a second go on
FIRST_SOURCES = 32  # of a trigger: a preview begins with them
BEGINS_WITHIN_S = 1.0  # of the first source of its trigger
REMEMBERED_TRIGGERS = 64


@dataclass(slots=True)
class Trigger:
    """A trigger as stage 0 sees it here: when its first source came, and how many came."""

    since: float
    sources: int = 0


class PreviewFirst:
    """Whether previews are read in this process, or soon will be, and waiting because of it."""

    def __init__(self) -> None:
        self._under_way = 0
        self._last = float("-inf")
        self._triggers: OrderedDict[str, Trigger] = OrderedDict()

    def begun(self) -> None:
        self._under_way += 1

    def ended(self) -> None:
        self._under_way -= 1
        self._last = asyncio.get_running_loop().time()

    async def give_way(self, trigger_key: str) -> None:
        """For a source of the trigger: waits a moment when a preview goes first."""
        now = asyncio.get_running_loop().time()
        read = self._under_way > 0 or now - self._last < RECENT_S
        if read or self._expected(trigger_key, now):
            await asyncio.sleep(GIVE_WAY_S)

    def _expected(self, trigger_key: str, now: float) -> bool:
        trigger = self._triggers.setdefault(trigger_key, Trigger(now))
        trigger.sources += 1
        if len(self._triggers) > REMEMBERED_TRIGGERS:
            self._triggers.popitem(last=False)
        return trigger.sources > FIRST_SOURCES and now - trigger.since < BEGINS_WITHIN_S
