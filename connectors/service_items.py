"""An item of a service (GitHub, Jira, Slack, Bitbucket), which becomes one source.

The text of an issue, one comment, one review, one Slack thread: each is a ``ServiceItem`` with its
own address, so that one change outside changes one source here. A comment names what it belongs to
(``about``), because its text alone seldom does. Polling and webhooks produce the same items and
render them with the same function, so both give the same facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from schemas.events.source import SourceType

ServiceName = Literal["github", "jira", "slack", "bitbucket"]
# ``changed_at`` of an item without any known time: every known time is newer.
TIME_OF_NONE = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Remark:
    """What one person said at one time, in the service's markup (Markdown, wiki text, mrkdwn).

    ``author`` is the service's stable handle, ``role`` the person's role in it (owner, member,
    contributor, bot), ``at`` is aware, in UTC, or None where the service does not tell it. ``ref``
    names the remark within its item.
    """

    ref: str
    author: str
    role: str | None
    at: datetime | None
    body: str
    edited_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ServiceItem:
    """One source of a service. Its address is ``<root>@<path>``.

    ``root`` is the list that is reconciled as a whole (``github/acme/shop/issues``), ``path`` the
    item's stable place in it (``12``, ``12/comments/345``). ``revision_ref`` differs for every
    change outside. Of two revisions the one with the later ``changed_at`` is newer; at equal times
    the content decides. ``about`` is the title of what a comment belongs to. ``restricted_to``
    names the group of people outside who alone may read it; None for everybody. ``flaws`` say what
    of it could not be read.
    """

    service: ServiceName
    root: str
    path: str
    source_type: SourceType
    title: str
    remarks: tuple[Remark, ...]
    changed_at: datetime
    revision_ref: str
    about: str | None = None
    state: str | None = None
    labels: tuple[str, ...] = ()
    url: str | None = None
    restricted_to: str | None = None
    flaws: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeletedItem:
    """An item that its service has deleted, as of ``changed_at``.

    ``cascade_roots`` are the roots in which everything below ``path`` was deleted with it, for
    example the comments of an issue.
    """

    service: ServiceName
    root: str
    path: str
    changed_at: datetime
    cascade_roots: tuple[str, ...] = ()
