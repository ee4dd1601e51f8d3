"""GitHub's webhook events as items: the same objects as in its lists, each in an envelope.

An event that carries an item yields the item in its state after the event. Deletions and transfers
yield a ``DeletedItem`` that also covers everything said about the item: GitHub sends no events for
those parts. GitHub does not state the time of a deletion, so the time of the delivery is used.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from connectors.github.items import (
    comment_item,
    deleted_item,
    discussion_comment_item,
    discussion_item,
    issue_item,
    pull_item,
    release_item,
    review_comment_item,
    review_item,
    run_item,
)
from connectors.payloads import Payload, UnreadablePayload, part, required_text, text
from connectors.service_items import DeletedItem, ServiceItem

GOING = frozenset(("deleted", "transferred", "unpublished"))
ReadItem = ServiceItem | None


def repository_of(payload: Payload) -> str:
    """``owner/repo`` of the delivery; empty if it is about no repository."""
    return text(part(payload, "repository"), "full_name")


def items_of_delivery(
    kind: str, payload: Payload, received_at: datetime
) -> list[ServiceItem | DeletedItem] | None:
    """The items of a delivery: usually one, or none; None for a kind without items.

    ``kind`` is event and action (``issues.opened``). Raises UnreadablePayload.
    """
    event, _, action = kind.partition(".")
    if event not in READERS:
        return None
    repository = required_text(part(payload, "repository"), "full_name")
    try:
        item = READERS[event](repository, payload)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadablePayload(f"{event}: {type(error).__name__}") from None
    if item is None:
        return []
    return [deleted_item(item, received_at) if action in GOING else item]


def _issue(repository: str, payload: Any) -> ReadItem:
    return issue_item(repository, payload["issue"])


def _pull(repository: str, payload: Any) -> ReadItem:
    return pull_item(repository, payload["pull_request"])


def _comment(repository: str, payload: Any) -> ReadItem:
    return comment_item(repository, payload["comment"], payload["issue"].get("title"))


def _review(repository: str, payload: Any) -> ReadItem:
    pull = payload["pull_request"]
    return review_item(repository, pull["number"], payload["review"], pull.get("title"))


def _review_comment(repository: str, payload: Any) -> ReadItem:
    title = payload["pull_request"].get("title")
    return review_comment_item(repository, payload["comment"], title)


def _release(repository: str, payload: Any) -> ReadItem:
    return release_item(repository, payload["release"])


def _run(repository: str, payload: Any) -> ReadItem:
    return run_item(repository, payload["workflow_run"])


def _discussion(repository: str, payload: Any) -> ReadItem:
    return discussion_item(repository, payload["discussion"])


def _discussion_comment(repository: str, payload: Any) -> ReadItem:
    discussion = payload["discussion"]
    return discussion_comment_item(
        repository, discussion["number"], payload["comment"], discussion.get("title")
    )


READERS: dict[str, Callable[[str, Any], ReadItem]] = {
    "issues": _issue,
    "pull_request": _pull,
    "pull_request_target": _pull,
    "issue_comment": _comment,
    "pull_request_review": _review,
    "pull_request_review_comment": _review_comment,
    "release": _release,
    "workflow_run": _run,
    "discussion": _discussion,
    "discussion_comment": _discussion_comment,
}
