"""A client of live streams that reads frames by itself, as a browser does."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from tests.http.conftest import Called

HEARTBEAT = "hb"


@dataclass(frozen=True, slots=True)
class Heard:
    """One frame; ``id`` is empty where the server gave none."""

    id: str
    name: str
    data: dict[str, Any]

    @property
    def seq(self) -> int:
        return int(self.id.partition("-")[2])


def listen(
    client: httpx.Client, stream_id: str, last_id: str = "", tell_open: Callable[[], object] = int
) -> Iterator[Heard]:
    """The frames behind ``last_id`` without heartbeats, until the server ends the stream.

    ``tell_open`` is called once the server has answered: from then on nothing is missed. Raises
    httpx.TransportError when it goes away.
    """
    return listen_at(client, f"/v1/streams/{stream_id}", last_id, tell_open)


def listen_at(
    client: httpx.Client, url: str, last_id: str = "", tell_open: Callable[[], object] = int
) -> Iterator[Heard]:
    """The same at an address, which may hold a stream token."""
    headers = {"last-event-id": last_id} if last_id else {}
    with client.stream("GET", url, headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
        tell_open()
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield from (each for each in parse(answer.iter_lines()) if each.name != HEARTBEAT)


def parse(lines: Iterator[str]) -> Iterator[Heard]:
    fields: dict[str, str] = {}
    for line in lines:
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif fields:
            if "event" in fields:  # another block says when to come again
                yield Heard(fields.get("id", ""), fields["event"], json.loads(fields["data"]))
            fields = {}


class Following(threading.Thread):
    """Follows a stream and, when the server goes away, goes on where it was."""

    def __init__(self, called: Called, stream_id: str, last_id: str = "") -> None:
        super().__init__(daemon=True)
        self._called, self._stream_id, self._last_id = called, stream_id, last_id
        self.heard: list[Heard] = []
        self.connections = 0
        self.is_open = threading.Event()  # it hears all that happens from now on
        self.stop = False

    def run(self) -> None:
        while not self.stop:
            with self._called.client() as client:
                try:
                    self.connections += 1
                    opened = self.is_open.set
                    for frame in listen(client, self._stream_id, self._last_id, opened):
                        self.heard.append(frame)
                        self._last_id = frame.id or self._last_id
                        if self.stop:
                            return
                    return
                except httpx.TransportError:
                    continue

    def has(self, name: str, **data: Any) -> bool:
        return any(
            frame.name == name and data.items() <= frame.data.items() for frame in self.heard
        )
