"""The streams of a repository, by name, in the order in which they are read.

Issues come first: lists of comments name an issue by its number, and a comment without a subject is
a poor source. The lists of issues contain pull requests too, and every change of a pull request (a
review, a merge) updates its row, so that list leads to the reviews as well.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from connectors.connector import UnknownSource
from connectors.github.api import GitHub
from connectors.github.discussions import Discussions
from connectors.github.files import Files
from connectors.github.items import (
    comment_item,
    issue_item,
    release_item,
    review_comment_item,
    review_item,
    root_of,
    run_item,
)
from connectors.github.lists import PageItems, Row, SinceList, WholeList
from connectors.reconciliation import ListedItem
from connectors.service_items import ServiceItem
from connectors.sync import Stream

STREAMS = (
    "files",
    "issues",
    "comments",
    "reviews",
    "review-comments",
    "discussions",
    "releases",
    "runs",
)
TITLES_KEPT = 20_000
ALL_STATES = {"state": "all"}
RUNS_WINDOW = timedelta(days=14)

FindTitles = Callable[[Collection[str]], Awaitable[Mapping[str, str]]]


async def no_titles(numbers: Collection[str]) -> Mapping[str, str]:
    return {}


@dataclass
class Titles:
    """Titles of issues and pull requests by number: as last read, as stored, or requested."""

    github: GitHub
    find: FindTitles = no_titles
    _known: OrderedDict[str, str] = field(default_factory=OrderedDict)

    async def before(self, rows: list[Row]) -> dict[str, str]:
        """The titles of the rows when last seen; new rows are absent."""
        return await self._known_titles({str(row["number"]) for row in rows})

    async def of(self, numbers: Collection[str]) -> dict[str, str]:
        """The title of every number; deleted ones are absent."""
        found = await self._known_titles(numbers)
        for number in sorted(set(numbers) - set(found)):
            if row := await self.github.one(f"issues/{number}"):
                found[number] = str(row.get("title") or "")
                self.remember(number, found[number])
        return found

    def remember(self, number: str, title: str) -> None:
        self._known[number] = title
        self._known.move_to_end(number)
        if len(self._known) > TITLES_KEPT:
            self._known.popitem(last=False)

    async def _known_titles(self, numbers: Collection[str]) -> dict[str, str]:
        found = {number: self._known[number] for number in numbers if number in self._known}
        missing = sorted(set(numbers) - set(found))
        if missing:
            held = await self.find(missing)
            for number, title in held.items():
                self.remember(number, title)
            found |= held
        return found


def streams(
    github: GitHub, names: Collection[str] = (), find: FindTitles = no_titles
) -> list[Stream]:
    """The named streams, all without names. Raises UnknownSource for an unknown name."""
    unknown = sorted(set(names) - set(STREAMS))
    if unknown:
        raise UnknownSource(f"GitHub has no stream {unknown[0]!r}: there are {', '.join(STREAMS)}.")
    titles = Titles(github, find)
    made: dict[str, Callable[[], Stream]] = {
        "files": lambda: Files(github),
        "issues": lambda: issues(github, titles),
        "comments": lambda: comments(github, titles),
        "reviews": lambda: Reviews(github, titles),
        "review-comments": lambda: review_comments(github, titles),
        "discussions": lambda: Discussions(github),
        "releases": lambda: releases(github),
        "runs": lambda: runs(github),
    }
    return [made[name]() for name in STREAMS if not names or name in names]


def issues(github: GitHub, titles: Titles) -> SinceList:
    """Issues and pull requests; after a change of title also everything said about them."""
    repository = github.repository

    async def make(rows: list[Row]) -> PageItems:
        """Comments come first: until they are on the log, the stored title is the old one."""
        before, made = await titles.before(rows), PageItems()
        for row in rows:
            number, title = str(row["number"]), str(row.get("title") or "")
            titles.remember(number, title)
            if before.get(number, title) != title:
                await add_remarks_about(github, row, made)
        for row in rows:
            made.add(partial(issue_item, repository, row))
        return made

    def list_row(row: Row) -> ListedItem:
        kind = "pulls" if row.get("pull_request") else "issues"
        return ListedItem(root_of(repository, kind), str(row["number"]))

    async def look(root: str, path: str) -> ServiceItem | None:
        row = await github.one(f"issues/{path}")
        item = issue_item(repository, row) if row and str(row["number"]) == path else None
        return item if item and item.root == root else None  # else moved to another repository

    roots = (root_of(repository, "issues"), root_of(repository, "pulls"))
    return SinceList("issues", roots, github, "issues", make, list_row, look, ALL_STATES)


async def add_remarks_about(github: GitHub, row: Row, made: PageItems) -> None:
    """Adds every comment and review of an issue or pull request."""
    repository, number = github.repository, int(row["number"])
    title = str(row.get("title") or "")
    async for comment in github.every(f"issues/{number}/comments"):
        made.add(partial(comment_item, repository, comment, title))
    if row.get("pull_request"):
        async for review in github.every(f"pulls/{number}/reviews"):
            made.add(partial(review_item, repository, number, review, title))
        async for comment in github.every(f"pulls/{number}/comments"):
            made.add(partial(review_comment_item, repository, comment, title))


def comments(github: GitHub, titles: Titles) -> SinceList:
    return _remarks(
        github, titles, "comments", "issues/comments", "issue_url", "comments", comment_item
    )


def review_comments(github: GitHub, titles: Titles) -> SinceList:
    return _remarks(
        github,
        titles,
        "review-comments",
        "pulls/comments",
        "pull_request_url",
        "review-comments",
        review_comment_item,
    )


def _remarks(
    github: GitHub,
    titles: Titles,
    name: str,
    what: str,
    belongs_to: str,
    kind: str,
    item_of: Callable[[str, Row, str | None], ServiceItem],
) -> SinceList:
    repository = github.repository

    def number_of(row: Row) -> str:
        return str(row[belongs_to]).rpartition("/")[2]

    async def make(rows: list[Row]) -> PageItems:
        about, made = await titles.of({number_of(row) for row in rows}), PageItems()
        for row in rows:
            made.add(partial(item_of, repository, row, about.get(number_of(row))))
        return made

    def list_row(row: Row) -> ListedItem:
        return ListedItem(root_of(repository, kind), f"{number_of(row)}/{kind}/{row['id']}")

    async def look(root: str, path: str) -> ServiceItem | None:
        row = await github.one(f"{what}/{path.rpartition('/')[2]}")
        if row is None:
            return None
        about = await titles.of({number_of(row)})
        item = item_of(repository, row, about.get(number_of(row)))
        return item if item.path == path else None

    return SinceList(name, (root_of(repository, kind),), github, what, make, list_row, look)


@dataclass(frozen=True)
class Reviews:
    """The reviews of every changed pull request. Submitted reviews cannot be deleted."""

    github: GitHub
    titles: Titles
    name: str = "reviews"
    is_reconcilable: bool = False

    @property
    def roots(self) -> tuple[str, ...]:
        return (root_of(self.github.repository, "reviews"),)

    def pages(self, cursor: str) -> AsyncIterator[Any]:
        return self._since_list().pages(cursor)

    async def list_all(self) -> AsyncIterator[ListedItem]:
        async for row in self.github.every("pulls", ALL_STATES):
            for item in (await self._of(row)).items:
                yield ListedItem(item.root, item.path)

    async def look(self, root: str, path: str) -> ServiceItem | None:
        number = path.partition("/")[0]
        row = await self.github.one(f"pulls/{number}")
        found = (await self._of(row)).items if row else []
        return next(
            (item for item in found if isinstance(item, ServiceItem) and item.path == path), None
        )

    async def _of(self, *rows: Row) -> PageItems:
        made, repository = PageItems(), self.github.repository
        for row in rows:
            number, title = int(row["number"]), str(row.get("title") or "")
            async for review in self.github.every(f"pulls/{number}/reviews"):
                made.add(partial(review_item, repository, number, review, title))
        return made

    def _since_list(self) -> SinceList:
        async def make(rows: list[Row]) -> PageItems:
            return await self._of(*(row for row in rows if row.get("pull_request")))

        return SinceList(
            self.name, self.roots, self.github, "issues", make, lambda row: None, self.look,
            ALL_STATES, leads=True,
        )  # fmt: skip


def collect_items(rows: list[Row], item_of: Callable[[Row], ServiceItem | None]) -> PageItems:
    made = PageItems()
    for row in rows:
        made.add(partial(item_of, row))
    return made


def releases(github: GitHub) -> WholeList:
    repository = github.repository

    async def make(rows: list[Row]) -> PageItems:
        return collect_items(rows, partial(release_item, repository))

    def list_row(row: Row) -> ListedItem | None:
        item = release_item(repository, row)
        return ListedItem(item.root, item.path) if item else None

    async def look(root: str, path: str) -> ServiceItem | None:
        row = await github.one(f"releases/{path}")
        return release_item(repository, row) if row else None

    return WholeList(
        "releases", (root_of(repository, "releases"),), github, "releases", make, list_row, look
    )


def runs(github: GitHub) -> WholeList:
    """Results of workflow runs of the last weeks. GitHub deletes them; their sources stay."""
    repository = github.repository

    async def make(rows: list[Row]) -> PageItems:
        return collect_items(rows, partial(run_item, repository))

    async def look(root: str, path: str) -> ServiceItem | None:
        row = await github.one(f"actions/runs/{path}")
        return run_item(repository, row) if row else None

    return WholeList(
        "runs",
        (root_of(repository, "runs"),),
        github,
        "actions/runs",
        make,
        lambda row: None,
        look,
        is_reconcilable=False,
        window=RUNS_WINDOW,
    )
