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
from connectors.github.lists import Row, SinceList, WholeList
from connectors.github.switched import PullsByChange, Switchable
from connectors.payloads import required_text
from connectors.reconciliation import ListedItem
from connectors.records import Records, key_of
from connectors.service_items import ServiceItem
from connectors.sync import Page, Stream

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
        return await self._known_titles({number_of(row) for row in rows} - {""})

    async def of(self, numbers: Collection[str]) -> dict[str, str]:
        """The title of every number; deleted ones are absent."""
        titles = await self._known_titles(numbers)
        for number in sorted(set(numbers) - set(titles)):
            if row := await one_numbered(self.github, number):
                titles[number] = str(row.get("title") or "")
                self.remember(number, titles[number])
        return titles

    def remember(self, number: str, title: str) -> None:
        self._known[number] = title
        self._known.move_to_end(number)
        if len(self._known) > TITLES_KEPT:
            self._known.popitem(last=False)

    async def _known_titles(self, numbers: Collection[str]) -> dict[str, str]:
        titles = {number: self._known[number] for number in numbers if number in self._known}
        missing = sorted(set(numbers) - set(titles))
        if missing:
            held = await self.find(missing)
            for number, title in held.items():
                self.remember(number, title)
            titles |= held
        return titles


def number_of(row: Row) -> str:
    """The number of an issue or pull request; empty where the row has none."""
    return key_of(row, "number", default="")


async def one_numbered(github: GitHub, number: str) -> Row | None:
    """An issue or pull request; where issues are switched off only the latter can be asked for."""
    record = await github.one(f"issues/{number}")
    if record is None and (pull := await github.one(f"pulls/{number}")):
        record = {**pull, "pull_request": {"merged_at": pull.get("merged_at")}}
    return record


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


def issues(github: GitHub, titles: Titles) -> Switchable:
    """Issues and pull requests; after a change of title also everything said about them."""
    repository = github.repository

    async def make(rows: list[Row]) -> Records:
        """Comments come first: until they are on the log, the stored title is the old one."""
        before, made = await titles.before(rows), Records()
        for row in rows:
            number, title = number_of(row), str(row.get("title") or "")
            if number:
                titles.remember(number, title)
            if before.get(number, title) != title:
                await add_remarks_about(github, row, made)
        for row in rows:
            made.take(key_of(row, "number", "id"), partial(issue_item, repository, row))
        return made

    async def make_pulls(rows: list[Row]) -> Records:
        return await make([{**row, "pull_request": row} for row in rows])

    def list_row(row: Row) -> ListedItem:
        kind = "pulls" if row.get("pull_request") else "issues"
        return ListedItem(root_of(repository, kind), required_text(row, "number"))

    async def look(root: str, path: str) -> ServiceItem | None:
        row = await one_numbered(github, path)
        item = issue_item(repository, row) if row and str(row["number"]) == path else None
        return item if item and item.root == root else None  # else moved to another repository

    pulls = root_of(repository, "pulls")
    roots = (root_of(repository, "issues"), pulls)
    listed = SinceList("issues", roots, github, "issues", make, list_row, look, ALL_STATES)
    return Switchable(listed, "has_issues", PullsByChange(github, make_pulls), (pulls,))


async def add_remarks_about(github: GitHub, row: Row, made: Records) -> None:
    """Adds every comment and review of an issue or pull request."""
    repository, number = github.repository, int(row["number"])
    title = str(row.get("title") or "")
    async for comment in github.every(f"issues/{number}/comments"):
        name = f"{number}/comments/{key_of(comment, 'id', default='?')}"
        made.take(name, partial(comment_item, repository, comment, title))
    if row.get("pull_request"):
        async for review in github.every(f"pulls/{number}/reviews"):
            name = f"{number}/reviews/{key_of(review, 'id', default='?')}"
            made.take(name, partial(review_item, repository, number, review, title))
        async for comment in github.every(f"pulls/{number}/comments"):
            name = f"{number}/review-comments/{key_of(comment, 'id', default='?')}"
            made.take(name, partial(review_comment_item, repository, comment, title))


