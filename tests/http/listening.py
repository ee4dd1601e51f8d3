"""A client of live streams that reads frames by itself, as a browser does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

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


def listen(client: httpx.Client, stream_id: str, last_id: str = "") -> Iterator[Heard]:
    """The frames behind ``last_id`` without heartbeats, until the server ends the stream.

    Raises httpx.TransportError when it goes away.
    """
    headers = {"last-event-id": last_id} if last_id else {}
    with client.stream("GET", f"/v1/streams/{stream_id}", headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
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
            yield Heard(fields.get("id", ""), fields["event"], json.loads(fields["data"]))
            fields = {}
