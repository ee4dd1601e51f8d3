"""A workspace's export (a zip of JSON files) as threads, channel by channel.

The export says what stood at its end: an item that was changed since is left as it is held, because
its threads are as of their newest message. Nothing is written to disk, and a file that would unpack
to more than it should is refused.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from connectors.connector import SourceRefused, SourceUnavailable
from connectors.outside import OutsideItem
from connectors.payloads import UnreadablePayload, needed, readable, text
from connectors.slack.items import Admits, Channel, Message, message_of, thread_item, time_of
from connectors.slack.people import People, Pseudonym

MAX_FILES = 200_000
MAX_FILE_BYTES = 64 * 1024 * 1024
LISTS = ("channels.json", "groups.json")  # public and private channels; direct messages are left


class SlackExport:
    """One export file. Raises SourceUnavailable, SourceRefused."""

    def __init__(self, path: Path, team: str = "") -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile) as error:
            raise SourceUnavailable(f"{path.name} cannot be read as a zip archive.") from error
        self._files = {info.filename: info for info in self._zip.infolist()}
        try:
            if len(self._files) > MAX_FILES:
                raise SourceRefused(f"The export has more than {MAX_FILES:,} files.")
            if "users.json" not in self._files:
                raise SourceRefused("The archive is no export of Slack: it has no users.json.")
            self.members = self._rows("users.json")
            self.team = team or self._team()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._zip.close()

    def channels(self) -> list[Channel]:
        """The channels of the export in the order of their ids."""
        rows = [row for name in LISTS if name in self._files for row in self._rows(name)]
        with readable("The export"):
            found = [Channel(self.team, needed(row, "id"), needed(row, "name")) for row in rows]
        return sorted(found, key=lambda channel: channel.channel_id)

    def messages(self, channel: Channel) -> Iterator[dict[str, Any]]:
        """Every message of a channel, day by day."""
        for name in sorted(self._files):
            place = PurePosixPath(name)
            if place.suffix == ".json" and place.parent.name == channel.name:
                yield from self._rows(name)

    def threads(self, channel: Channel, pseudonym: Pseudonym, admits: Admits) -> list[OutsideItem]:
        """The threads of a channel that may be read, in the order in which they began."""
        people = People(self.members, pseudonym)
        by_thread: dict[str, list[Message]] = {}
        with readable("The export"):
            for row in self.messages(channel):
                if message := message_of(row):
                    by_thread.setdefault(message.thread_ts, []).append(message)
            items = []
            for thread_ts in sorted(by_thread, key=time_of):
                said = by_thread[thread_ts]
                newest = max(
                    time_of(stamp) for it in said for stamp in (it.ts, it.edited_ts) if stamp
                )
                item = thread_item(channel, said, people, as_of=newest, admits=admits)
                items += [item] if item else []
        return items

    def _team(self) -> str:
        with suppress(UnreadablePayload):
            for member in self.members:
                if team := text(member, "team_id"):
                    return team
        raise SourceRefused("The export does not say which workspace it is of: name its id.")

    def _rows(self, name: str) -> list[dict[str, Any]]:
        info = self._files[name]
        if info.file_size > MAX_FILE_BYTES:
            raise SourceRefused(f"{name} of the export has more than {MAX_FILE_BYTES:,} bytes.")
        try:
            told = json.loads(self._zip.read(info))
        except (ValueError, RecursionError, zipfile.BadZipFile, RuntimeError, OSError) as error:
            raise SourceUnavailable(f"{name} of the export cannot be read.") from error
        if not isinstance(told, list) or not all(isinstance(row, dict) for row in told):
            raise SourceUnavailable(f"{name} of the export is no list of objects.")
        return told
