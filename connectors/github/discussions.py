"""Discussions, which only GraphQL lists: newest change first, down to what was read before.

The cursor moves when a walk is complete and not during it: newest first means that an interrupted
walk has left older changes unread. GraphQL has no conditional requests; a poll is one query.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from connectors.github.api import GitHub
from connectors.github.items import discussion_comment_item, discussion_item, root_of
from connectors.github.lists import check_page, earlier, times_of
from connectors.payloads import UnreadablePayload
from connectors.reconciliation import ListedItem, UnreadableItem
from connectors.records import RecordNotice, Records, key_of
from connectors.service_items import ServiceItem
from connectors.sync import Page
from connectors.transport import AccessLost

OVERLAP = timedelta(seconds=60)
PAGE = 20  # times the comments and replies of each: GraphQL counts nodes
COMMENT = """
 databaseId body createdAt updatedAt url authorAssociation author { login __typename }
"""
DISCUSSION = (
    """
 id number title body createdAt updatedAt url closed authorAssociation
 author { login __typename } category { name } answer { url } labels(first: 20) { nodes { name } }
 comments(first: 50, after: $inside) { pageInfo { hasNextPage endCursor } nodes {"""
    + COMMENT
    + "replies(first: 100) { pageInfo { hasNextPage } nodes {"
    + COMMENT
    + "} } } }"
)
LIST = (
    "query($owner: String!, $name: String!, $size: Int!, $after: String, $inside: String) {"
    " repository(owner: $owner, name: $name) { hasDiscussionsEnabled discussions("
    "first: $size, after: $after, orderBy: {field: UPDATED_AT, direction: DESC}) {"
    " pageInfo { hasNextPage endCursor } nodes {" + DISCUSSION + "} } } }"
)
ONE = (
    "query($owner: String!, $name: String!, $number: Int!, $inside: String) {"
    " repository(owner: $owner, name: $name) { hasDiscussionsEnabled"
    " discussion(number: $number) {" + DISCUSSION + "} } }"
)
Node = dict[str, Any]


@dataclass
class Discussions:
    """Discussions with their comments and replies; switched off ones are hidden, not deleted."""

    github: GitHub
    name: str = "discussions"
    is_reconcilable: bool = True
    is_off: bool = False
    left_out: set[str] = field(default_factory=set)  # kinds of errors that came with an answer

    @property
    def roots(self) -> tuple[str, ...]:
        return () if self.is_off else (root_of(self.github.repository, "discussions"),)

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        position = json.loads(cursor) if cursor else {"since": ""}
        since, newest = str(position["since"]), str(position["since"])
        floor = earlier(since, OVERLAP)
        read = str(position.get("read", ""))
        async for nodes, last in self._walk():
            with check_page(self.name):
                times = {id(node): _changed(node) for node in nodes}
                fresh = [n for n in nodes if times[id(n)] >= floor or not times[id(n)]]
                newest = max([newest, *(times[id(node)] for node in fresh)])
                ended = last or len(fresh) < len(nodes)
                state = "|".join(f"{key_of(n, 'number')} {times[id(n)]}" for n in fresh)
                if ended and state == read and newest == since:
                    return
                made = Records()
                for node in fresh:
                    made.extend(await self._records(node))
            after = {"since": newest, "read": state} if ended else position
            for kind in sorted(self.left_out):
                made.tell(self.name, f"GitHub left parts of its answer out ({kind})", is_lost=False)
            notices = tuple(made.notices)
            yield Page(tuple(made.items), json.dumps(after, sort_keys=True), notices)
            if ended:
                return
        if self.is_off:
            off = RecordNotice(self.name, "discussions are switched off at GitHub", is_lost=False)
            yield Page((), cursor, (off,) if cursor else ())

    async def list_all(self) -> AsyncIterator[ListedItem]:
        async for nodes, _ in self._walk():
            for node in nodes:
                for item in (await self._records(node)).items:
                    yield ListedItem(item.root, item.path)

    async def look(self, root: str, path: str) -> ServiceItem | None:
        with check_page(self.name):
            node = await self._one(int(path.partition("/")[0]))
        records = await self._records(node) if node else Records()
        for item in records.items:
            if item.path == path:
                return item
        if lost := next((it for it in records.notices if it.is_lost and it.key == path), None):
            raise UnreadableItem(path, lost.reason)
        return None

    async def _walk(self) -> AsyncIterator[tuple[list[Any], bool]]:
        after: str | None = None
        while True:
            repository_data = await self._ask(LIST, {"size": PAGE, "after": after})
            if not repository_data.get("hasDiscussionsEnabled", True):
                self.is_off = True
                return
            with check_page(self.name):
                listed = repository_data["discussions"]
                nodes, further = list(listed["nodes"]), bool(listed["pageInfo"]["hasNextPage"])
                after = str(listed["pageInfo"]["endCursor"])
            yield nodes, not further
            if not further:
                return

    async def _records(self, node: Any) -> Records:
        """A discussion and what was said in it; a node that GitHub does not show is null."""
        made, repository, key = Records(), self.github.repository, key_of(node, "number")
        made.take(key, lambda: discussion_item(repository, rest_of(node)))
        if not made.items:
            return made
        number, title = int(node["number"]), str(node.get("title") or "")
        comments = node.get("comments") or {}
        while True:
            for each in _list_messages(made, number, comments):
                name = f"{number}/comments/{key_of(each, 'databaseId', default='?')}"
                read = partial(self._comment, number, title, each)
                made.take(name, read)
            info = comments.get("pageInfo") or {}
            if not info.get("hasNextPage"):
                return made
            further = await self._one(number, info.get("endCursor"))
            if further is None:
                return made
            comments = further.get("comments") or {}

    def _comment(self, number: int, title: str, node: Any) -> ServiceItem:
        return discussion_comment_item(self.github.repository, number, rest_of(node), title)

    async def _one(self, number: int, inside: str | None = None) -> Node | None:
        repository_data = await self._ask(ONE, {"number": number, "inside": inside})
        if not repository_data.get("hasDiscussionsEnabled", True):
            raise UnreadableItem(str(number), "discussions are switched off at GitHub")
        discussion = repository_data.get("discussion")
        return discussion if isinstance(discussion, dict) else None

    async def _ask(self, text: str, variables: Node) -> Node:
        owner, _, name = self.github.repository.partition("/")
        asked = {"owner": owner, "name": name, **variables}
        answer = await self.github.query(text, asked)
        self.left_out |= set(answer.errors)
        repository = answer.data.get("repository")
        if not isinstance(repository, dict):
            raise AccessLost(
                f"GitHub does not show {owner}/{name} to our credential.", "not_found", 200
            )
        return repository


def _list_messages(made: Records, number: int, comments: Node) -> Iterator[Any]:
    """The comments of one page, each followed by its replies."""
    for comment in comments.get("nodes") or ():
        yield comment
        replies = (comment.get("replies") if isinstance(comment, dict) else None) or {}
        yield from replies.get("nodes") or ()
        if (replies.get("pageInfo") or {}).get("hasNextPage"):
            name = f"{number}/comments/{key_of(comment, 'databaseId', default='?')}"
            made.tell(name, "only its first 100 replies are read", is_lost=False)


def _changed(node: Any) -> str:
    """When a discussion changed, in GitHub's format; empty where it does not tell that."""
    return max(times_of([node], "updatedAt"), default="")


def rest_of(node: Any) -> Node:
    """A node of GraphQL with the field names of a webhook's payload. Raises UnreadablePayload."""
    if not isinstance(node, dict):
        raise UnreadablePayload("GitHub does not show it")
    author = node.get("author")
    kind = {"Bot": "Bot"}.get((author or {}).get("__typename", ""), "User")
    return {
        "id": node.get("databaseId"),
        "number": node.get("number"),
        "title": node.get("title"),
        "body": node.get("body"),
        "user": {"login": author["login"], "type": kind} if author else None,
        "author_association": node.get("authorAssociation"),
        "created_at": node.get("createdAt"),
        "updated_at": node.get("updatedAt"),
        "html_url": node.get("url"),
        "state": "closed" if node.get("closed") else "open",
        "category": node.get("category"),
        "answer_html_url": (node.get("answer") or {}).get("url"),
        "labels": (node.get("labels") or {}).get("nodes") or [],
    }
