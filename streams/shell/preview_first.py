"""Previews go first: other work gives way while a preview is being read, or is about to be.

All stages of a process share one loop, and a preview crosses it five times for each of its batches;
behind a whole corpus every crossing waits. Stage 0 gives way with all but the sources previews are
made of, deep reading with chunks of other projects: with its own it would only end later. Decided
against stopping either altogether: previews can follow each other without end.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from dataclasses import dataclass

RECENT_S = 0.25  # a preview's next batch comes sooner than this after the one before
GIVE_WAY_S = 0.01  # for each source: a hundred a second go on; they stand before a preview's own
DEEP_GIVES_WAY_S = 0.03  # for each chunk, which is more work than a source
PREVIEW_TIER = 1  # previews read these sources; without any, the first of the listing
FIRST_SOURCES = 32  # of a trigger: a preview begins with them
BEGINS_WITHIN_S = 1.0  # of the first source of its trigger
REMEMBERED_TRIGGERS = 64


@dataclass(slots=True)
class Trigger:
    """A trigger as stage 0 sees it here: when its first source came, and how many came."""

    project: str
    since: float
    sources: int = 0


class PreviewFirst:
    """Whose previews are read in this process, or soon will be, and waiting because of it."""

    def __init__(self) -> None:
        self._under_way: Counter[str] = Counter()  # by project
        self._last: dict[str, float] = {}  # when a project's preview was read, while recent
        self._triggers: OrderedDict[str, Trigger] = OrderedDict()

    def begun(self, project: str) -> None:
        self._under_way[project] += 1

    def ended(self, project: str) -> None:
        self._under_way[project] -= 1
        if not self._under_way[project]:
            del self._under_way[project]
        self._last[project] = asyncio.get_running_loop().time()

    def came(self, project: str, trigger_key: str) -> bool:
        """A source of the trigger has come: whether a preview begins with it."""
        now = asyncio.get_running_loop().time()
        trigger = self._triggers.setdefault(trigger_key, Trigger(project, now))
        trigger.sources += 1
        if len(self._triggers) > REMEMBERED_TRIGGERS:
            self._triggers.popitem(last=False)
        return trigger.sources <= FIRST_SOURCES

    async def give_way(self, project: str, trigger_key: str) -> None:
        """For a source that no preview reads: waits a moment when a preview goes first."""
        now = asyncio.get_running_loop().time()
        trigger = self._triggers.get(trigger_key)
        expected = trigger is not None and now - trigger.since < BEGINS_WITHIN_S
        if expected or self._read(now) or self._begins(now, project):
            await asyncio.sleep(GIVE_WAY_S)

    async def give_way_to_others(self, project: str) -> None:
        """For a chunk of the project in the deep lane: waits while another's preview is read."""
        now = asyncio.get_running_loop().time()
        if self._read(now, but=project) or self._begins(now, project):
            await asyncio.sleep(DEEP_GIVES_WAY_S)

    def _read(self, now: float, but: str = "") -> bool:
        """Whether a preview is being read, or was shortly before, leaving one project out."""
        if self._last:
            self._last = {who: at for who, at in self._last.items() if now - at < RECENT_S}
        return any(who != but for who in (*self._under_way, *self._last))

    def _begins(self, now: float, but: str) -> bool:
        """Whether another project's preview is about to be read; a single source is no sign."""
        return any(
            trigger.project != but and trigger.sources > 1 and now - trigger.since < BEGINS_WITHIN_S
            for trigger in self._triggers.values()
        )
