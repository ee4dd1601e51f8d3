"""Server-Sent Events: the frames of a stream as they come, for one client.

A frame's id is the stream's epoch and the frame's place in the log, so that it survives a rebuild
of the tables. A client that does not read is given up after ``STALLED_S``; the kernel drops its
socket, see `serve.py`. Decided against: ready-made responses, which leave stalled sockets open and
hold twice the memory for each client.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from infra.http.problems import Malformed
from infra.service.streams import Frame

HEARTBEAT_S = 15.0
CHECKED_S = 2.0  # how long a client is believed to be allowed what it gets
STALLED_S = 20.0  # for the client to take one batch
HEARTBEAT = b": hb\n\nevent: hb\ndata: {}\n\n"
RESET = b'event: reset\ndata: {"reason":"frame_unknown"}\n\n'
EVENT_ID = re.compile(r"([0-9a-f]{1,16})-([0-9]{1,18})")


class EventStream(Response):
    """Sends batches of frames until the stream ends, the client goes, or it is refused.

    ``is_reset``: the client named a frame that is not there, so it is told to begin anew.
    ``is_allowed`` is asked every few seconds.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        batches: AsyncGenerator[Sequence[Frame], None],
        epoch: str,
        is_allowed: Callable[[], Awaitable[bool]],
        *,
        is_reset: bool = False,
    ) -> None:
        self._batches, self._epoch, self._is_allowed = batches, epoch, is_allowed
        self._is_reset = is_reset
        self.status_code = 200
        self.background = None
        self.init_headers({"cache-control": "no-store", "x-accel-buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send_all(send))
        leaving = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            _, pending = await asyncio.wait((sending, leaving))
        if not sending.cancelled():
            sending.result()

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        if self._is_reset:
            await _write(send, RESET)
        async with aclosing(self._batches) as batches:
            await self._send_batches(batches, send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_batches(
        self, batches: AsyncGenerator[Sequence[Frame], None], send: Send
    ) -> None:
        checked_s = wrote_s = time.monotonic()
        async for frames in batches:
            now = time.monotonic()
            if now - checked_s >= CHECKED_S:
                if not await self._is_allowed():
                    return
                checked_s = now
            if frames:
                await _write(send, render_frames(frames, self._epoch))
                wrote_s = now
            elif now - wrote_s >= HEARTBEAT_S:
                await _write(send, HEARTBEAT)
                wrote_s = now


def render_frames(frames: Sequence[Frame], epoch: str) -> bytes:
    """Frames as they travel."""
    start = f"id: {epoch}".encode()
    return start + start.join([frame.wire for frame in frames])


def parse_event_id(written: str) -> tuple[str, int]:
    """Epoch and place of a frame's id. Raises Malformed."""
    found = EVENT_ID.fullmatch(written.strip())
    if found is None:
        raise Malformed(
            "Last-Event-ID is no id of a frame: send back the last `id:` as it came, or none.",
            code="event_id_invalid",
        )
    return found[1], int(found[2])


async def _write(send: Send, chunk: bytes) -> None:
    """The client has room for the chunk. Raises TimeoutError when it takes nothing."""
    async with asyncio.timeout(STALLED_S):
        await send({"type": "http.response.body", "body": chunk, "more_body": True})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
