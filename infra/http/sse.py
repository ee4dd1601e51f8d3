"""Server-Sent Events: the frames of a stream as they come, for one client.

A frame's id is the stream's epoch and the frame's place in the log, so that it survives a rebuild
of the tables. A client that does not read is given up after ``STALLED_S``, with its socket and what
is still on its way. Decided against: ready-made responses, which leave stalled sockets open and
hold twice the memory for each client.

Measured by `cairn bench streams`, see `README.md`.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from infra.http.problems import Malformed
from infra.platform.log import get
from infra.service.reading.live_streams import Batch

HEARTBEAT_S = 15.0
CHECKED_S = 2.0  # how long a client is believed to be allowed what it gets
STALLED_S = 20.0  # for the client to take one write
LOOKS = 4  # in that time: a server that was held up itself sees then what clients have taken
WRITE_BYTES = (
    64 * 1024
)  # at most at once, but for one frame that is larger: this waits for a client
ABORT = (
    "abort"  # in the state of a request: closes its socket at once, if the server has put it there
)
RETRY = b"retry: 3000\n\n"  # ms until a client comes again; and the head is on its way at once
HEARTBEAT = b": hb\n\nevent: hb\ndata: {}\n\n"
RESET = b'event: reset\ndata: {"reason":"frame_unknown"}\n\n'
EVENT_ID = re.compile(r"([0-9a-f]{1,16})-([0-9]{1,18})")


log = get("streams")


class ClientStalled(Exception):
    """The client takes nothing of what is sent to it."""


class EventStream(Response):
    """Sends batches of frames until the stream ends, the client goes, or it is refused.

    ``is_reset``: the client named a frame that is not there, so it is told to begin anew.
    ``is_allowed`` is asked every few seconds.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        batches: AsyncGenerator[Batch, None],
        epoch: str,
        is_allowed: Callable[[], Awaitable[bool]],
        *,
        is_reset: bool = False,
        heartbeat_s: float = HEARTBEAT_S,
        stalled_s: float = STALLED_S,
    ) -> None:
        self._batches, self._epoch, self._is_allowed = batches, epoch, is_allowed
        self._is_reset = is_reset
        self._heartbeat_s, self._stalled_s = heartbeat_s, stalled_s
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
            try:
                sending.result()
            except ClientStalled:
                await self._drop(scope, receive)

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await self._write(send, RETRY)
        if self._is_reset:
            await self._write(send, RESET)
        async with aclosing(self._batches) as batches:
            await self._send_batches(batches, send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_batches(self, batches: AsyncGenerator[Batch, None], send: Send) -> None:
        checked_s = wrote_s = time.monotonic()
        async for batch in batches:
            now = time.monotonic()
            if now - checked_s >= CHECKED_S:
                if not await self._is_allowed():
                    return
                checked_s = now
            if batch.frames:
                for chunk in batch.render(self._epoch):
                    await self._write(send, chunk)
                wrote_s = now
            elif now - wrote_s >= self._heartbeat_s:
                await self._write(send, HEARTBEAT)
                wrote_s = now

    async def _write(self, send: Send, chunk: bytes) -> None:
        """The client has room for the chunk. Raises ClientStalled when it takes nothing."""
        message = {"type": "http.response.body", "body": chunk, "more_body": True}
        for _ in range(LOOKS):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._stalled_s / LOOKS):
                    await send(message)  # it waits for room before it writes anything
                    return
        raise ClientStalled

    async def _drop(self, scope: Scope, receive: Receive) -> None:
        """The socket is closed at once: a client that does not read would not read the end."""
        log.info("streams.client_stalled", path=scope["path"], after_s=self._stalled_s)
        if abort := scope.get("state", {}).get(ABORT):
            abort()
            await _until_gone(receive)


def parse_event_id(written: str) -> tuple[str, int]:
    """Epoch and place of a frame's id. Raises Malformed."""
    found = EVENT_ID.fullmatch(written.strip())
    if found is None:
        raise Malformed(
            "Last-Event-ID is no id of a frame: send back the last `id:` as it came, or none.",
            code="event_id_invalid",
        )
    return found[1], int(found[2])


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
