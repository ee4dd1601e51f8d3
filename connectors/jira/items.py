"""Jira's payloads as items: one source per issue, comment and readable attachment.

Polls, webhooks and export files use the same objects and give the same items, so only fields that
all of them contain are used (a webhook's comment does not name the reporter). Bodies are wiki
markup (version 2 of the interface, Data Center, webhooks) or ADF trees (version 3).

``root`` is ``jira/<site>/<PROJECT>`` by the issue's present key. An issue that moved to another
project is removed here by the next reconciliation and appears there with its next change.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from connectors.jira import adf, wiki
from connectors.payloads import Payload, UnreadablePayload, part, parts, required_text, text, time
from connectors.service_items import DeletedItem, Remark, ServiceItem

READABLE_SUFFIXES = (".md", ".markdown", ".txt", ".rst", ".adoc")
LARGEST_ATTACHMENT_BYTES = 1024 * 1024


def root_of(site: str, key: str) -> str:
    """The root of an issue key's project. Raises UnreadablePayload for anything else."""
    project, dash, number = key.rpartition("-")
    if not dash or not project or not number.isdecimal():
        raise UnreadablePayload("key is not an issue key")
    return f"jira/{site}/{project}"


def items_of(site: str, issue: Payload) -> list[ServiceItem]:
    """An issue and the comments that the payload contains. Raises UnreadablePayload."""
    comments = parts(part(part(issue, "fields"), "comment"), "comments")
    return [issue_item(site, issue), *(comment_item(site, issue, it) for it in comments)]


def issue_item(site: str, issue: Payload) -> ServiceItem:
    """The issue's own text: its description by its reporter. Raises UnreadablePayload."""
    key, fields = required_text(issue, "key"), part(issue, "fields")
    changed_at = time(fields, "updated")
    author = fields.get("reporter") or fields.get("creator")
    description = Remark(
        ref="description",
        author=_name(author),
        role="bot" if _is_bot(author) else "reporter",
        at=time(fields, "created"),
        body=body_of(fields.get("description")),
    )
    return ServiceItem(
        service="jira",
        root=root_of(site, key),
        path=key,
        source_type="issue",
        title=_title(key, fields),
        remarks=(description,),
        changed_at=changed_at,
        revision_ref=_revision_of(issue, changed_at),
        state=_state(fields),
        labels=tuple(sorted(_labels(fields))),
        url=_address(issue, key),
    )


def comment_item(site: str, issue: Payload, comment: Payload) -> ServiceItem:
    """A comment of an issue, of which key and summary suffice. Raises UnreadablePayload."""
    key, number = required_text(issue, "key"), required_text(comment, "id")
    made, changed = time(comment, "created"), time(comment, "updated")
    author = comment.get("author")
    about = _title(key, part(issue, "fields"))
    said = Remark(
        ref=number,
        author=_name(author),
        role="bot" if _is_bot(author) else None,
        at=made,
        body=body_of(comment.get("body")),
        edited_at=changed if changed > made else None,
    )
    address = _address(issue, key)
    return ServiceItem(
        service="jira",
        root=root_of(site, key),
        path=f"{key}/comments/{number}",
        source_type="comment",
        title=f"Comment on {about}",
        remarks=(said,),
        changed_at=changed,
        revision_ref=_format_time(changed),
        about=about,
        url=f"{address}?focusedCommentId={number}" if address else None,
    )


def _title(key: str, fields: Payload) -> str:
    summary = text(fields, "summary")
    return f"{key}: {summary}" if summary.strip() else key


def readable_attachments(issue: Payload) -> list[Payload]:
    """The attachments worth reading: prose by their suffix, and not too large."""
    return [
        it
        for it in parts(part(issue, "fields"), "attachment")
        if text(it, "filename").lower().endswith(READABLE_SUFFIXES)
        and isinstance(it.get("size"), int)
        and it["size"] <= LARGEST_ATTACHMENT_BYTES
    ]


