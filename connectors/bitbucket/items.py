"""Bitbucket's webhook events as items: pull requests, comments, approvals and change requests.

Source: Bitbucket Cloud, «Event payloads». Roots are like GitHub's, one per kind of item, so that a
listing of one kind could be complete.
"""

from __future__ import annotations

from datetime import datetime

from connectors.payloads import (
    Payload,
    UnreadablePayload,
    known_time,
    part,
    required_text,
    text,
    time,
)
from connectors.service_items import TIME_OF_NONE, DeletedItem, Remark, ServiceItem

PULL_EVENTS = frozenset(
    f"pullrequest:{what}" for what in ("created", "updated", "fulfilled", "rejected")
)
COMMENT_EVENTS = frozenset(
    f"pullrequest:comment_{what}"
    for what in ("created", "updated", "deleted", "resolved", "reopened")
)
VERDICTS = {
    "pullrequest:approved": ("approval", "approved"),
    "pullrequest:unapproved": ("approval", "approval withdrawn"),
    "pullrequest:changes_request_created": ("changes_request", "changes requested"),
    "pullrequest:changes_request_removed": ("changes_request", "request withdrawn"),
}


def repository_of(payload: Payload) -> str:
    return text(part(payload, "repository"), "full_name")


def items_of_delivery(
    kind: str, payload: Payload, received_at: datetime
) -> list[ServiceItem | DeletedItem] | None:
    """The items of a delivery; None for a kind without items. Raises UnreadablePayload."""
    repository = repository_of(payload)
    if kind in PULL_EVENTS:
        return [pull_item(repository, part(payload, "pullrequest"))]
    if kind in COMMENT_EVENTS:
        comment, pull = part(payload, "comment"), part(payload, "pullrequest")
        item = comment_item(repository, pull, comment)
        if kind == "pullrequest:comment_deleted":
            return [
                DeletedItem(item.service, item.root, item.path, max(received_at, item.changed_at))
            ]
        return [item]
    if kind in VERDICTS:
        return [verdict_item(repository, payload, *VERDICTS[kind])]
    return None


def root_of(repository: str, kind: str) -> str:
    return f"bitbucket/{repository.lower()}/{kind}"


def pull_item(repository: str, pull: Payload) -> ServiceItem:
    number, flaws = required_text(pull, "id"), list[str]()
    made = known_time(pull, "created_on", flaws)
    changed = known_time(pull, "updated_on", flaws) or made or TIME_OF_NONE
    body = text(pull, "description") or text(part(pull, "summary"), "raw")
    if changed == TIME_OF_NONE and not body and not text(pull, "title"):
        raise UnreadablePayload("it has neither text nor time")
    remark = Remark(number, _name(part(pull, "author")), "author", made, body)
    return ServiceItem(
        service="bitbucket",
        root=root_of(repository, "pulls"),
        path=number,
        source_type="pull_request",
        title=text(pull, "title") or f"#{number}",
        remarks=(remark,),
        changed_at=changed,
        revision_ref=changed.isoformat() if flaws else text(pull, "updated_on"),
        state=text(pull, "state").lower() or None,
        url=_address(pull),
        flaws=tuple(flaws),
    )


def comment_item(repository: str, pull: Payload, comment: Payload) -> ServiceItem:
    number, about = required_text(pull, "id"), text(pull, "title")
    comment_id = required_text(comment, "id")
    flaws: list[str] = []
    made = known_time(comment, "created_on", flaws)
    updated = known_time(comment, "updated_on", flaws)
    edited = updated if made and updated and updated > made else None
    changed = updated or made or TIME_OF_NONE
    place = text(part(comment, "inline"), "path")
    body = text(part(comment, "content"), "raw")
    return ServiceItem(
        service="bitbucket",
        root=root_of(repository, "comments"),
        path=f"{number}/comments/{comment_id}",
        source_type="review_comment" if place else "comment",
        title=f"Review comment on {place}" if place else f"Comment on #{number}",
        remarks=(
            Remark(comment_id, _name(part(comment, "user")), None, made or updated, body, edited),
        ),
        changed_at=changed,
        revision_ref=changed.isoformat() if flaws else text(comment, "updated_on"),
        about=about or None,
        url=_address(comment),
        flaws=tuple(flaws),
    )


def verdict_item(repository: str, payload: Payload, name: str, state: str) -> ServiceItem:
    """A person's decision on a pull request: one item per person, the last one counts."""
    pull, verdict = part(payload, "pullrequest"), part(payload, name)
    number, at = required_text(pull, "id"), time(verdict, "date")
    person = part(verdict, "user")
    member = text(person, "account_id") or required_text(person, "uuid")
    return ServiceItem(
        service="bitbucket",
        root=root_of(repository, "reviews"),
        path=f"{number}/reviews/{member.strip('{}')}",
        source_type="review_comment",
        title=f"Review of #{number}",
        remarks=(Remark(name, _name(person), None, at, f"{state.capitalize()}."),),
        changed_at=at,
        revision_ref=f"{required_text(verdict, 'date')} {state}",
        about=text(pull, "title") or None,
        state=state,
        url=_address(pull),
    )


def _name(person: Payload) -> str:
    """The handle, or the display name; deleted accounts have neither."""
    return text(person, "nickname") or text(person, "display_name") or "unknown"


def _address(of: Payload) -> str | None:
    return text(part(part(of, "links"), "html"), "href") or None
