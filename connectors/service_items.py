"""What stands in a service outside (GitHub, Jira, Slack) and becomes one source each.

An issue's text, one comment, one review, one Slack thread: each is an ``ServiceItem`` with its own
address, so that a change outside is one source's change here. A comment names what it belongs to
(``about``), for its text alone seldom says so. Sync and webhooks hand over the same items, rendered
by the same function, so a fact that comes both ways is one fact.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from schemas.events.source import SourceType

Service = Literal["github", "jira", "slack", "bitbucket"]


@dataclass(frozen=True, slots=True)
class Remark:
    """What one person said at one time, as the service gives it (Markdown, wiki text, mrkdwn).

    ``author`` is the service's stable handle, ``role`` what the service says of the person (owner,
    member, contributor, bot), ``at`` aware in UTC. ``ref`` names the remark within its item.
    """

    ref: str
    author: str
    role: str | None
    at: datetime
    body: str
    edited_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ServiceItem:
    """One source of a service: ``<root>@<path>`` is its address (spec 01 §1).

    ``root`` is what one census covers (``github/acme/shop/issues``), ``path`` the item's stable
    place in it (``12``, ``12/comments/345``). ``revision_ref`` changes with every change outside;
    of two revisions the one with the later ``changed_at`` is the newer, equal times are told apart
    by content. ``about`` is the title of what a comment belongs to.
    """

    service: Service
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


@dataclass(frozen=True, slots=True)
class DeletedItem:
    """An item that its service has deleted, as of ``changed_at``.

    ``cascade_roots`` are the roots in which everything below ``path`` was deleted with it, for
    example the comments of an issue.
    """

    service: Service
    root: str
    path: str
    changed_at: datetime
    cascade_roots: tuple[str, ...] = ()
