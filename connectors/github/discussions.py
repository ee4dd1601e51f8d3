"""Discussions, which only GraphQL lists: newest change first, down to what was read before.

The cursor moves when a walk is complete and not during it: newest first means that an interrupted
walk has left older changes unread. GraphQL has no conditional requests; a poll is one query.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from connectors.github.api import GitHub
from connectors.github.items import discussion_comment_item, discussion_item, moment, root_of
from connectors.github.lists import check_page
from connectors.reconciliation import ListedItem
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
    + "replies(first: 100) { nodes {"
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


@dataclass(frozen=True)
class Discussions:
    """Discussions with their comments and replies."""

    github: GitHub
    name: str = "discussions"
    is_reconcilable: bool = True

    @property
    def roots(self) -> tuple[str, ...]:
        return (root_of(self.github.repository, "discussions"),)

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        position = json.loads(cursor) if cursor else {"since": ""}
        since, newest = str(position["since"]), str(position["since"])
        floor = moment(since) - OVERLAP if since else None
        read = str(position.get("read", ""))
        async for nodes, last in self._walk(known=bool(cursor)):
            with check_page(self.name):
                fresh = [n for n in nodes if floor is None or moment(n["updatedAt"]) >= floor]
                newest = max([newest, *(str(node["updatedAt"]) for node in fresh)])
                ended = last or len(fresh) < len(nodes)
                state = "|".join(f"{n['number']} {n['updatedAt']}" for n in fresh)
                if ended and state == read and newest == since:
                    return
                items = [item for node in fresh for item in await self._items(node)]
            after = {"since": newest, "read": state} if ended else position
            yield Page(tuple(items), json.dumps(after, sort_keys=True))
            if ended:
                return

    async def list_all(self) -> AsyncIterator[ListedItem]:
        async for nodes, _ in self._walk():
            with check_page(self.name):
                items = [item for node in nodes for item in await self._items(node)]
            for item in items:
                yield ListedItem(item.root, item.path)

    async def look(self, root: str, path: str) -> ServiceItem | None:
        with check_page(self.name):
            node = await self._one(int(path.partition("/")[0]))
            found = await self._items(node) if node else []
        return next((item for item in found if item.path == path), None)

    async def _walk(self, *, known: bool = False) -> AsyncIterator[tuple[list[Node], bool]]:
        """``known``: there were discussions before, so none at all is an error."""
        after: str | None = None
        while True:
            repository_data = await self._ask(LIST, {"size": PAGE, "after": after})
            if not repository_data.get("hasDiscussionsEnabled", True):
                if known:
                    raise self._disabled_error()
                return
            with check_page(self.name):
                listed = repository_data["discussions"]
                nodes, further = listed["nodes"], bool(listed["pageInfo"]["hasNextPage"])
                after = str(listed["pageInfo"]["endCursor"])
            yield nodes, not further
            if not further:
                return

    async def _items(self, node: Node) -> list[ServiceItem]:
        number, title = int(node["number"]), str(node["title"])
        repository = self.github.repository
        items = [discussion_item(repository, rest_of(node))]
        comments = node["comments"]
        while True:
            for comment in comments["nodes"]:
                for each in (comment, *comment["replies"]["nodes"]):
                    row = rest_of(each)
                    items.append(discussion_comment_item(repository, number, row, title))
            if not comments["pageInfo"]["hasNextPage"]:
                return items
            further = await self._one(number, comments["pageInfo"]["endCursor"])
            if further is None:
                return items
            comments = further["comments"]

    async def _one(self, number: int, inside: str | None = None) -> Node | None:
        repository_data = await self._ask(ONE, {"number": number, "inside": inside})
        if not repository_data.get("hasDiscussionsEnabled", True):
            raise self._disabled_error()
        found = repository_data.get("discussion")
        return found if isinstance(found, dict) else None

    def _disabled_error(self) -> AccessLost:
        """Disabled discussions are hidden; none is deleted."""
        return AccessLost(
            f"Discussions of {self.github.repository} are switched off.", "not_found", 200
        )

    async def _ask(self, text: str, variables: Node) -> Node:
        owner, _, name = self.github.repository.partition("/")
        data = await self.github.query(text, {"owner": owner, "name": name, **variables})
        found = data.get("repository")
        if not isinstance(found, dict):
            raise AccessLost(
                f"GitHub does not show {owner}/{name} to our credential.", "not_found", 200
            )
        return found


def rest_of(node: Node) -> Node:
    """A node of GraphQL with the field names of a webhook's payload."""
    author = node.get("author")
    kind = {"Bot": "Bot"}.get((author or {}).get("__typename", ""), "User")
    return {
        "id": node.get("databaseId"),
        "number": node.get("number"),
        "title": node.get("title"),
        "body": node.get("body"),
        "user": {"login": author["login"], "type": kind} if author else None,
        "author_association": node.get("authorAssociation"),
        "created_at": node["createdAt"],
        "updated_at": node["updatedAt"],
        "html_url": node.get("url"),
        "state": "closed" if node.get("closed") else "open",
        "category": node.get("category"),
        "answer_html_url": (node.get("answer") or {}).get("url"),
        "labels": (node.get("labels") or {}).get("nodes") or [],
    }
