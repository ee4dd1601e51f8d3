"""Reconciliation: compares all items of a service with the stored sources.

Listing gives names only. Items that are not stored are read. Stored items that were not listed are
requested one by one, because a list may miss items that shift; those not found are removed. At the
end one item that was listed is requested too: services hide what may not be read as if it did not
exist, so if that one is not found either, access was lost and nothing is removed. The trigger names
what is removed and not what stays: names of a large list would be megabytes, and an item that a
webhook brought meanwhile would be missing. Run control's removal threshold applies as for a folder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from connectors.connector import SourceUnavailable, printable
from connectors.feeder import FeedOrder
from connectors.publishing import ItemPublisher, add_counts, publish_items, publish_removals
from connectors.records import RecordNotice
from connectors.service_items import DeletedItem, ServiceItem
from connectors.transport import AccessLost
from schemas import ids
from schemas.events.connector import Counts
from schemas.events.source import SourceInfo

LOOKS = 200  # items requested one by one; if more are missing, the list is read again
FETCHED_TOGETHER = 50


class UnreadableItem(SourceUnavailable):
    """The item exists but cannot be read; ``reason`` says why, without its words."""

    code = "source_unreadable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{printable(path)} cannot be read: {reason}.")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item that exists outside, by its address."""

    root: str
    path: str


class Reconcilable(Protocol):
    """What reconciliation needs of a stream; see ``connectors.sync.Stream``."""

    @property
    def name(self) -> str: ...

    @property
    def roots(self) -> tuple[str, ...]: ...

    def list_all(self) -> AsyncIterator[ListedItem]: ...

    async def look(self, root: str, path: str) -> ServiceItem | None: ...


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """One reconciliation of one stream. ``order`` makes a trigger from a key.

    ``key`` is that of this reconciliation.
    """

    project_id: str
    service: str
    publisher: ItemPublisher
    order: Callable[[str], FeedOrder]
    key: str
    accept_removals: bool = False

    async def run(
        self,
        stream: Reconcilable,
        read_all: Callable[[], AsyncIterator[tuple[ServiceItem | DeletedItem, ...]]],
        notices: list[RecordNotice],
    ) -> Counts:
        """The counts; ``read_all`` reads the list again. Adds what is to be told to ``notices``.

        Raises what the stream raises.
        """
        found_outside = [listed async for listed in stream.list_all()]
        stored = {
            each.source_id: each
            for root in stream.roots  # the listing may have shown that one is switched off
            for each in await self.publisher.list_stored(self.project_id, root, "")
        }
        standing, missing = set[str](), list[ListedItem]()
        seen: ListedItem | None = None
        for listed in found_outside:
            source = self._source_id(listed)
            standing.add(source)
            if source in stored:
                seen = listed
            else:
                missing.append(listed)
        absent = [stored[source] for source in sorted(set(stored) - standing)]
        gone = await self._find_deleted(stream, absent)
        if gone and seen and not await _stands(stream, seen):
            raise AccessLost(
                f"An item listed in {stream.name} was not found when requested: access was lost"
                " meanwhile, or the item has just been deleted.",
                "not_found",
                404,
            )
        counts = Counts()
        again = len(missing) > LOOKS
        async for items in read_all() if again else self._look_up(stream, missing, notices):
            counts = add_counts(
                counts, await publish_items(items, self.order(self.key), self.publisher)
            )
        await self._remove(gone)
        lost = sum(notice.is_lost for notice in notices)
        return add_counts(counts, Counts(seen=len(standing), removed=len(gone), refused=lost))

    async def _find_deleted(
        self, stream: Reconcilable, absent: list[SourceInfo]
    ) -> list[SourceInfo]:
        """Of the items that were not listed, those that do not exist."""
        gone = [each for each in absent[:LOOKS] if not await _stands(stream, each)]
        if len(gone) < LOOKS < len(absent):
            raise SourceUnavailable(
                f"The list of {stream.name} changed too much while it was compared: the next census"
                " tries again."
            )
        return gone + absent[LOOKS:]

    async def _look_up(
        self, stream: Reconcilable, missing: list[ListedItem], notices: list[RecordNotice]
    ) -> AsyncIterator[tuple[ServiceItem | DeletedItem, ...]]:
        for start in range(0, len(missing), FETCHED_TOGETHER):
            part = missing[start : start + FETCHED_TOGETHER]
            read = [item for each in part if (item := await _readable(stream, each, notices))]
            yield tuple(read)

    async def _remove(self, gone: list[SourceInfo]) -> None:
        by_root: defaultdict[str, list[SourceInfo]] = defaultdict(list)
        for each in gone:
            by_root[each.root].append(each)
        for root, sources in sorted(by_root.items()):
            order = replace(self.order(f"{self.key}|{root}"), accept_removals=self.accept_removals)
            await publish_removals(root, sources, order, self.publisher)

    def _source_id(self, listed: ListedItem) -> str:
        redactor = self.publisher.redactor
        root, path = (
            redactor.name(self.project_id, printable(name)) for name in (listed.root, listed.path)
        )
        address = f"{root}@{path}"
        return ids.source_id(self.project_id, self.service, address)


async def _readable(
    stream: Reconcilable, listed: ListedItem, notices: list[RecordNotice]
) -> ServiceItem | None:
    """A listed item that is not stored; None with a notice if it cannot be read, as in a sync."""
    try:
        return await stream.look(listed.root, listed.path)
    except UnreadableItem as error:
        notices.append(RecordNotice(printable(listed.path), error.reason))
        return None


async def _stands(stream: Reconcilable, item: SourceInfo | ListedItem) -> bool:
    try:
        return await stream.look(item.root, item.path) is not None
    except UnreadableItem:
        return True
