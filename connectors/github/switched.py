"""Lists that a repository may have switched off: issues, with the comments on them, and pulls.

A list that is switched off is not lost access. What was read of it stays, and what is left is read
another way: pull requests have a list of their own, which has no ``since``. It is walked by time of
change, newest first, down to what was read before. What changes during the walk comes to its
beginning, so nothing is skipped, and the cursor moves when the walk is complete.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from connectors.github.api import GitHub, next_of, rows_of
from connectors.github.items import moment
from connectors.github.lists import OVERLAP, SECOND, Row, SinceList, earlier, times_of
from connectors.reconciliation import ListedItem
from connectors.records import RecordNotice, Records, key_of
from connectors.service_items import ServiceItem
from connectors.sync import Page
from connectors.transport import AccessLost, SwitchedOff

BY_CHANGE = {"state": "all", "sort": "updated", "direction": "desc"}
WORDS = {"has_issues": "issues", "has_pull_requests": "pull requests"}


@dataclass(frozen=True)
class PullsByChange:
    """The pull requests that have changed; ``make`` gives the items of some."""

    github: GitHub
    make: Callable[[list[Row]], Awaitable[Records]]

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        state = json.loads(cursor) if cursor else {}
        since, etag = str(state.get("pulls_since", "")), str(state.get("etag", ""))
        floor, newest, page = earlier(since, OVERLAP), since, 1
        while True:
            asked = {**BY_CHANGE, "page": str(page)}
            answer = await self.github.list("pulls", asked, etag=etag if page == 1 else None)
            if answer.is_unchanged:
                return
            rows = [row for row in rows_of(answer) if isinstance(row, dict)]
            times = times_of(rows, "updated_at")
            newest = max([newest, *times])
            if page == 1:
                etag = (answer.etag or "") if _is_over(newest, answer.at) else ""
            fresh = [row for row in rows if max(times_of([row], "updated_at"), default="") >= floor]
            made = await self.make(fresh)
            ends = next_of(answer) is None or bool(times and min(times) < floor)
            after = json.dumps({"pulls_since": newest, "etag": etag}) if ends else cursor
            yield Page(tuple(made.items), after, tuple(made.notices))
            if ends:
                return
            page += 1

    async def numbers(self) -> AsyncIterator[str]:
        async for row in self.github.every("pulls", {"state": "all"}):
            if number := key_of(row, "number", default=""):
                yield number


def _is_over(newest: str, at: datetime | None) -> bool:
    """Whether the second of the newest change is over: another change in it would not show."""
    return bool(newest and at and at > moment(newest) + SECOND)


@dataclass
class Switchable:
    """A list that may be switched off; ``instead`` reads what is left then.

    ``feature`` is the repository's own word for it. ``left`` are the roots that can still be
    reconciled.
    """

    listed: SinceList
    feature: str
    instead: PullsByChange | None = None
    left: tuple[str, ...] = ()
    is_off: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        return self.listed.name

    @property
    def is_reconcilable(self) -> bool:
        return self.listed.is_reconcilable

    @property
    def roots(self) -> tuple[str, ...]:
        return self.left if self.is_off else self.listed.roots

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        try:
            async for page in self.listed.pages(cursor):
                yield page
            return
        except AccessLost as error:
            await self._check_off(error, self.feature)
        yield Page((), cursor, (self._notice(),))
        if self.instead is None:
            return
        try:
            async for page in self.instead.pages(cursor):
                yield page
        except AccessLost as error:
            await self._check_off(error, "has_pull_requests")

    async def list_all(self) -> AsyncIterator[ListedItem]:
        try:
            async for listed in self.listed.list_all():
                yield listed
            return
        except AccessLost as error:
            await self._check_off(error, self.feature)
        if self.instead and self.left:
            async for number in self.instead.numbers():
                yield ListedItem(self.left[0], number)

    async def look(self, root: str, path: str) -> ServiceItem | None:
        return await self.listed.look(root, path)

    async def _check_off(self, error: AccessLost, feature: str) -> None:
        """Raises the error unless the feature is switched off."""
        off = isinstance(error, SwitchedOff) or (
            error.status == 404 and await self.listed.github.is_switched_off(feature)
        )
        if not off:
            raise error
        self.is_off = True

    def _notice(self) -> RecordNotice:
        rest = ": what belongs to pull requests is read" if self.instead else ""
        words = WORDS[self.feature]
        return RecordNotice(self.name, f"{words} are switched off at GitHub{rest}", is_lost=False)
