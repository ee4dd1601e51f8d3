"""Slack's messages as items: one source per thread; an unanswered message is a thread of one.

People are pseudonyms before an item is made. Notices of the service (joins, topics) are left out,
and so are messages that ``admits`` refuses: only messages without risk become sources. A thread
without any message of a person is no item.

Only a request shows a thread's present state: when its last message is deleted it looks older. So
``changed_at`` is the time of the request (of an export: its newest message), and a later answer
counts.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from connectors.payloads import Payload, UnreadablePayload, part, required_text, text
from connectors.records import Records, key_of
from connectors.service_items import DeletedItem, Remark, ServiceItem
from connectors.slack.blocks import whole_text
from connectors.slack.mrkdwn import markdown
from connectors.slack.people import People

# What Slack itself tells of a channel; every other message is somebody's words, also of a kind that
# is not known yet.
NOTICES = re.compile(
    r"(?:channel|group|mpdm|im|app_conversation)_(?:archive|convert\w*|join|leave|name|posting\w*"
    r"|privacy\w*|purpose|topic|unarchive|canvas\w*|retention\w*|invite\w*|connect\w*)"
    r"|(?:bot|reminder)_(?:add|remove|delete|enable|disable)|(?:un)?pinned_item|tombstone"
    r"|message_(?:changed|deleted|replied)|joiner_notification\w*|ekm_access_denied|sh_room_\w+"
    r"|huddle_\w+|external_channel_\w+|tabbed_canvas_\w+|shared_channel_\w+"
)
UNKNOWN = "unknown"  # who said a message that names nobody
MICROSECONDS = 6  # digits after the point of a time stamp

Admits = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel of a workspace; ``name`` without ``#``."""

    team: str
    channel_id: str
    name: str

    @property
    def root(self) -> str:
        return f"slack/{self.team}/{self.channel_id}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message in its present state; times are Slack's own (``1700000000.000100``)."""

    ts: str
    thread_ts: str
    member: str
    is_bot: bool
    text: str
    edited_ts: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadRef:
    """The thread of an event."""

    team: str
    channel_id: str
    thread_ts: str


def message_of(payload: Payload) -> Message | None:
    """A message that somebody wrote; None for a notice. Raises UnreadablePayload."""
    subtype = text(payload, "subtype")
    if text(payload, "type") not in ("", "message") or NOTICES.fullmatch(subtype):
        return None
    ts = required_text(payload, "ts")
    time_of(ts)
    bot = text(payload, "bot_id")
    is_bot = bool(bot) or subtype == "bot_message"
    member = text(payload, "user") or bot or text(part(payload, "comment"), "user")
    return Message(
        ts=ts,
        thread_ts=text(payload, "thread_ts") or ts,
        member=member or ("bot" if is_bot else UNKNOWN),
        is_bot=is_bot,
        text=whole_text(payload),
        edited_ts=text(part(payload, "edited"), "ts") or None,
    )


def sound_rows(rows: Iterable[Any], read: Records, where: str) -> list[dict[str, Any]]:
    """The messages of a list that can be read; ``read`` is told of the others."""
    sound = []
    for number, row in enumerate(rows, start=1):
        try:
            if not isinstance(row, dict):
                raise UnreadablePayload(row if isinstance(row, str) else "it is no object")
            time_of(text(row, "thread_ts") or required_text(row, "ts"))
            message_of(row)
            sound.append(row)
        except UnreadablePayload as error:
            named = key_of(row, "ts", default=f"message {number}")
            read.tell(f"{where} {named}", str(error))
    return sound


def thread_item(
    channel: Channel,
    messages: Iterable[Message],
    people: People,
    *,
    as_of: datetime,
    admits: Admits,
) -> ServiceItem | None:
    """The thread of ``messages``, in any order; None if nothing of it may be read.

    ``admits`` gets a message's original text: names show what is said about somebody.
    """
    remarks: list[Remark] = []
    all_of_it = sorted({it.ts: it for it in messages}.values(), key=lambda it: time_of(it.ts))
    for message in all_of_it:
        body = words_of(message, people)
        if body.strip() and admits(html.unescape(message.text)):
            remarks.append(_remark(message, body, people))
    if not any(remark.role is None for remark in remarks):
        return None
    root_ts = all_of_it[0].thread_ts
    newest = max(it.edited_ts or it.ts for it in all_of_it)
    return ServiceItem(
        service="slack",
        root=channel.root,
        path=root_ts,
        source_type="chat_thread",
        title=f"#{channel.name}, {time_of(root_ts):%Y-%m-%d}",
        remarks=tuple(remarks),
        changed_at=as_of,
        revision_ref=f"{newest}/{len(remarks)}",
    )


def deleted_thread(channel: Channel, thread_ts: str, as_of: datetime) -> DeletedItem:
    """The thread was deleted, or nothing of it may be read."""
    return DeletedItem("slack", channel.root, thread_ts, as_of)


def words_of(message: Message, people: People) -> str:
    """A message's text in Markdown, without names."""
    return people.without_names(markdown(message.text, people.speak))


def _remark(message: Message, body: str, people: People) -> Remark:
    bot = message.is_bot or people.is_bot(message.member)
    return Remark(
        ref=message.ts,
        author=people.author(message.member),
        role="bot" if bot else None,
        at=time_of(message.ts),
        body=body,
        edited_at=time_of(message.edited_ts) if message.edited_ts else None,
    )


def thread_of_event(event: Payload) -> ThreadRef | None:
    """The thread that an Events API delivery changed; None if it is about no message.

    The delivery contains one message and not the thread's present state: the caller requests the
    thread (``conversations.replies``). Raises UnreadablePayload.
    """
    inner = part(event, "event")
    if text(inner, "type") != "message":
        return None
    message = part(inner, "message") or part(inner, "previous_message") or inner
    ts = text(message, "thread_ts") or text(message, "ts") or text(inner, "deleted_ts")
    if not ts:
        raise UnreadablePayload("ts is missing")
    time_of(ts)
    return ThreadRef(required_text(event, "team_id"), required_text(inner, "channel"), ts)


def time_of(ts: str) -> datetime:
    """The time of a stamp, to the microsecond. Raises UnreadablePayload."""
    seconds, _, fraction = ts.partition(".")
    fraction = fraction or "0"
    if not (seconds.isdecimal() and fraction.isdecimal() and len(seconds) <= 11):
        raise UnreadablePayload("ts is not a time stamp")
    micros = int(fraction[:MICROSECONDS].ljust(MICROSECONDS, "0"))
    return datetime.fromtimestamp(int(seconds), UTC).replace(microsecond=micros)
