"""GitHub's lists as streams of pages that skip nothing.

Lists with ``since`` are walked by time of change, oldest first, and never by deep page numbers: an
item that changes during the walk moves to the end, and all others shift, one of them across the
border of a page. So after each full page the walk starts again at its last time. Only where one
second fills a page are further pages requested. Then the earlier ones are requested again with
their ETags before the walk continues, and the second is repeated if one has changed.

At its end a list keeps the request of its last minute with the ETag: a poll without news is one
conditional request. Late entries within that minute change the ETag. The exception are rows that
only lead to other requests (``leads``): times are seconds, so a second change in the same second
leaves row and ETag unchanged. While that second lasts no ETag is kept.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any, ClassVar

from connectors.connector import SourceUnavailable
from connectors.github.api import GitHub, next_of, rows_of
from connectors.github.items import moment
from connectors.reconciliation import ListedItem, UnreadableItem
from connectors.records import UNFIT, Records, reason_of_unfit
from connectors.service_items import ServiceItem
from connectors.sync import Page
from connectors.transport import Response

OVERLAP = timedelta(seconds=60)
SECOND = timedelta(seconds=1)  # resolution of GitHub's times
BEFORE = SECOND  # GitHub does not document whether ``since`` is inclusive: this suits both
STEADY_ROUNDS = 3
Row = dict[str, Any]


Make = Callable[[list[Row]], Awaitable[Records]]


@dataclass(frozen=True, slots=True)
class ListCursor:
    """Where a walk is. ``etags`` are those of pages 1… of ``since``; at the end of all pages."""

    since: str = ""
    page: int = 1
    etags: tuple[str, ...] = ()
    at_end: bool = False
    newest: str = ""

    @classmethod
    def parse(cls, cursor: str) -> ListCursor:
        state = json.loads(cursor) if cursor else {}
        if "since" not in state:  # nothing was read, or pull requests alone
            return cls()
        return cls(**{**state, "etags": tuple(state["etags"])})

    def __str__(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class RestList:
    """What both kinds of lists share.

    ``make`` turns the rows of a page into items, ``list_row`` turns one row into an address.
    ``look_at`` reads one item by its address. ``order`` is the order of ``list_all``.
    """

    name: str
    roots: tuple[str, ...]
    github: GitHub
    what: str
    make: Make
    list_row: Callable[[Row], ListedItem | None]
    look_at: Callable[[str, str], Awaitable[ServiceItem | None]]
    params: dict[str, str] = field(default_factory=dict)
    is_reconcilable: bool = True
    order: ClassVar[dict[str, str]] = {}

    async def list_all(self) -> AsyncIterator[ListedItem]:
        async for row in self.github.every(self.what, self.params | self.order):
            with suppress(*UNFIT):  # a sync names what cannot be read
                if listed := self.list_row(row):
                    yield listed

    async def read(self, rows: list[Any]) -> Records:
        """The items of a page's rows. Raises SourceUnavailable if none of them is an object."""
        objects = [row for row in rows if isinstance(row, dict)]
        if rows and not objects:
            raise SourceUnavailable(f"A page of {self.name} from GitHub cannot be read.")
        with check_page(self.name):
            made = await self.make(objects)
        if len(objects) < len(rows):
            made.tell(f"{len(rows) - len(objects)} of {self.name}", "it is no object")
        return made

    async def look(self, root: str, path: str) -> ServiceItem | None:
        """See ``connectors.sync.Stream``; a row that lacks a required field is UnreadableItem."""
        try:
            return await self.look_at(root, path)
        except UNFIT as error:
            raise UnreadableItem(path, reason_of_unfit(error)) from None


