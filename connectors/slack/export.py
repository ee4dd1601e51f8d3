"""A workspace's export (a zip of JSON files) as threads, channel by channel.

The export shows the state at its end. Threads have the time of their newest message, so an item
that has changed since keeps its stored revision. A child process parses the format; nothing is
written to disk, and an export that would unpack to too much is refused. A file, row or message
that cannot be read is named and in no other's way.

An export may have been packed again, with a folder around it. One of an organisation names its
people in ``org_users.json`` and may hold a folder for each of its workspaces.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from connectors.archive import bounds_of
from connectors.connector import SourceRefused, SourceUnavailable, printable
from connectors.payloads import readable, text
from connectors.records import Records, key_of
from connectors.sandbox import MIB, ReadingFailed, ReadingRefused, Sandbox, limits_of, open_regular
from connectors.slack.items import Admits, Channel, Message, message_of, thread_item, time_of
from connectors.slack.items import sound_rows as sound
from connectors.slack.people import People, Pseudonym, introduced
from connectors.unpacking.exports import SlackReader

MAX_FILE_BYTES = 64 * MIB
MEMORY_BYTES = 2 * 1024 * MIB  # parsed JSON takes about ten times its file's size
USERS = ("users.json", "org_users.json")
CHANNELS = ("channels.json", "groups.json")  # direct messages are not read
_TEAM = re.compile(r"[TE][A-Z0-9]+")
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)\b.*\.json")
_OF_A_SYSTEM = re.compile(r"(?:^|/)(?:__MACOSX/|\._)")


class SlackExport:
    """One export file. Raises SourceUnavailable, SourceRefused.

    ``read`` holds what is to be told of it.
    """

    def __init__(self, path: Path, team: str = "") -> None:
        self._name = printable(path.name)
        self.read = Records()
        try:
            with open_regular(path) as file:
                size = os.fstat(file.fileno()).st_size
                options = {"bounds": asdict(bounds_of(size)), "file_bytes": MAX_FILE_BYTES}
                self._child = Sandbox(
                    SlackReader, file, limits_of(size, memory_bytes=MEMORY_BYTES), options
                )
        except OSError as error:
            raise SourceUnavailable(f"{self._name} cannot be read: give a zip archive.") from error
        try:
            with self._explain_errors("the archive"):
                given = [str(name) for names, _ in self._child.ask("names") for name in names]
            self._files = {
                PurePosixPath(name.replace("\\", "/")): name
                for name in given
                if not _OF_A_SYSTEM.search(name.replace("\\", "/"))
            }
            self.members = [row for place in self._named(USERS) for row in self._rows(place)]
            if not self._named(CHANNELS):
                raise SourceRefused(
                    f"{self._name} is not a Slack export: it has no {' or '.join(CHANNELS)}."
                )
            if not self._named(USERS):
                self.members = introduced(self._all_messages())
                self.read.tell(USERS[0], "it is missing: only who wrote is known", is_lost=False)
            self.team = team or self._team()
            self._places = self._find_channels()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._child.close()

    def channels(self) -> list[Channel]:
        """The channels of the export in the order of their ids."""
        return list(self._places)

    def messages(self, channel: Channel) -> list[dict[str, Any]]:
        """Every message of a channel, day by day, in its last state."""
        rows = [row for place in self._places[channel] for row in self._sound(place)]
        return sound(_in_last_state(rows), self.read, channel.name)

    def threads(self, channel: Channel, pseudonym: Pseudonym, admits: Admits) -> Records:
        """The threads of a channel that may be read, in the order in which they began."""
        by_thread: dict[str, list[Message]] = {}
        rows = self.messages(channel)
        with readable(f"The export {self._name}"):
            people = People([*introduced(rows), *self.members], pseudonym)
            for row in rows:
                if message := message_of(row):
                    by_thread.setdefault(message.thread_ts, []).append(message)
            read = Records()
            for thread_ts in sorted(by_thread, key=time_of):
                messages = by_thread[thread_ts]
                newest = max(
                    time_of(stamp) for it in messages for stamp in (it.ts, it.edited_ts) if stamp
                )
                item = thread_item(channel, messages, people, as_of=newest, admits=admits)
                read.items += [item] if item else []
        if people.unread:
            self.read.tell(f"{people.unread} of the users", "they have no id or no names")
        return read

    def _named(self, names: tuple[str, ...]) -> list[PurePosixPath]:
        """The files of these names, those of outer folders first."""
        files = [place for place in self._files if place.name in names]
        return sorted(files, key=lambda place: (len(place.parts), str(place)))

    def _find_channels(self) -> dict[Channel, list[PurePosixPath]]:
        """Each channel with the files of its days, which are in a folder of its name or id."""
        channels: dict[str, tuple[Channel, list[PurePosixPath]]] = {}
        for lists in self._named(CHANNELS):
            for row in self._rows(lists):
                channel_id = key_of(row, "id", default="")
                if not channel_id:
                    self.read.tell(str(lists), "id of a channel is missing")
                    continue
                channel = Channel(self.team, channel_id, key_of(row, "name", "id"))
                channels.setdefault(channel_id, (channel, self._days(lists.parent, channel)))
        return {channel: days for _, (channel, days) in sorted(channels.items())}

    def _days(self, folder: PurePosixPath, channel: Channel) -> list[PurePosixPath]:
        """The outermost folder of the channel's name or id counts: others are another's."""
        inside = [
            place
            for place in self._files
            if place.parent.name in (channel.name, channel.channel_id)
            and place.is_relative_to(folder)
            and _DAY.fullmatch(place.name)
        ]
        depth = min((len(place.parts) for place in inside), default=0)
        return sorted(place for place in inside if len(place.parts) == depth)

    def _sound(self, place: PurePosixPath) -> list[dict[str, Any]]:
        """The messages of a day. One without a time has its day's, and its number's place in it."""
        rows = self._rows(place)
        for number, row in enumerate(rows, start=1):
            if isinstance(row, dict) and not row.get("ts") and (at := _stamp(place, number)):
                row["ts"] = at
                where = f"{place.parent.name}/{place.name} message {number}"
                self.read.tell(where, "ts is missing, its day stands for it", is_lost=False)
        return sound(rows, self.read, f"{place.parent.name}/{place.name}")

    def _all_messages(self) -> Iterator[dict[str, Any]]:
        for place in sorted(self._files):
            if len(place.parts) > 1 and _DAY.fullmatch(place.name):
                yield from self._sound(place)

    def _team(self) -> str:
        """The workspace that most members are of; otherwise the one that messages name."""
        teams = Counter(_teams(self.members, "team_id"))
        teams = teams or Counter(_teams(self._all_messages(), "team", "user_team", "source_team"))
        if not teams:
            raise SourceRefused(
                f"The export {self._name} does not name its workspace: give its id with --team."
            )
        return min(teams, key=lambda team: (-teams[team], team))

    def _rows(self, place: PurePosixPath) -> list[Any]:
        """The rows of a file; none of one that cannot be read."""
        try:
            with self._explain_errors(printable(str(place))):
                asked = self._child.ask("rows", self._files[place])
                return [row for rows, _ in asked for row in rows]
        except SourceUnavailable:
            self.read.tell(str(place), "the file cannot be read")
            return []

    @contextmanager
    def _explain_errors(self, what: str) -> Iterator[None]:
        """Turns every fault of the file into an error with its name."""
        try:
            yield
        except ReadingRefused as error:
            raise SourceRefused(
                f"{what} of the export {self._name} is refused ({error}): export fewer days."
            ) from error
        except ReadingFailed as error:
            raise SourceUnavailable(
                f"{what} of the export {self._name} cannot be read: check that it is complete."
            ) from error


def _teams(rows: Any, *names: str) -> Iterator[str]:
    for row in rows:
        team = key_of(row, *names, default="")
        if _TEAM.fullmatch(team):
            yield team


def _stamp(place: PurePosixPath, number: int) -> str | None:
    """A time stamp of the day that a file is named after."""
    named = _DAY.fullmatch(place.name)
    try:
        at = datetime.fromisoformat(named[1]).replace(tzinfo=UTC) if named else None
    except ValueError:
        return None
    return f"{int(at.timestamp())}.{number:06d}" if at else None


def _in_last_state(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages, with the edits and deletions that some exports record after them."""
    last: dict[str, dict[str, Any]] = {}
    for row in rows:
        match row.get("subtype"):
            case "message_changed" if isinstance(row.get("message"), dict):
                changed = row["message"]
                last[key_of(changed, "ts", default=str(row["ts"]))] = changed
            case "message_deleted":
                before = row.get("previous_message")
                stamp = key_of(row, "deleted_ts", default="") or key_of(before, "ts", default="")
                last.pop(stamp, None)
            case _:
                earlier = last.get(str(row["ts"]))
                if earlier is None or _edited(row) >= _edited(earlier):
                    last[str(row["ts"])] = row
    return list(last.values())


def _edited(row: dict[str, Any]) -> str:
    edited = row.get("edited")
    return text(edited, "ts") if isinstance(edited, dict) else ""
