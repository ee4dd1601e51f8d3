"""A workspace's export (a zip of JSON files) as threads, channel by channel.

The export shows the state at its end. Threads have the time of their newest message, so an item
that has changed since keeps its stored revision. A child process parses the format; nothing is
written to disk, and an export that would unpack to too much is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

from connectors.archive import bounds_of
from connectors.connector import SourceRefused, SourceUnavailable, printable
from connectors.payloads import UnreadablePayload, readable, required_text, text
from connectors.sandbox import MIB, ReadingFailed, ReadingRefused, Sandbox, limits_of, open_regular
from connectors.service_items import ServiceItem
from connectors.slack.items import Admits, Channel, Message, message_of, thread_item, time_of
from connectors.slack.people import People, Pseudonym
from connectors.unpacking.exports import SlackReader

MAX_FILE_BYTES = 64 * MIB
MEMORY_BYTES = 2 * 1024 * MIB  # parsed JSON takes about ten times its file's size
LISTS = (
    "channels.json",
    "groups.json",
)  # public and private channels; direct messages are not read


class SlackExport:
    """One export file. Raises SourceUnavailable, SourceRefused."""

    def __init__(self, path: Path, team: str = "") -> None:
        self._name = printable(path.name)
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
                self._files = {
                    name for names, _ in self._child.ask("names") for name in map(str, names)
                }
            if "users.json" not in self._files:
                raise SourceRefused(f"{self._name} is not a Slack export: it has no users.json.")
            self.members = self._rows("users.json")
            self.team = team or self._team()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._child.close()

    def channels(self) -> list[Channel]:
        """The channels of the export in the order of their ids."""
        rows = [row for name in LISTS if name in self._files for row in self._rows(name)]
        with readable(f"The export {self._name}"):
            found = [
                Channel(self.team, required_text(row, "id"), required_text(row, "name"))
                for row in rows
            ]
        return sorted(found, key=lambda channel: channel.channel_id)

    def messages(self, channel: Channel) -> list[dict[str, Any]]:
        """Every message of a channel, day by day."""
        places = ((name, PurePosixPath(name)) for name in sorted(self._files))
        return [
            row
            for name, place in places
            if place.suffix == ".json" and place.parent.name == channel.name
            for row in self._rows(name)
        ]

    def threads(self, channel: Channel, pseudonym: Pseudonym, admits: Admits) -> list[ServiceItem]:
        """The threads of a channel that may be read, in the order in which they began."""
        by_thread: dict[str, list[Message]] = {}
        with readable(f"The export {self._name}"):
            people = People(self.members, pseudonym)
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
        raise SourceRefused(f"The export {self._name} does not name its workspace: give its id.")

    def _rows(self, name: str) -> list[dict[str, Any]]:
        with self._explain_errors(printable(name)):
            return [row for rows, _ in self._child.ask("rows", name) for row in rows]

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
