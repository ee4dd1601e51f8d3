"""A channel as a stream of threads.

A channel's history shows the first message of each thread, newest first; replies are requested per
thread. New threads are found by time, but old ones change too: people reply late, edit, delete. So
each poll reads the threads begun within ``WINDOW`` again, and once a day the whole history, where a
thread shows the time of its last reply. A change in an old thread without a new reply (an edit, a
deletion) arrives as an event, or is found when the thread is looked at.

A walk goes back in time and stores how far it came. The next one begins only when it has reached
its end, and starts from where the last one began. So neither a crash nor a message that arrives
meanwhile leaves a gap.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from connectors.connector import SourceUnavailable
from connectors.payloads import part, readable, required_text, text
from connectors.reconciliation import ListedItem, UnreadableItem
from connectors.records import Records
from connectors.service_items import ServiceItem
from connectors.slack.api import Slack
from connectors.slack.items import (
    Admits,
    Channel,
    deleted_thread,
    message_of,
    sound_rows,
    thread_item,
    time_of,
)
from connectors.slack.people import People, Pseudonym
from connectors.sync import Page
from connectors.transport import AccessLost
from infra.platform.clock import Clock

WINDOW = timedelta(days=3)
WHOLE_EVERY = timedelta(days=1)
MEMBERS_LAST = timedelta(hours=1)
LATE = timedelta(minutes=5)  # clock difference, and delay until a thread shows a reply
SENT = "A message that Slack sent"

# Records every message of a person as testimony, before its page is published.
Testify = Callable[[Channel, list[dict[str, Any]]], Awaitable[None]]


async def no_testimony(channel: Channel, messages: list[dict[str, Any]]) -> None:
    return None


@dataclass(frozen=True, slots=True)
class ChannelCursor:
    """The position in a channel; stamps are Slack's.

    Of a walk: ``high`` is where it began, ``low`` how far back it has come, ``floor`` where it
    ends; empty between two walks. ``done`` is the newest stamp of the last complete walk,
    ``whole_at`` when the last walk over the whole history began, ``asked_at`` when this walk began.
    """

    done: str = ""
    high: str = ""
    low: str = ""
    floor: str = ""
    asked_at: str = ""
    whole_at: str = ""
    is_whole: bool = False

    @classmethod
    def parse(cls, cursor: str) -> ChannelCursor:
        return cls(**json.loads(cursor)) if cursor else cls()

    def __str__(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


@dataclass
class Workspace:
    """What all channels share: the members, and which messages may be read."""

    slack: Slack
    pseudonym: Pseudonym
    admits: Admits
    clock: Clock
    testify: Testify = no_testimony
    hidden_before: dict[str, str] = field(default_factory=dict)  # channel -> oldest stamp shown
    _people: People | None = field(default=None)
    _asked_at: datetime | None = field(default=None)

    async def people(self) -> People:
        """The members, at most an hour old, so that new ones have names too."""
        now = self.clock.now()
        if self._people is None or self._asked_at is None or now - self._asked_at > MEMBERS_LAST:
            members = [member async for member in self.slack.members()]
            self._people, self._asked_at = People(members, self.pseudonym), now
        assert self._people is not None
        return self._people


@dataclass(frozen=True)
class ChannelStream:
    """Name and root of a channel's stream."""

    channel: Channel

    @property
    def name(self) -> str:
        return self.channel.channel_id

    @property
    def roots(self) -> tuple[str, ...]:
        return (self.channel.root,)


