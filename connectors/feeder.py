"""Publishes a listing: the request, the listing records, then the contents, in that order.

Contents are published no faster than stage 0 answers, so that one project's sources do not wait
behind another's. The same trigger key publishes the same ids again and skips sources that stage 0
has already answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from typing import TypeVar

from connectors.connector import OF_READ_FILES, Item, Listing
from connectors.contents import Encrypt, EncryptedContent, encrypt_content, read_content
from connectors.documents import Documents
from connectors.translations import tell_translations
from schemas import ids
from schemas.envelope import Actor, Envelope, Event, outside_fact
from schemas.events.ingestion_request import (
    LISTED_SOURCES_PER_PART,
    CoverageTarget,
    Engine,
    IngestionRequested,
    ListedSource,
    ListingNotice,
    RunLane,
    SourcesListed,
    SourcesUnchanged,
    Trigger,
)
from schemas.events.source import (
    CONTENT_PART_BYTES,
    SourceContentPart,
    SourceInfo,
    SourceRevised,
)
from schemas.source_kinds import language_of, priority_tier_of, source_type_of

FIRST_AT_ONCE = 32  # sources
WINDOW_RECORDS = 64  # more brings no speed and delays other projects
WINDOW_BYTES = 2 * 1024 * 1024
BATCH_RECORDS = 32
STALLED_AFTER_S = 20.0

T = TypeVar("T", bytes, list[str], list[ListingNotice], Sequence[SourceInfo])
Publish = Callable[[Sequence[Envelope]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class FeedOrder:
    """What is requested: the fields of ``ingestion.requested``, who asks, and when.

    ``at`` is aware, in UTC. All facts have this time except contents that have their own.
    """

    project_id: str
    trigger_key: str
    actor: Actor
    at: datetime
    lanes: tuple[RunLane, ...] = ("preview", "deep")
    trigger: Trigger = "manual"
    coverage_target: CoverageTarget = "best_effort"
    accept_removals: bool = False
    limits: Mapping[str, float] = field(default_factory=dict)
    engine: Engine = "heuristic"


@dataclass(slots=True)
class FeedReport:
    """Progress of the feeder; counts are sources. ``unreadable`` are sentences for the user."""

    listed: int = 0
    fed: int = 0
    unchanged: int = 0
    answered_before: int = 0
    bytes_fed: int = 0
    unreadable: list[str] = field(default_factory=list)


class InFlightWindow:
    """Counts what was published and not yet answered by stage 0.

    ``answers`` are the sources that stage 0 has answered for this trigger, whoever published them.
    A source larger than the whole window goes alone.
    """

    def __init__(
        self,
        max_records: int = WINDOW_RECORDS,
        max_bytes: int = WINDOW_BYTES,
        stalled: Callable[[], None] = lambda: None,
    ) -> None:
        self.answers: set[str] = set()
        self._max_records, self._max_bytes = max_records, max_bytes
        self._stalled = stalled
        self._waiting: dict[str, tuple[int, int]] = {}  # source id -> records, bytes
        self._records = self._bytes = self._sent = 0
        self._moved = asyncio.Event()

    def add(self, source_id: str, records: int, size: int) -> None:
        self._sent += 1
        if source_id not in self.answers:
            self._waiting[source_id] = (records, size)
            self._records += records
            self._bytes += size

    def release(self, source_id: str) -> None:
        """Records that stage 0 has answered for a source. Calling it twice is harmless."""
        self.answers.add(source_id)
        records, size = self._waiting.pop(source_id, (0, 0))
        self._records -= records
        self._bytes -= size
        self._moved.set()

    def has_room(self, records: int, size: int) -> bool:
        if self._sent < FIRST_AT_ONCE or not self._waiting:
            return True
        within = self._records + records <= self._max_records
        return within and self._bytes + size <= self._max_bytes

    async def wait_for_room(self, records: int, size: int) -> None:
        """Returns when there is room for a source of this size."""
        while not self.has_room(records, size):
            self._moved.clear()
            try:
                async with asyncio.timeout(STALLED_AFTER_S):
                    await self._moved.wait()
            except TimeoutError:
                self._stalled()


async def feed(
    listing: Listing,
    order: FeedOrder,
    *,
    publish: Publish,
    encrypt: Encrypt,
    last_accepted: Mapping[str, str],
    window: InFlightWindow,
    report: FeedReport | None = None,
    again: bool = True,
) -> FeedReport:
    """Publishes the whole listing in listing order; returns the filled ``report``.

    ``publish`` returns when the broker has acknowledged; ``encrypt`` runs in a thread.
    ``last_accepted`` maps source ids to the ``raw_sha256`` of their last accepted revision under
    the current versions of stage 0. ``again``: sources that ``window`` knows as answered are
    skipped, because stage 0 answered them for this trigger.
    """
    with Documents() as documents:
        feeder = _Feeder(
            order, publish, encrypt, last_accepted, window, report or FeedReport(), documents
        )
        await _feed(feeder, listing, again=again)
    return feeder.report


async def _feed(feeder: _Feeder, listing: Listing, *, again: bool) -> None:
    order, window = feeder.order, feeder.window
    sources = [source_of_item(order.project_id, listing, item) for item in listing.items]
    feeder.report.listed = len(sources)
    await feeder.publish(request_facts(order, listing, sources))
    items = tell_translations(listing.items)
    for position, (item, source) in enumerate(zip(items, sources, strict=True), start=1):
        if again and source.source_id in window.answers:
            feeder.report.answered_before += 1
        else:
            await feeder.add(item, source)
        # Run control starts reading when the first sources have arrived.
        if position == FIRST_AT_ONCE or position % LISTED_SOURCES_PER_PART == 0:
            await feeder.flush()
    await feeder.flush()


def source_of(project_id: str, root: str, path: str) -> SourceInfo:
    """What a path says about a file of ``root``, with its permanent id."""
    external_ref = f"{root}@{path}"
    source_type = source_type_of(path)
    return SourceInfo(
        source_id=ids.source_id(project_id, "upload", external_ref),
        connector="upload",
        root=root,
        external_ref=external_ref,
        path=path,
        title=path.rpartition("/")[2],
        source_type=source_type,
        priority_tier=priority_tier_of(source_type),
        language=language_of(path),
    )


def source_of_item(project_id: str, listing: Listing, item: Item) -> SourceInfo:
    """What is known about an item: from its path, unless its service says more."""
    if item.source_type is None:
        return source_of(project_id, listing.root, item.path)
    external_ref = f"{listing.root}@{item.path}"
    return SourceInfo(
        source_id=ids.source_id(project_id, listing.connector, external_ref),
        connector=listing.connector,
        root=listing.root,
        external_ref=external_ref,
        path=item.path,
        title=item.title or "",
        source_type=item.source_type,
        priority_tier=priority_tier_of(item.source_type),
    )


def request_facts(
    order: FeedOrder, listing: Listing, sources: Sequence[SourceInfo]
) -> list[Envelope]:
    """The request and the parts of its listing, published before any content."""
    asked = IngestionRequested(
        trigger_key=order.trigger_key,
        trigger=order.trigger,
        root=listing.root,
        lanes=list(order.lanes),
        coverage_target=order.coverage_target,
        limits=dict(order.limits),
        accept_removals=order.accept_removals,
        engine=order.engine,
    )
    parts = _split(sources, LISTED_SOURCES_PER_PART) or [[]]
    notice_parts = _split(_unread_notices(listing), LISTED_SOURCES_PER_PART)
    count = max(len(parts), len(notice_parts))
    removed = [
        ids.source_id(order.project_id, listing.connector, f"{listing.root}@{path}")
        for path in listing.removed
    ]
    listed = [
        SourcesListed(
            trigger_key=order.trigger_key,
            root=listing.root,
            complete=listing.complete,
            part_index=index,
            part_count=count,
            sources=[
                ListedSource(
                    source_id=source.source_id,
                    path=source.path,
                    source_type=source.source_type,
                    priority_tier=source.priority_tier,
                )
                for source in part
            ],
            removed=removed if index == 0 else [],
            notices=list(notices),
        )
        for index, (part, notices) in enumerate(zip_longest(parts, notice_parts, fillvalue=()))
    ]
    return [_fact(order, asked), *(_fact(order, part) for part in listed)]


def _unread_notices(listing: Listing) -> list[ListingNotice]:
    """What the listing found and will not be read."""
    return [
        ListingNotice(path=it.path, code=it.code, detail=it.detail)
        for it in listing.notices
        if it.code not in OF_READ_FILES
    ]


@dataclass(slots=True)
class _Feeder:
    """Publishes contents in batches."""

    order: FeedOrder
    publish: Publish
    encrypt: Encrypt
    last_accepted: Mapping[str, str]
    window: InFlightWindow
    report: FeedReport
    documents: Documents
    _ready: list[Envelope] = field(default_factory=list)
    _ready_bytes: int = 0
    _unchanged: list[str] = field(default_factory=list)
    _unchanged_parts: int = 0

    async def add(self, item: Item, source: SourceInfo) -> None:
        """Adds the source to the next batch, as a revision or as unchanged."""
        before = self.last_accepted.get(source.source_id)
        sealed = await asyncio.to_thread(self._encrypt_item, item, before)
        if sealed.read.unreadable:
            self.report.unreadable.append(sealed.read.unreadable)
        if sealed.read.raw_sha256 == before:
            self.report.unchanged += 1
            self._unchanged.append(source.source_id)
            return
        if not self.window.has_room(len(sealed.parts), sealed.size):
            await self.flush()
            await self.window.wait_for_room(len(sealed.parts), sealed.size)
        self.window.add(source.source_id, len(sealed.parts), sealed.size)
        self._ready.extend(revision(self.order, source, sealed))
        self._ready_bytes += sealed.size
        self.report.fed += 1
        self.report.bytes_fed += len(sealed.read.content)
        if len(self._ready) >= BATCH_RECORDS or self._ready_bytes >= 2 * CONTENT_PART_BYTES:
            await self.flush()

    def _encrypt_item(self, item: Item, before: str | None) -> EncryptedContent:
        read = read_content(item, self.documents, before)
        return encrypt_content(read, self.encrypt, before)

    async def flush(self) -> None:
        """Publishes everything added so far and waits for the broker."""
        ready, self._ready, self._ready_bytes = self._ready, [], 0
        for part in _split(self._unchanged, LISTED_SOURCES_PER_PART):
            ready.append(_unchanged_fact(self.order, self._unchanged_parts, part))
            self._unchanged_parts += 1
        self._unchanged = []
        if ready:
            await self.publish(ready)


def revision(order: FeedOrder, source: SourceInfo, sealed: EncryptedContent) -> list[Envelope]:
    """The records of one revision: its further parts, then ``source.revised`` with part 0."""
    further = [
        SourceContentPart(
            source_id=source.source_id,
            trigger_key=order.trigger_key,
            part_index=index,
            part_count=len(sealed.parts),
            key_id=key_id,
            content=content,
        )
        for index, (key_id, content) in enumerate(sealed.parts)
        if index
    ]
    key_id, content = sealed.parts[0]
    read = sealed.read
    revised = SourceRevised(
        source=source,
        trigger_key=order.trigger_key,
        revision_ref=read.item.revision_ref,
        source_time=read.item.source_time,
        part_count=len(sealed.parts),
        unread=read.unread,
        unread_detail=read.detail,
        byte_count=len(read.content),
        raw_sha256=read.raw_sha256,
        key_id=key_id,
        content=content,
    )
    at = read.item.source_time or order.at
    return [_fact(order, event, at) for event in (*further, revised)]


def _unchanged_fact(order: FeedOrder, index: int, source_ids: list[str]) -> Envelope:
    """The key contains the ids: a repeated command may find other sources unchanged."""
    event = SourcesUnchanged(trigger_key=order.trigger_key, part_index=index, source_ids=source_ids)
    sha256_hex = ids.sha256_hex("\n".join(source_ids))[: ids.ID_HEX_DIGITS]
    return _fact(order, event, natural_key=f"{event.local_key}|{sha256_hex}")


def _fact(
    order: FeedOrder, event: Event, at: datetime | None = None, natural_key: str = ""
) -> Envelope:
    return outside_fact(
        event,
        project_id=order.project_id,
        occurred_at=at or order.at,
        actor=order.actor,
        correlation_id=order.trigger_key,
        natural_key=natural_key,
    )


def _split(whole: T, size: int) -> list[T]:
    return [whole[start : start + size] for start in range(0, len(whole), size)]
