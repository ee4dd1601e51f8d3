"""Publishes items of services: one page or one delivery is one trigger per root.

Polls, webhooks, exports and reconciliation all use this module. Stored sources are compared first:
equal bytes and older changes publish nothing. Two writers may both believe to be the later one, so
stage 0, the only writer of a source, compares again (``streams.hygiene.stage``). Therefore
``revision_ref`` begins with the time of change and sorts by it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from connectors.connector import Item, Listing, printable
from connectors.contents import Encrypt
from connectors.feeder import FeedOrder, InFlightWindow, Publish, feed, request_facts
from connectors.rendering import pieces
from connectors.service_items import TIME_OF_NONE, DeletedItem, ServiceItem, ServiceName
from schemas import ids
from schemas.events.connector import Counts
from schemas.events.ingestion_request import Engine
from schemas.events.source import MARK_CHARS, Connector, SourceInfo
from schemas.source_kinds import priority_tier_of
from schemas.strings import Redactor

CONNECTORS: dict[str, Connector] = {
    "github": "github",
    "jira": "jira",
    "slack": "slack",
    "bitbucket": "api",  # the released enum has no value for Bitbucket
}


@dataclass(frozen=True, slots=True)
class StoredSource:
    """What is stored of a source. ``mark`` is its time of change as in ``revision_ref``.

    ``raw_sha256`` is empty where the content has to be sent again, because stage 0 gave it up or
    had other versions. ``gone`` is the time of a reported deletion that the tables do not show: not
    yet, or no longer, because reconciliation has found the item again.
    """

    raw_sha256: str
    mark: str = ""
    title: str = ""
    gone: str = ""


FindStored = Callable[[str, Collection[str]], Awaitable[Mapping[str, StoredSource]]]
Inventory = Callable[[str, str, str], Awaitable[Sequence[SourceInfo]]]


@dataclass(frozen=True, slots=True)
class ItemPublisher:
    """What is needed to publish for one project.

    ``find_stored`` returns those of the given source ids that are stored. ``list_stored`` returns
    the stored sources of a root whose path begins with the last argument. All triggers of a process
    share ``window``. ``find_engine`` says who reads what is published now.
    """

    publish: Publish
    encrypt: Encrypt
    find_stored: FindStored
    list_stored: Inventory
    window: InFlightWindow
    redactor: Redactor
    find_engine: Callable[[], Engine] = lambda: "heuristic"


@dataclass(frozen=True, slots=True)
class Prepared:
    """An item with its bytes and its permanent source id."""

    item: ServiceItem
    source_id: str
    content: bytes
    raw_sha256: str
    owners: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class _Root:
    service: ServiceName
    items: dict[str, ServiceItem] = field(default_factory=dict)
    gone: dict[str, DeletedItem] = field(default_factory=dict)


def mark_of(at: datetime) -> str:
    """A time as text that sorts: UTC, with milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def source_id_of(project_id: str, item: ServiceItem | DeletedItem) -> str:
    return ids.source_id(
        project_id, CONNECTORS[item.service], f"{item.root}@{printable(item.path)}"
    )


async def publish_items(
    items: Iterable[ServiceItem | DeletedItem], order: FeedOrder, publisher: ItemPublisher
) -> Counts:
    """Publishes the items, one trigger per root, if anything about them is new.

    ``order.trigger_key`` names the page or the delivery; the same items get the same ids again.
    Removals that the service itself reports need no approval: the removal threshold applies to
    items that are only missing.
    """
    counts = Counts()
    named = [redact_item(item, order.project_id, publisher.redactor) for item in items]
    for root, group in _by_root(named).items():
        counts = add_counts(counts, await _publish_root(root, group, order, publisher))
    return counts


def redact_item(
    item: ServiceItem | DeletedItem, project_id: str, redactor: Redactor
) -> ServiceItem | DeletedItem:
    """The item without secrets in its address and in what its text shows besides the remarks.

    A secret in an address is one in every form of it, so a deletion finds what it deletes.
    """
    root, path = (redactor.name(project_id, printable(name)) for name in (item.root, item.path))
    if isinstance(item, DeletedItem):
        cascade = tuple(redactor.name(project_id, printable(each)) for each in item.cascade_roots)
        return replace(item, root=root, path=path, cascade_roots=cascade)
    text = redactor.chat if item.source_type == "chat_thread" else redactor.text
    return replace(
        item,
        root=root,
        path=path,
        title=text(item.title),
        about=text(item.about) if item.about else item.about,
        state=text(item.state) if item.state else item.state,
        labels=tuple(map(text, item.labels)),
        url=text(item.url) if item.url else item.url,
    )


