"""Jira's payloads as items: one source per issue, comment, field of prose and readable attachment.

Polls, webhooks and export files use the same objects and give the same items, so only fields that
all of them contain are used (a webhook's comment does not name the reporter). Bodies are wiki
markup (version 2 of the interface, Data Center, webhooks) or ADF trees (version 3).

A time that cannot be read makes no text unreadable: the item has a flaw and no time, and is older
than every revision with one. What only some people may read outside is marked with who they are.

``root`` is ``jira/<site>/<PROJECT>`` by the issue's present key. An issue that moved to another
project is removed here by the next reconciliation and appears there with its next change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from connectors.jira.fields import text_fields
from connectors.jira.markup import body_of
from connectors.jira.times import time_of_number, time_written
from connectors.payloads import Payload, UnreadablePayload, part, parts, required_text, text
from connectors.records import Records, key_of
from connectors.service_items import TIME_OF_NONE, DeletedItem, Remark, ServiceItem

RESTRICTED = "restricted"  # in the place of a role: not everybody may read it outside
_PROJECT = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
READABLE_SUFFIXES = (".md", ".markdown", ".txt", ".rst", ".adoc")
LARGEST_ATTACHMENT_BYTES = 1024 * 1024


def is_key(key: str) -> bool:
    """Whether a text is the key of an issue, such as SHOP-7."""
    project, dash, number = key.rpartition("-")
    return bool(dash) and bool(_PROJECT.fullmatch(project)) and number.isdecimal()


def root_of(site: str, key: str) -> str:
    """The root of an issue key's project. Raises UnreadablePayload for anything else."""
    if not is_key(key):
        raise UnreadablePayload("key is not an issue key")
    return f"jira/{site}/{key.rpartition('-')[0]}"


def items_of(site: str, issue: Payload) -> list[ServiceItem]:
    """An issue, its readable comments and fields. Raises UnreadablePayload for the issue itself."""
    return [issue_item(site, issue), *comments_of(site, issue, comments_in(issue)).items]


def comments_in(issue: Payload) -> list[Any]:
    """The comments that a payload holds. Raises UnreadablePayload."""
    held = part(part(issue, "fields"), "comment").get("comments")
    if held is not None and not isinstance(held, list):
        raise UnreadablePayload("comments is no list")
    return list(held or [])


def records_of(site: str, issue: Any, names: Mapping[str, str] | None) -> Records:
    """Everything that the payload of an issue holds; ``names`` are those of its fields.

    Without names the fields of the site's own are not read.
    """
    records, key = Records(), key_of(issue, "key", "id")
    records.take(key, lambda: issue_item(site, _object(issue)))
    if not records.items:
        return records
    records.items += field_items(site, issue, names) if names is not None else []
    try:
        records.extend(comments_of(site, issue, comments_in(issue)))
    except UnreadablePayload as error:
        records.tell(f"{key}/comments", str(error))
    return records


def comments_of(site: str, issue: Payload, comments: Iterable[Any]) -> Records:
    records, key = Records(), key_of(issue, "key")
    for comment in comments:
        name = f"{key}/comments/{key_of(comment, 'id', default='?')}"
        records.take(name, partial(comment_item, site, issue, comment))
    return records


def issue_item(site: str, issue: Payload) -> ServiceItem:
    """The issue's own text: its description by its reporter. Raises UnreadablePayload."""
    key, fields, flaws = required_text(issue, "key"), part(issue, "fields"), list[str]()
    root = root_of(site, key)
    created = _time(fields, "created", flaws)
    changed_at = _time(fields, "updated", flaws) or created or TIME_OF_NONE
    body = body_of(fields.get("description"))
    if changed_at == TIME_OF_NONE and not body and not text(fields, "summary"):
        raise UnreadablePayload("it has neither text nor time")
    author = fields.get("reporter") or fields.get("creator")
    audience = audience_of_issue(fields)
    description = Remark(
        ref="description",
        author=_name(author),
        role=_role(author, "reporter", audience),
        at=created,
        body=body,
    )
    return ServiceItem(
        service="jira",
        root=root,
        path=key,
        source_type="issue",
        title=_title(key, fields),
        remarks=(description,),
        changed_at=changed_at,
        revision_ref=_revision_of(issue, changed_at),
        state=_state(fields),
        labels=tuple(sorted(_labels(fields))),
        url=_address(issue, key),
        restricted_to=audience,
        flaws=tuple(flaws),
    )


def field_items(site: str, issue: Payload, names: Mapping[str, str]) -> list[ServiceItem]:
    """The fields of the site's own that hold sentences, each by the issue's reporter."""
    about, fields = issue_item(site, issue), part(issue, "fields")
    remark = about.remarks[0]
    return [
        replace(
            about,
            path=f"{about.path}/fields/{field_id}",
            title=f"{about.title} ({name})",
            remarks=(replace(remark, ref=field_id, body=f"### {name}\n\n{text}"),),
            flaws=(),
        )
        for field_id, (name, text) in text_fields(fields, names).items()
    ]


