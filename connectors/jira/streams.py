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
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from connectors.jira.api import FIELDS, LISTING_FIELDS, Jira
from connectors.jira.fields import text_fields
from connectors.jira.items import (
    attachment_item,
    attachment_path,
    audience_of_comment,
    audience_of_issue,
    change_of,
    comments_in,
    comments_of,
    is_key,
    readable_attachments,
    records_of,
    without_restricted,
)
from connectors.payloads import UnreadablePayload, part, readable, required_text
from connectors.reconciliation import ListedItem, UnreadableItem
from connectors.records import Records, key_of
from connectors.service_items import ServiceItem
from connectors.sync import Page

STREAMS = ("issues",)
OVERLAP = timedelta(minutes=5)
STEADY_ROUNDS = 5
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SENT = "An issue that Jira sent"


@dataclass(frozen=True)
class Issues:
    """The one stream of a project: a comment changes its issue, so both are found together.

    ``reads_restricted``: also what only some people may read at the site. ``reads_fields``: also
    the fields of text that the site has added.
    """

    jira: Jira
    reads_restricted: bool = True
    reads_fields: bool = True
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
        names, read = await self._names(), Records()
        if names is None:
            read.tell("fields", "Jira does not tell which fields the site has added", is_lost=False)
        asked = (*FIELDS, *(names or ()))
        group, before, rounds = set[str](), set[str](), 0
        while True:
            answer = await self.jira.search(self._since(since_ms), token, asked)
            for issue in answer.issues:
                read.extend(await self._of(issue, names or {}))
            times = [_change_time_ms(it) for it in answer.issues]
            last_ms = max((ms for ms in times if ms is not None), default=newest_ms)
            newest_ms = max(newest_ms, last_ms)
            group |= {
                key_of(it, "key")
                for it, ms in zip(answer.issues, times, strict=True)
                if ms == since_ms
            }
            leaves = answer.token is None or last_ms > since_ms
            if leaves and token and group != before and rounds < STEADY_ROUNDS:
                before, group, token, rounds = group, set(), None, rounds + 1
            elif answer.token is None:
                break
            elif last_ms > since_ms:
                since_ms, token = last_ms, None
                group, before, rounds = set(), set(), 0
            else:
                token = answer.token
            yield Page((*read.items, *read.gone), _cursor(since_ms), tuple(read.notices))
            read = Records()
        behind_ms = newest_ms - OVERLAP // timedelta(milliseconds=1)
        after = _cursor(max(0, min(newest_ms, behind_ms)))
        yield Page((*read.items, *read.gone), after, tuple(read.notices))

    def _since(self, since_ms: int) -> str:
        since = f" AND updated >= {since_ms}" if since_ms else ""
        return f'project = "{self.jira.project}"{since} ORDER BY updated ASC, key ASC'

    async def _names(self) -> dict[str, str] | None:
        return await self.jira.field_names() if self.reads_fields else {}

    async def _of(self, issue: Any, names: Mapping[str, str]) -> Records:
        """The issue and everything said about it; what cannot be read is named."""
        site, key = self.jira.site, key_of(issue, "key", "id")
        read = records_of(site, issue, names if self.reads_fields else None)
        if not read.items:
            return read
        try:
            further = await self._further_comments(issue)
        except UnreadablePayload as error:
            read.tell(f"{key}/comments", str(error))
            further = []
        read.extend(comments_of(site, issue, further))
        for attachment in readable_attachments(issue):
            content = await self.jira.content(attachment)
            if content is not None:
                name = f"{key}/attachments/{key_of(attachment, 'id', default='?')}"
                read.take(name, partial(attachment_item, site, issue, attachment, content))
        return read if self.reads_restricted else leave_out_restricted(read)

    async def _further_comments(self, issue: dict[str, Any]) -> list[Any]:
        """All comments of an issue that contains only some of them; otherwise none."""
        held = part(part(issue, "fields"), "comment")
        total = held.get("total")
        if held and (not isinstance(total, int) or total <= len(comments_in(issue))):
            return []
        return [comment async for comment in self.jira.comments(required_text(issue, "key"))]

    async def list_all(self) -> AsyncIterator[ListedItem]:
        await self.jira.check()
        jql = f'project = "{self.jira.project}" ORDER BY created ASC, key ASC'
        names = await self._names() or {}
        token: str | None = None
        while True:
            answer = await self.jira.search(jql, token, (*LISTING_FIELDS, *names))
            for issue in answer.issues:
                for path in await self._paths(issue, names):
                    yield ListedItem(self.root, path)
            token = answer.token
            if token is None:
                return

    async def _paths(self, issue: Any, names: Mapping[str, str]) -> list[str]:
        """The paths of an issue and of all below it; of an unreadable one none."""
        key = key_of(issue, "key", default="")
        hides = not self.reads_restricted
        if not is_key(key) or (hides and audience_of_issue(part(issue, "fields"))):
            return []
        with readable(SENT):
            comments = [*comments_in(issue), *await self._further_comments(issue)]
            if hides:
                comments = [it for it in comments if not audience_of_comment(issue, it)]
            numbers = [key_of(comment, "id", default="") for comment in comments]
            paths = [key, *dict.fromkeys(f"{key}/comments/{it}" for it in numbers if it)]
            paths += [f"{key}/fields/{it}" for it in text_fields(part(issue, "fields"), names)]
            paths += [attachment_path(key, it) for it in readable_attachments(issue)]
        return paths

    async def look(self, root: str, path: str) -> ServiceItem | None:
        key, _, rest = path.partition("/")
        issue = await self.jira.issue(key) if root == self.root else None
        if issue is None:
            return None
        kind, _, number = rest.partition("/")
        if kind == "comments":
            comment = await self.jira.comment(key, number)
            if comment is None:
                return None
            read = comments_of(self.jira.site, issue, [comment])
            read = read if self.reads_restricted else leave_out_restricted(read)
        else:
            read = await self._of(issue, await self._names() or {})
        for item in read.items:
            if item.path == path:
                return item
        hidden = any(gone.path == path for gone in read.gone)
        for notice in () if hidden else read.notices:
            if notice.is_lost and notice.key == path:
                raise UnreadableItem(path, notice.reason)
        return None


def leave_out_restricted(read: Records) -> Records:
    """The records that everybody may read at the site; the others are named, and gone here."""
    kept = Records(notices=read.notices)
    for item in read.items:
        open_one = without_restricted(item)
        if isinstance(open_one, ServiceItem):
            kept.items.append(open_one)
        else:
            kept.gone.append(open_one)
            kept.tell(item.path, "only some people may read it at the site, so it is left out")
    return kept


def _change_time_ms(issue: Any) -> int | None:
    changed_at = change_of(issue)
    return (changed_at - EPOCH) // timedelta(milliseconds=1) if changed_at else None


def _cursor(since_ms: int) -> str:
    return json.dumps({"since_ms": since_ms})
