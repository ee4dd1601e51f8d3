"""A census: what stands outside and what is held are made the same.

The walk gives names only. What is not held is read; what is held and was not seen is looked for by
itself, since a walk may pass over what shifts, and goes when it does not stand. A held one that the
walk did see is looked for last: services hide what may not be read as if it were not there, so when
that one is not found either, access was lost, and nothing goes. The names of what goes are told,
not those of all that stays: of a large list they would be megabytes for ever, and an item that a
webhook brought while we counted would stand in none of them. Run control's brake holds back as for
a folder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from connectors.connector import SourceUnavailable, printable
from connectors.feeder import FeedOrder
from connectors.outside import Gone, OutsideItem
from connectors.publishing import Outlet, added, publish_items, publish_removals
from connectors.transport import AccessLost
from schemas import ids
from schemas.events.connector import Counts
from schemas.events.source import SourceInfo

LOOKS = 200  # items that are asked for one by one; of more the list is read anew
FETCHED_TOGETHER = 50


class Unreadable(SourceUnavailable):
    """An item stands, but what the service gives of it lacks what it must have."""

    code = "source_unreadable"


@dataclass(frozen=True, slots=True)
class Listed:
    """An item that stands outside, as a census sees it."""

    root: str
    path: str


class Countable(Protocol):
    """What a census needs of a stream; see ``connectors.sync.Stream``."""

    @property
    def name(self) -> str: ...

    @property
    def roots(self) -> tuple[str, ...]: ...

    def census(self) -> AsyncIterator[Listed]: ...

    async def look(self, root: str, path: str) -> OutsideItem | None: ...


@dataclass(frozen=True, slots=True)
class Census:
    """One census of one stream. ``order`` makes a trigger of a key; ``key`` is the census's own."""

    project_id: str
    service: str
    outlet: Outlet
    order: Callable[[str], FeedOrder]
    key: str
    accept_removals: bool = False

    async def of(
        self, stream: Countable, whole: Callable[[], AsyncIterator[tuple[OutsideItem | Gone, ...]]]
    ) -> Counts:
        """What was found; ``whole`` reads the list anew. Raises what the stream does."""
        held = {
            each.source_id: each
            for root in stream.roots
            for each in await self.outlet.inventory(self.project_id, root, "")
        }
        standing, missing = set[str](), list[Listed]()
        seen: Listed | None = None
        async for listed in stream.census():
            source = self._source_id(listed)
            standing.add(source)
            if source in held:
                seen = listed
            else:
                missing.append(listed)
        absent = [held[source] for source in sorted(set(held) - standing)]
        gone = await self._gone(stream, absent)
        if gone and seen and not await _stands(stream, seen):
            raise AccessLost(
                f"What was listed of {stream.name} is not found by itself: access to it was lost"
                " while it was counted, or it has just been deleted.",
                "not_found",
                404,
            )
        found = Counts()
        async for items in whole() if len(missing) > LOOKS else self._looked(stream, missing):
            found = added(found, await publish_items(items, self.order(self.key), self.outlet))
        await self._remove(gone)
        return added(found, Counts(seen=len(standing), removed=len(gone)))

    async def _gone(self, stream: Countable, absent: list[SourceInfo]) -> list[SourceInfo]:
        """Of what a walk did not see that which does not stand."""
        gone = [each for each in absent[:LOOKS] if not await _stands(stream, each)]
        if len(gone) < LOOKS < len(absent):
            raise SourceUnavailable(
                f"The list of {stream.name} changed too much while it was counted: the next census"
                " tries again."
            )
        return gone + absent[LOOKS:]

    async def _looked(
        self, stream: Countable, missing: list[Listed]
    ) -> AsyncIterator[tuple[OutsideItem | Gone, ...]]:
        for start in range(0, len(missing), FETCHED_TOGETHER):
            part = missing[start : start + FETCHED_TOGETHER]
            yield tuple([item for each in part if (item := await _readable(stream, each))])

    async def _remove(self, gone: list[SourceInfo]) -> None:
        by_root: defaultdict[str, list[SourceInfo]] = defaultdict(list)
        for each in gone:
            by_root[each.root].append(each)
        for root, sources in sorted(by_root.items()):
            order = replace(self.order(f"{self.key}|{root}"), accept_removals=self.accept_removals)
            await publish_removals(root, sources, order, self.outlet)

    def _source_id(self, listed: Listed) -> str:
        address = f"{listed.root}@{printable(listed.path)}"
        return ids.source_id(self.project_id, self.service, address)


async def _readable(stream: Countable, listed: Listed) -> OutsideItem | None:
    """An item that is listed and not held; None too where nobody can read it, as in the sync."""
    try:
        return await stream.look(listed.root, listed.path)
    except Unreadable:
        return None


async def _stands(stream: Countable, item: SourceInfo | Listed) -> bool:
    try:
        return await stream.look(item.root, item.path) is not None
    except Unreadable:
        return True