def comment_item(site: str, issue: Payload, comment: Any) -> ServiceItem:
    """A comment of an issue, of which key and summary suffice. Raises UnreadablePayload."""
    comment, flaws = _object(comment), list[str]()
    key, number = required_text(issue, "key"), required_text(comment, "id")
    made, changed = _time(comment, "created", flaws), _time(comment, "updated", flaws)
    author, audience = comment.get("author"), audience_of_comment(issue, comment)
    about = _title(key, part(issue, "fields"))
    remark = Remark(
        ref=number,
        author=_name(author),
        role=_role(author, None, audience),
        at=made or changed,
        body=body_of(comment.get("body")),
        edited_at=changed if made and changed and changed > made else None,
    )
    changed_at = changed or made or _time(part(issue, "fields"), "updated", []) or TIME_OF_NONE
    address = _address(issue, key)
    return ServiceItem(
        service="jira",
        root=root_of(site, key),
        path=f"{key}/comments/{number}",
        source_type="comment",
        title=f"Comment on {about}",
        remarks=(remark,),
        changed_at=changed_at,
        revision_ref=_format_time(changed_at),
        about=about,
        url=f"{address}?focusedCommentId={number}" if address else None,
        restricted_to=audience,
        flaws=tuple(flaws),
    )


def _title(key: str, fields: Payload) -> str:
    summary = text(fields, "summary")
    return f"{key}: {summary}" if summary.strip() else key


def readable_attachments(issue: Payload) -> list[Payload]:
    """The attachments worth reading: prose by their suffix, and not too large."""
    held = part(issue, "fields").get("attachment")
    return [
        it
        for it in (held if isinstance(held, list) else ())
        if isinstance(it, Mapping)
        and str(it.get("filename")).lower().endswith(READABLE_SUFFIXES)
        and isinstance(it.get("size"), int)
        and it["size"] <= LARGEST_ATTACHMENT_BYTES
    ]


def change_of(issue: Any) -> datetime | None:
    """When an issue changed last; None where it does not tell that."""
    fields = issue.get("fields") if isinstance(issue, Mapping) else None
    return _time(fields, "updated", []) if isinstance(fields, Mapping) else None


def attachment_path(key: str, attachment: Payload) -> str:
    name = text(attachment, "filename").replace("/", "_")
    return f"{key}/attachments/{required_text(attachment, 'id')}/{name}"


def attachment_item(site: str, issue: Payload, attachment: Payload, content: bytes) -> ServiceItem:
    """An attachment's text; invalid UTF-8 becomes replacement characters."""
    key, number = required_text(issue, "key"), required_text(attachment, "id")
    flaws, name, author = list[str](), text(attachment, "filename"), attachment.get("author")
    made = _time(attachment, "created", flaws)
    return ServiceItem(
        service="jira",
        root=root_of(site, key),
        path=attachment_path(key, attachment),
        source_type="doc",
        title=name,
        remarks=(Remark(number, _name(author), None, made, content.decode(errors="replace")),),
        changed_at=made or TIME_OF_NONE,
        revision_ref=_format_time(made or TIME_OF_NONE),
        url=text(attachment, "content") or None,
        restricted_to=audience_of_issue(part(issue, "fields")),
        flaws=tuple(flaws),
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


def _object(value: Any) -> Payload:
    if not isinstance(value, Mapping):
        raise UnreadablePayload("it is no object")
    return value


def _time(payload: Payload, name: str, flaws: list[str]) -> datetime | None:
    """A time in ISO 8601, in milliseconds, or as Jira shows it; None with a flaw otherwise."""
    value = payload.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        time = time_of_number(value)
    else:
        time = time_written(value) if isinstance(value, str) else None
    if time is None:
        flaws.append(f"{name} is missing" if value in (None, "") else f"{name} is no time")
    return time


def audience_of_issue(fields: Payload) -> str | None:
    """The security level of an issue: only some people may see it."""
    level = part(fields, "security")
    return text(level, "name") or ("a security level" if level else None)


def audience_of_comment(issue: Payload, comment: Payload) -> str | None:
    """Who may read a comment: a role, a group, a service desk's team; None for everybody."""
    visibility = part(comment, "visibility")
    if visibility:
        named = [text(visibility, "type"), text(visibility, "value")]
        return " ".join(it for it in named if it) or "some people"
    if comment.get("jsdPublic") is False:
        return "the team"
    return audience_of_issue(part(issue, "fields"))


def without_restricted(item: ServiceItem | DeletedItem) -> ServiceItem | DeletedItem:
    """The item, or that it is gone where only some people may read it outside."""
    if isinstance(item, DeletedItem) or not item.restricted_to:
        return item
    below = () if "/" in item.path else (item.root,)
    return DeletedItem("jira", item.root, item.path, item.changed_at, cascade_roots=below)


def _role(author: Any, usual: str | None, audience: str | None) -> str | None:
    if _is_bot(author):
        return "bot"
    return ", ".join(it for it in (usual, RESTRICTED if audience else None) if it) or None


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