def comments(github: GitHub, titles: Titles) -> Switchable:
    listed = _remarks(
        github, titles, "comments", "issues/comments", "issue_url", "comments", comment_item
    )

    async def make_of_pulls(rows: list[Row]) -> Records:
        made = Records()
        for row in rows:
            number, title = number_of(row), str(row.get("title") or "")
            async for comment in github.every(f"issues/{number}/comments"):
                name = f"{number}/comments/{key_of(comment, 'id', default='?')}"
                made.take(name, partial(comment_item, github.repository, comment, title))
        return made

    return Switchable(listed, "has_issues", PullsByChange(github, make_of_pulls))


def review_comments(github: GitHub, titles: Titles) -> Switchable:
    listed = _remarks(
        github,
        titles,
        "review-comments",
        "pulls/comments",
        "pull_request_url",
        "review-comments",
        review_comment_item,
    )
    return Switchable(listed, "has_pull_requests")


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

    def subject_of(row: Row) -> str:
        return key_of(row, belongs_to, default="").rpartition("/")[2]

    async def make(rows: list[Row]) -> Records:
        about, made = await titles.of({subject_of(row) for row in rows} - {""}), Records()
        for row in rows:
            number = subject_of(row)
            name = f"{number or '?'}/{kind}/{key_of(row, 'id', default='?')}"
            made.take(name, partial(item_of, repository, row, about.get(number)))
        return made

    def list_row(row: Row) -> ListedItem:
        number = required_text(row, belongs_to).rpartition("/")[2]
        path = f"{number}/{kind}/{required_text(row, 'id')}"
        return ListedItem(root_of(repository, kind), path)

    async def look(root: str, path: str) -> ServiceItem | None:
        row = await github.one(f"{what}/{path.rpartition('/')[2]}")
        if row is None:
            return None
        about = await titles.of({subject_of(row)} - {""})
        item = item_of(repository, row, about.get(subject_of(row)))
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

    def pages(self, cursor: str) -> AsyncIterator[Page]:
        return self._listed().pages(cursor)

    async def list_all(self) -> AsyncIterator[ListedItem]:
        async for row in self.github.every("pulls", ALL_STATES):
            for item in (await self._of(row)).items:
                yield ListedItem(item.root, item.path)

    async def look(self, root: str, path: str) -> ServiceItem | None:
        number = path.partition("/")[0]
        row = await self.github.one(f"pulls/{number}")
        items = (await self._of(row)).items if row else []
        return next((item for item in items if item.path == path), None)

    async def _of(self, *rows: Row) -> Records:
        made, repository = Records(), self.github.repository
        for row in rows:
            number, title = number_of(row), str(row.get("title") or "")
            if not number:
                made.tell(key_of(row, "id"), "number is missing")
                continue
            async for review in self.github.every(f"pulls/{number}/reviews"):
                name = f"{number}/reviews/{key_of(review, 'id', default='?')}"
                made.take(name, partial(review_item, repository, int(number), review, title))
        return made

    def _listed(self) -> Switchable:
        async def make_of_pulls(rows: list[Row]) -> Records:
            return await self._of(*rows)

        async def make(rows: list[Row]) -> Records:
            return await self._of(*(row for row in rows if row.get("pull_request")))

        listed = SinceList(
            self.name, self.roots, self.github, "issues", make, lambda row: None, self.look,
            ALL_STATES, leads=True,
        )  # fmt: skip
        return Switchable(listed, "has_issues", PullsByChange(self.github, make_of_pulls))


def collect_items(rows: list[Row], item_of: Callable[[Row], ServiceItem | None]) -> Records:
    made = Records()
    for row in rows:
        made.take(key_of(row, "id"), partial(item_of, row))
    return made


def releases(github: GitHub) -> WholeList:
    repository = github.repository

    async def make(rows: list[Row]) -> Records:
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

    async def make(rows: list[Row]) -> Records:
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