async def _publish_root(
    root: str, group: _Root, order: FeedOrder, publisher: ItemPublisher
) -> Counts:
    project = order.project_id
    prepared = [prepare(project, item) for item in group.items.values()]
    going = {source_id_of(project, gone): gone for gone in group.gone.values()}
    names = [each.source_id for each in prepared]
    stored = await publisher.find_stored(project, [*names, *going])
    removed = tuple(
        gone.path
        for source, gone in going.items()
        if source in stored and _is_newer_deletion(stored[source], mark_of(gone.changed_at))
    )
    same = {each.source_id: each.raw_sha256 for each in prepared if not _is_news(each, stored)}
    counts = Counts(
        seen=len(prepared),
        published=len(prepared) - len(same),
        unchanged=len(same),
        removed=len(removed),
    )
    if len(same) == len(prepared) and not removed:
        return counts
    prepared.sort(key=lambda each: _place(each.item))
    listing = Listing(
        root=root,
        complete=False,
        items=tuple(to_listing_item(each) for each in prepared),
        removed=removed,
        connector=CONNECTORS[group.service],
    )
    key = f"{order.trigger_key}|{_digest(root, prepared, removed)}"
    await feed(
        listing,
        replace(order, trigger_key=key, accept_removals=True, engine=publisher.find_engine()),
        publish=publisher.publish,
        encrypt=publisher.encrypt,
        last_accepted=same,
        window=publisher.window,
        again=False,
    )
    return counts


async def publish_removals(
    root: str, gone: Sequence[SourceInfo], order: FeedOrder, publisher: ItemPublisher
) -> None:
    """Removes these sources of a root at the end of the run, below the removal threshold."""
    listing = Listing(
        root=root,
        complete=False,
        items=(),
        removed=tuple(sorted(each.path for each in gone)),
        connector=gone[0].connector,
    )
    await publisher.publish(request_facts(order, listing, []))


def prepare(project_id: str, item: ServiceItem) -> Prepared:
    parts = pieces(item)
    content = b"".join(part.content for part in parts)
    return Prepared(
        item,
        source_id_of(project_id, item),
        content,
        ids.sha256_hex(content),
        tuple((part.author or "", len(part.content)) for part in parts),
    )


def to_listing_item(prepared: Prepared) -> Item:
    """The item as the feeder takes it. Its time is that of its last remark."""
    item = prepared.item
    timestamps = [at for remark in item.remarks if (at := remark.edited_at or remark.at)]
    return Item(
        path=printable(item.path),
        size_bytes=len(prepared.content),
        fetch=lambda: prepared.content,
        source_time=max(
            timestamps, default=None if item.changed_at == TIME_OF_NONE else item.changed_at
        ),
        revision_ref=f"{mark_of(item.changed_at)} {item.revision_ref}",
        source_type=item.source_type,
        title=printable(item.title),
        owners=prepared.owners,
    )


def add_counts(one: Counts, other: Counts) -> Counts:
    return Counts(
        **{name: getattr(one, name) + getattr(other, name) for name in Counts.model_fields}
    )


def _is_news(each: Prepared, stored: Mapping[str, StoredSource]) -> bool:
    before = stored.get(each.source_id)
    if before is None or before.gone:
        return True
    if before.mark[:MARK_CHARS] > mark_of(each.item.changed_at):
        return False
    return before.raw_sha256 != each.raw_sha256


def _is_newer_deletion(stored: StoredSource, mark: str) -> bool:
    """Whether a deletion at ``mark`` is newer than what is stored."""
    return stored.mark[:MARK_CHARS] <= mark and stored.gone < mark


def _by_root(items: Iterable[ServiceItem | DeletedItem]) -> dict[str, _Root]:
    """Of several revisions of one item the latest; of equal times the last given.

    Roots keep the order in which the items name them, which is the order of publishing.
    """
    given = list(items)
    roots = {item.root: _Root(item.service) for item in given}
    for item in sorted(given, key=lambda each: each.changed_at):
        root = roots[item.root]
        root.items.pop(item.path, None)
        root.gone.pop(item.path, None)
        if isinstance(item, DeletedItem):
            root.gone[item.path] = item
        else:
            root.items[item.path] = item
    return roots


def _place(item: ServiceItem) -> tuple[int, int, str]:
    path = printable(item.path)
    return priority_tier_of(item.source_type), path.count("/"), path


def _digest(root: str, prepared: Sequence[Prepared], removed: Sequence[str]) -> str:
    lines = [f"{each.source_id} {each.raw_sha256}" for each in prepared]
    return ids.derive_id("pg", root, *lines, "removed", *sorted(removed))
