"""Server-Sent Events as an iterator that goes on where a connection broke."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from infra.client.problems import error_of, unreachable
from infra.platform.errors import Unavailable

HEARTBEAT = "hb"
SILENT_FOR_S = 45.0  # three heartbeats
CONNECTED_WITHIN_S = 10.0
MOST_FAILURES = 5  # in a row
PAUSE_S = 1.0
ENDED = 204


@dataclass(frozen=True, slots=True)
class Frame:
    """One event. ``id`` is what `last_event_id` takes, to go on behind it."""

    id: str
    event: str
    data: dict[str, Any]


def follow(
    http: httpx.Client,
    request: httpx.Request,
    last_event_id: str | None,
    pause: Callable[[float], None],
) -> Iterator[Frame]:
    """Every frame, each once, until the stream has ended; a stream without end goes on for ever.

    Raises what the service refuses, and Unavailable when it does not come back.
    """
    failures = 0
    while True:
        try:
            with _open(http, request, last_event_id) as response:
                if response.status_code == ENDED:
                    return
                for frame in parse(response.iter_lines()):
                    failures = 0
                    if frame.event != HEARTBEAT:
                        last_event_id = frame.id or last_event_id
                        yield frame
            failure = unreachable(request.url, httpx.ReadError("the stream breaks off"))
        except httpx.TransportError as error:
            failure = unreachable(request.url, error)
        except Unavailable as error:
            failure = error
        failures += 1
        if failures > MOST_FAILURES:
            raise failure
        pause(PAUSE_S)


@contextmanager
def _open(
    http: httpx.Client, request: httpx.Request, last_event_id: str | None
) -> Iterator[httpx.Response]:
    """The answer, with its body still to come. Raises what the service refuses."""
    headers = dict(request.headers) | {"accept": "text/event-stream"}
    if last_event_id:
        headers["last-event-id"] = last_event_id
    patience = httpx.Timeout(SILENT_FOR_S, connect=CONNECTED_WITHIN_S)
    with http.stream(request.method, request.url, headers=headers, timeout=patience) as response:
        if not response.is_success:
            response.read()
            raise error_of(response)
        yield response


def parse(lines: Iterable[str]) -> Iterator[Frame]:
    """The events of a stream, by the rules of Server-Sent Events."""
    last_id, event, data = "", "message", list[str]()
    for line in lines:
        if not line:
            if data:
                yield Frame(last_id, event, json.loads("\n".join(data)))
            event, data = "message", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            last_id = value
        elif name == "event":
            event = value
        elif name == "data":
            data.append(value)
