"""A project's issues with their comments and readable attachments, by time of change.

Jira's search asks for changes since a time in milliseconds of the epoch: a written time would be in
the server's zone, or the account's. Each page starts again at the last time seen, so that an issue
which changes during the walk, and moves to its end, is neither lost nor makes its neighbour skip.
Only where one time fills a page are further pages of the same search requested, and repeated until
two walks over them saw the same issues.

At its end the walk stays some minutes behind the newest change: the search index is late, and an
issue may appear in it after a newer one. What is read twice is unchanged and costs only the
reading. No search shows that a comment was deleted: reconciliation finds that.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from connectors.jira.api import LISTING_FIELDS, Jira
from connectors.jira.items import (
    attachment_item,
    comment_item,
    issue_item,
    readable_attachments,
)
from connectors.payloads import part, parts, readable, required_text, time
from connectors.reconciliation import ListedItem
from connectors.service_items import DeletedItem, ServiceItem
from connectors.sync import Page

STREAMS = ("issues",)
OVERLAP = timedelta(minutes=5)
STEADY_ROUNDS = 5
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SENT = "An issue that Jira sent"


@dataclass(frozen=True)
class Issues:
    """The one stream of a project: a comment changes its issue, so both are found together."""

    jira: Jira
    name: str = "issues"
    is_reconcilable: bool = True

    @property
    def root(self) -> str:
        return f"jira/{self.jira.site}/{self.jira.project}"

    @property
    def roots(self) -> tuple[str, ...]:
        return (self.root,)

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        await self.jira.check()
        since_ms = int(json.loads(cursor)["since_ms"]) if cursor else 0
        newest_ms, token = since_ms, None
        group, before, rounds = set[str](), set[str](), 0
        while True:
            found = await self.jira.search(self._since(since_ms), token)
            items = [item for issue in found.issues async for item in self._of(issue)]
            last_ms = _change_time_ms(found.issues[-1]) if found.issues else newest_ms
            newest_ms = max(newest_ms, last_ms)
            group |= {str(it.get("key")) for it in found.issues if _change_time_ms(it) == since_ms}
            leaves = found.token is None or last_ms > since_ms
            if leaves and token and group != before and rounds < STEADY_ROUNDS:
                before, group, token, rounds = group, set(), None, rounds + 1
            elif found.token is None:
                break
            elif last_ms > since_ms:
                since_ms, token = last_ms, None
                group, before, rounds = set(), set(), 0
            else:
                token = found.token
            yield Page(tuple(items), _cursor(since_ms))
        behind_ms = newest_ms - OVERLAP // timedelta(milliseconds=1)
        yield Page(tuple(items), _cursor(max(0, min(newest_ms, behind_ms))))

    def _since(self, since_ms: int) -> str:
        since = f" AND updated >= {since_ms}" if since_ms else ""
        return f'project = "{self.jira.project}"{since} ORDER BY updated ASC, key ASC'

    async def _of(self, issue: dict[str, Any]) -> AsyncIterator[ServiceItem | DeletedItem]:
        """The issue and everything said about it."""
        with readable(SENT):
            yield issue_item(self.jira.site, issue)
            for comment in await self._comments(issue):
                yield comment_item(self.jira.site, issue, comment)
            for attachment in readable_attachments(issue):
                content = await self.jira.content(attachment)
                if content is not None:
                    yield attachment_item(self.jira.site, issue, attachment, content)

    async def _comments(self, issue: dict[str, Any]) -> list[Any]:
        """The comments in the issue, or a full list if it contains only some."""
        held = part(part(issue, "fields"), "comment")
        comments = parts(held, "comments")
        total = held.get("total")
        if held and (not isinstance(total, int) or total <= len(comments)):
            return list(comments)
        return [comment async for comment in self.jira.comments(required_text(issue, "key"))]

    async def list_all(self) -> AsyncIterator[ListedItem]:
        await self.jira.check()
        jql = f'project = "{self.jira.project}" ORDER BY created ASC, key ASC'
        token: str | None = None
        while True:
            found = await self.jira.search(jql, token, LISTING_FIELDS)
            for issue in found.issues:
                with readable(SENT):
                    key = required_text(issue, "key")
                    paths = [key]
                    for comment in await self._comments(issue):
                        paths.append(f"{key}/comments/{required_text(comment, 'id')}")
                    for attachment in readable_attachments(issue):
                        name = str(attachment["filename"]).replace("/", "_")
                        paths.append(f"{key}/attachments/{required_text(attachment, 'id')}/{name}")
                for path in paths:
                    yield ListedItem(self.root, path)
            token = found.token
            if token is None:
                return

    async def look(self, root: str, path: str) -> ServiceItem | None:
        key, _, rest = path.partition("/")
        issue = await self.jira.issue(key) if root == self.root else None
        if issue is None:
            return None
        kind, _, number = rest.partition("/")
        with readable(SENT):
            if kind == "comments":
                comment = await self.jira.comment(key, number)
                return comment_item(self.jira.site, issue, comment) if comment else None
            items = [item async for item in self._of(issue)]
        return next((it for it in items if isinstance(it, ServiceItem) and it.path == path), None)


def _change_time_ms(issue: dict[str, Any]) -> int:
    with readable(SENT):
        return (time(part(issue, "fields"), "updated") - EPOCH) // timedelta(milliseconds=1)


def _cursor(since_ms: int) -> str:
    return json.dumps({"since_ms": since_ms})