@dataclass(frozen=True)
class SinceList(RestList):
    """A list with ``since`` and an order by time of change (issues, both kinds of comments).

    ``leads``: the items of a row are read by other requests.
    """

    leads: bool = False
    order: ClassVar[dict[str, str]] = {"sort": "created", "direction": "asc"}

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        position = ListCursor.parse(cursor)
        if position.at_end:
            if await self._all_as_before(position):
                return
            position = replace(position, page=1, etags=(), at_end=False)
        rounds = 0
        while not position.at_end:
            answer = await self._get(position.since, position.page)
            rows = rows_of(answer)
            made, after = await self.read(rows), self._after(position, answer, rows)
            leaves = position.page > 1 and after.page == 1
            if leaves and rounds < STEADY_ROUNDS and not await self._all_as_before(position):
                after, rounds = replace(position, page=1, etags=()), rounds + 1
            position = after
            yield Page(tuple(made.items), str(position), tuple(made.notices))

    def _after(self, position: ListCursor, answer: Response, rows: list[Row]) -> ListCursor:
        etags = (*position.etags, answer.etag or "")
        last = earlier(max(times_of(rows, "updated_at"), default=""), timedelta())
        newest = max(position.newest, last)
        if next_of(answer) is not None and rows:
            since = earlier(last, BEFORE)
            if since > position.since:
                return ListCursor(since=since, newest=newest)
            return replace(position, page=position.page + 1, etags=etags, newest=newest)
        tail = earlier(newest, OVERLAP) if newest else ""
        if tail > position.since:
            return ListCursor(since=tail, newest=newest)
        if self.leads and newest and (answer.at is None or answer.at <= moment(newest) + SECOND):
            etags = ()
        return replace(position, page=1, etags=etags, at_end=True, newest=newest)

    async def _all_as_before(self, position: ListCursor) -> bool:
        """Whether every page of this ``since`` that was read still has its ETag."""
        for page, etag in enumerate(position.etags, start=1):
            if not etag or not (await self._get(position.since, page, etag)).is_unchanged:
                return False
        return bool(position.etags)

    async def _get(self, since: str, page: int, etag: str | None = None) -> Response:
        params = {**self.params, "sort": "updated", "direction": "asc", "page": str(page)}
        if since:
            params["since"] = since
        return await self.github.list(self.what, params, etag=etag)


@dataclass(frozen=True)
class WholeList(RestList):
    """A list without ``since`` (releases, runs), newest first: every page, conditionally.

    With a ``window`` only that far before the newest row: older rows do not change any more.
    """

    window: timedelta | None = None

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        etags, more = _parse_whole_cursor(cursor)
        page, floor = 1, ""
        while more or page <= len(etags):
            etag = etags[page - 1] if page <= len(etags) else None
            answer = await self.github.list(self.what, {**self.params, "page": page}, etag=etag)
            page += 1
            if answer.is_unchanged:
                continue
            rows = rows_of(answer)
            made, times = await self.read(rows), times_of(rows, "created_at")
            if times and self.window:
                floor = floor or earlier(times[0], self.window)
            ends = bool(floor and times and times[-1] < floor)
            # What is on later pages may have moved, so their ETags are forgotten.
            etags = [*etags[: page - 2], answer.etag or ""]
            more = not ends and next_of(answer) is not None
            position = json.dumps({"etags": etags, "more": more})
            yield Page(tuple(made.items), position, tuple(made.notices))


@contextmanager
def check_page(name: str) -> Iterator[None]:
    """Raises SourceUnavailable if the rows of a page cannot be parsed."""
    try:
        yield
    except UNFIT as error:
        raise SourceUnavailable(
            f"A page of {name} from GitHub cannot be read: the next poll tries again."
        ) from error


def _parse_whole_cursor(cursor: str) -> tuple[list[str], bool]:
    """The ETags of the pages read, and whether there are unread ones."""
    if not cursor:
        return [], True
    state = json.loads(cursor)
    return state["etags"], state["more"]


def times_of(rows: list[Any], name: str) -> list[str]:
    """The times under ``name`` of all rows that have one."""
    times = []
    for row in rows:
        with suppress(*UNFIT):
            times.append(earlier(row[name], timedelta()))
    return times


def earlier(text: str, by: timedelta) -> str:
    """A time of GitHub's minus ``by``, in GitHub's format; nothing of nothing."""
    if not text:
        return ""
    return (moment(text) - by).isoformat(timespec="seconds").replace("+00:00", "Z")