def attachment_item(site: str, issue: Payload, attachment: Payload, content: bytes) -> ServiceItem:
    """An attachment's text; invalid UTF-8 becomes replacement characters."""
    key, number = required_text(issue, "key"), required_text(attachment, "id")
    made, name = time(attachment, "created"), text(attachment, "filename")
    author = attachment.get("author")
    return ServiceItem(
        service="jira",
        root=root_of(site, key),
        path=f"{key}/attachments/{number}/{name.replace('/', '_')}",
        source_type="doc",
        title=name,
        remarks=(Remark(number, _name(author), None, made, content.decode(errors="replace")),),
        changed_at=made,
        revision_ref=_format_time(made),
        url=text(attachment, "content") or None,
    )


def items_of_event(site: str, event: Payload) -> list[ServiceItem | DeletedItem]:
    """The items of a webhook's event; empty if it is about neither issue nor comment.

    A deleted issue takes everything below it along, comments and attachments, whether the event
    names them or not. Raises UnreadablePayload.
    """
    match text(event, "webhookEvent"):
        case "jira:issue_created" | "jira:issue_updated":
            return list(items_of(site, _with_change(event)))
        case "jira:issue_deleted":
            key = required_text(part(event, "issue"), "key")
            root = root_of(site, key)
            return [DeletedItem("jira", root, key, _at(event), cascade_roots=(root,))]
        case "comment_created" | "comment_updated":
            return [comment_item(site, part(event, "issue"), part(event, "comment"))]
        case "comment_deleted":
            key = required_text(part(event, "issue"), "key")
            path = f"{key}/comments/{required_text(part(event, 'comment'), 'id')}"
            return [DeletedItem("jira", root_of(site, key), path, _at(event))]
        case _:
            return []


def _with_change(event: Payload) -> Payload:
    """The issue with the event's one change, where a poll has its list of changes."""
    change = part(event, "changelog")
    histories = {"changelog": {"histories": [change]}} if change else {}
    return {**part(event, "issue"), **histories}


def _at(event: Payload) -> datetime:
    """When the event was sent: milliseconds of the epoch."""
    stamp = event.get("timestamp")
    if isinstance(stamp, bool) or not isinstance(stamp, int):
        raise UnreadablePayload("timestamp is missing")
    return datetime.fromtimestamp(stamp / 1000, UTC)


def body_of(body: Any) -> str:
    """Markdown of a body in either of Jira's formats; empty for none."""
    if body is None:
        return ""
    if isinstance(body, str):
        return wiki.markdown(body)
    if isinstance(body, dict):
        return adf.markdown(body)
    raise UnreadablePayload("body is neither text nor document")


def _name(author: Any) -> str:
    """Data Center has a handle; Cloud has an unreadable id, so there it is the shown name."""
    if not isinstance(author, dict):
        return "unknown"
    for name in ("name", "displayName", "accountId"):
        if text(author, name):
            return text(author, name)
    return "unknown"


def _is_bot(author: Any) -> bool:
    return isinstance(author, dict) and author.get("accountType") == "app"


def _state(fields: Payload) -> str | None:
    status = text(part(fields, "status"), "name")
    resolution = text(part(fields, "resolution"), "name")
    return f"{status} ({resolution})" if status and resolution else status or None


def _labels(fields: Payload) -> list[str]:
    """Type, priority, labels and components."""
    given = fields.get("labels") or []
    labels = [it for it in given if isinstance(it, str)] if isinstance(given, list) else []
    named = [text(part(fields, name), "name") for name in ("issuetype", "priority")]
    named += [text(it, "name") for it in parts(fields, "components")]
    return [*labels, *(it for it in named if it)]


def _revision_of(issue: Payload, changed_at: datetime) -> str:
    """The time of the change, with the last entry of the change log if known."""
    histories = parts(part(issue, "changelog"), "histories")
    numbers = [int(it["id"]) for it in histories if str(it.get("id", "")).isdecimal()]
    return f"{_format_time(changed_at)}#{max(numbers)}" if numbers else _format_time(changed_at)


def _format_time(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _address(issue: Payload, key: str) -> str | None:
    """The issue's page for people: the interface's address up to ``/rest/``."""
    base, rest, _ = text(issue, "self").partition("/rest/")
    return f"{base}/browse/{key}" if rest else None
