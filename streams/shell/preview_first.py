"""Previews go first: other work gives way while a preview is being read, or is about to be.

All stages of a process share one loop, and a preview crosses it five times for each of its batches;
behind a whole corpus every crossing waits. Stage 0 gives way with all but the sources previews are
made of, deep reading with chunks of other projects: with its own it would only end later. Decided
against stopping either altogether: previews can follow each other without end. Stage 0 is not told
which triggers have a preview: one that has shown none for a while is taken to have none.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from dataclasses import dataclass

RECENT_S = 0.25  # a preview's next batch comes sooner than this after the one before
GIVE_WAY_S = 0.01  # for each source: a hundred a second go on; they delay a preview's own
DEEP_GIVES_WAY_S = 0.1  # for each chunk, which is more work than a source
PREVIEW_TIER = 1  # previews read these sources; without any, the first of the listing
FIRST_SOURCES = 32  # of a trigger: a preview begins with them
BEGINS_WITHIN_S = 1.0  # of the first source of its trigger
EXPECTED_S = 5.0  # after a trigger's first source, or after its project's preview was read last
SHARED_S = 1.0  # after others' work came: there may be more of it under way
REMEMBERED_TRIGGERS = 64


@dataclass(slots=True)
class Trigger:
    """A trigger as stage 0 sees it here: when its first source came, and how many came."""

    project: str
    since: float
    sources: int = 0


class PreviewFirst:
    """Whose previews are read in this process, or soon will be, and waiting because of it.

    Times are of the loop, by project.
    """

    def __init__(self) -> None:
        self._under_way: Counter[str] = Counter()
        self._ended: dict[str, float] = {}  # work for the project's preview
        self._read: dict[str, float] = {}  # a chunk for the project's preview
        self._came: dict[str, float] = {}  # work of the project, for a preview or not
        self._triggers: OrderedDict[str, Trigger] = OrderedDict()

    def reads(self, project: str) -> None:
        """A chunk is being read for a preview; `ended` follows."""
        self._read[project] = _now()
        self.begin(project)

    def begin(self, project: str) -> None:
        """Something is being made that a preview waits for; `ended` follows."""
        self._under_way[project] += 1

    def end(self, project: str) -> None:
        self._under_way[project] -= 1
        if not self._under_way[project]:
            del self._under_way[project]
        self._ended[project] = _now()

    def came(self, project: str, trigger_key: str) -> bool:
        """A source of the trigger has come: whether a preview begins with it."""
        self._came[project] = now = _now()
        trigger = self._triggers.setdefault(trigger_key, Trigger(project, now))
        trigger.sources += 1
        if len(self._triggers) > REMEMBERED_TRIGGERS:
            self._triggers.popitem(last=False)
        return trigger.sources <= FIRST_SOURCES

    def is_expected(self, project: str, trigger_key: str) -> bool:
        """Whether a preview may still wait for the trigger's sources."""
        trigger = self._triggers.get(trigger_key)
        if trigger is not None and _now() - trigger.since < EXPECTED_S:
            return True
        self._read = _since(self._read, _now() - EXPECTED_S)
        return project in self._read

    def shares(self, project: str) -> bool:
        """Whether there is other projects' work, too."""
        self._came = _since(self._came, _now() - SHARED_S)
        return any(who != project for who in self._came)

    async def give_way(self, project: str, trigger_key: str) -> None:
        """For a source that no preview reads: waits a moment when a preview goes first."""
        trigger = self._triggers.get(trigger_key)
        expected = trigger is not None and _now() - trigger.since < BEGINS_WITHIN_S
        if expected or self._goes_on() or self._begins(but=project):
            await asyncio.sleep(GIVE_WAY_S)

    async def give_way_to_others(self, project: str) -> None:
        """For a chunk of the project in the deep lane: waits while another's preview is read."""
        self._came[project] = _now()
        if self._goes_on(but=project) or self._begins(but=project):
            await asyncio.sleep(DEEP_GIVES_WAY_S)

    def _goes_on(self, but: str = "") -> bool:
        """Whether a preview is being made, or was shortly before, leaving one project out."""
        self._ended = _since(self._ended, _now() - RECENT_S)
        return any(who != but for who in (*self._under_way, *self._ended))

    def _begins(self, but: str) -> bool:
        """Whether another project's preview is about to be read; a single source is no sign."""
        now = _now()
        return any(
            trigger.project != but and trigger.sources > 1 and now - trigger.since < BEGINS_WITHIN_S
            for trigger in self._triggers.values()
        )


def _now() -> float:
    return asyncio.get_running_loop().time()


def _since(times: dict[str, float], start: float) -> dict[str, float]:
    return {project: at for project, at in times.items() if at > start}