@dataclass(frozen=True)
class Threads(ChannelStream):
    """The threads of one channel."""

    workspace: Workspace
    window: timedelta = WINDOW
    is_reconcilable: bool = True

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        position = ChannelCursor.parse(cursor)
        if not position.asked_at:
            position = self._start_walk(position)
        slack, channel = self.workspace.slack, self.channel
        while True:
            given, more, _ = await slack.history(
                channel.channel_id, oldest=position.floor, latest=position.low
            )
            read = Records()
            rows = self._sound(given, more, read)
            with readable(SENT):
                stamps = [required_text(row, "ts") for row in rows]
                await self._read_changed(rows, position, read)
                position = replace(
                    position, high=position.high or max(stamps, key=time_of, default="")
                )
                if more and stamps:
                    position = replace(position, low=min(stamps, key=time_of))
                else:
                    position = self._finish_walk(position)
            yield Page((*read.items, *read.gone), str(position), tuple(read.notices))
            if not position.asked_at:
                return

    def _start_walk(self, position: ChannelCursor) -> ChannelCursor:
        """A new walk: back to the window's start, or to the beginning once a day."""
        now = self.workspace.clock.now()
        whole = not position.whole_at or now - _moment(position.whole_at) >= WHOLE_EVERY
        floor = (
            "" if whole else _stamp(time_of(position.done) - self.window) if position.done else ""
        )
        return replace(position, floor=floor, asked_at=now.isoformat(), is_whole=whole)

    def _finish_walk(self, position: ChannelCursor) -> ChannelCursor:
        whole_at = position.asked_at if position.is_whole else position.whole_at
        newest = max((it for it in (position.done, position.high) if it), key=time_of, default="")
        return ChannelCursor(done=newest, whole_at=whole_at)

    def _sound(self, rows: list[Any], more: bool, read: Records) -> list[dict[str, Any]]:
        """The rows that can be read. Raises SourceUnavailable where none leads to further ones."""
        sound = sound_rows(rows, read, self.name)
        if rows and more and not sound:
            raise SourceUnavailable("No message of a page that Slack sent can be read.")
        return sound

    async def _read_changed(
        self, rows: list[dict[str, Any]], position: ChannelCursor, read: Records
    ) -> None:
        """The threads of these messages that may have changed since the last walk."""
        alone = [row for row in rows if not _has_replies(row)]
        threads = dict.fromkeys(
            text(row, "thread_ts") or required_text(row, "ts")
            for row in rows
            if _has_replies(row) and self._may_have_changed(row, position)
        )
        for row in alone:
            await self._read_thread(required_text(row, "ts"), [row], read)
        for thread_ts in threads:
            given = await self.workspace.slack.thread(self.channel.channel_id, thread_ts)
            await self._read_thread(thread_ts, sound_rows(given, read, self.name), read)

    async def _read_thread(
        self, thread_ts: str, messages: list[dict[str, Any]], read: Records
    ) -> None:
        await self.workspace.testify(self.channel, messages)
        if item := await self._item(messages):
            read.items.append(item)
        else:
            now = self.workspace.clock.now()
            read.gone.append(deleted_thread(self.channel, thread_ts, now))

    async def _item(self, messages: list[dict[str, Any]]) -> ServiceItem | None:
        thread = [message for row in messages if (message := message_of(row))]
        people = await self.workspace.people()
        return thread_item(
            self.channel,
            thread,
            people,
            as_of=self.workspace.clock.now(),
            admits=self.workspace.admits,
        )

    def _may_have_changed(self, row: dict[str, Any], position: ChannelCursor) -> bool:
        """Whether a thread is within the window, or has a reply since the last whole walk."""
        if not position.whole_at or not position.done:
            return True
        ts = text(row, "thread_ts") or required_text(row, "ts")
        if time_of(ts) >= time_of(position.done) - self.window or ts != required_text(row, "ts"):
            return True
        touched = [text(row, "latest_reply"), text(part(row, "edited"), "ts")]
        times = [time_of(it) for it in touched if it]
        return not times or max(times) >= _moment(position.whole_at) - LATE

    async def list_all(self) -> AsyncIterator[ListedItem]:
        channel_id, low, more = self.channel.channel_id, "", True
        while more:
            given, more, hides = await self.workspace.slack.history(channel_id, latest=low)
            rows = self._sound(given, more, Records())
            with readable(SENT):
                for row in rows:
                    stands = _has_replies(row) or await self._item([row]) is not None
                    if stands and text(row, "thread_ts") in ("", required_text(row, "ts")):
                        yield ListedItem(self.channel.root, required_text(row, "ts"))
                low = min((required_text(row, "ts") for row in rows), key=time_of, default="")
            more = more and bool(rows)
            if hides and not more:
                self.workspace.hidden_before[channel_id] = low

    async def look(self, root: str, path: str) -> ServiceItem | None:
        if root != self.channel.root:
            return None
        given = await self.workspace.slack.thread(self.channel.channel_id, path)
        messages = sound_rows(given, Records(), self.name)
        if given and not messages:
            raise UnreadableItem(path, "no message of it can be read")
        shown_from = self.workspace.hidden_before.get(self.channel.channel_id)
        with readable(SENT):
            if not messages and shown_from is not None and self._is_hidden(path, shown_from):
                raise UnreadableItem(path, "the workspace's plan hides messages of its time")
            return await self._item(messages)

    @staticmethod
    def _is_hidden(thread_ts: str, shown_from: str) -> bool:
        return not shown_from or time_of(thread_ts) < time_of(shown_from)


@dataclass(frozen=True)
class UnreadableChannel(ChannelStream):
    """A channel whose name we may not read: each request raises the reason."""

    why: AccessLost
    is_reconcilable: bool = True

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        for page in list[Page]():
            yield page
        raise self.why

    async def list_all(self) -> AsyncIterator[ListedItem]:
        for listed in list[ListedItem]():
            yield listed
        raise self.why

    async def look(self, root: str, path: str) -> ServiceItem | None:
        raise self.why


def _has_replies(row: dict[str, Any]) -> bool:
    """Whether a message belongs to a thread of several messages."""
    thread_ts = text(row, "thread_ts")
    return bool(row.get("reply_count")) or (thread_ts not in ("", required_text(row, "ts")))


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written)


def _stamp(at: datetime) -> str:
    whole = at.astimezone(UTC)
    return f"{int(whole.timestamp())}.{whole.microsecond:06d}"
