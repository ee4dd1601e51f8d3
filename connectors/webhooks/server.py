"""The webhook receiver over HTTP: `POST /v1/webhooks/{service}/{project}`, and nothing else.

Each request is limited in bytes and time; limits of connections are in `connections.py`. A delivery
counts as being worked on once its body is complete, so a slow sender blocks nobody. There is no
access log: paths name projects, and a refusal is worth only its count. The content of a body never
appears in a log, an error or an answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast, get_args

from aiohttp import web

from connectors.webhooks.connections import Connection, Connections, Guard, Limits
from connectors.webhooks.counters import Counters
from connectors.webhooks.payload import MAX_BODY_BYTES
from connectors.webhooks.receiver import Answer, Receiver, refusal_answer
from infra.log import get
from schemas.events.connector import ConnectorService

MAX_HEADERS, MAX_HEADER_BYTES = 64, 4096  # 256 KiB a connection
LINGERS_S = 1.0  # keeps reading so long, so that a refused sender receives its answer
RETRY_AFTER_S = 30
WRITE_EVERY_S = 1.0

log = get("webhooks")
# aiohttp's own log would show bytes of invalid requests.
_nothing = logging.Logger("webhooks.http", logging.CRITICAL + 1)


class Server:
    """Answers deliveries with ``receiver``. ``broken`` is set if the process must restart."""

    def __init__(
        self, receiver: Receiver, counters: Counters, limits: Limits | None = None
    ) -> None:
        self._receiver, self._counters = receiver, counters
        self.limits = limits or Limits()
        self.connections = Connections(self.limits, lambda why: counters.count("connection", why))
        self._now = 0
        self.broken: BaseException | None = None
        self._stop = asyncio.Event()

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/v1/webhooks/{service}/{project}", self._handle)
        app.on_response_prepare.append(_close_after)
        return app

    async def until_broken(self) -> None:
        """Writes the counters until a delivery fails for an unexpected reason, and raises that.

        The supervisor then starts a new process with a new producer.
        """
        while not self._stop.is_set():
            self._counters.write()
            try:
                async with asyncio.timeout(WRITE_EVERY_S):
                    await self._stop.wait()
            except TimeoutError:
                continue
        assert self.broken
        raise self.broken

    async def _handle(self, request: web.Request) -> web.Response:
        service = request.match_info["service"]
        if service not in get_args(ConnectorService):
            return web.json_response(
                {"code": "not_found", "message": "No such service."}, status=404
            )
        known = cast(ConnectorService, service)
        connection = self.connections.begin(request.transport) if request.transport else None
        if connection is None:
            raise ConnectionResetError("closed before its request was read")
        try:
            return self._respond(known, await self._answer(known, request, connection))
        finally:
            self.connections.end(connection)

    async def _answer(
        self, service: ConnectorService, request: web.Request, connection: Connection
    ) -> Answer:
        if request.headers.get("Content-Encoding", "identity") != "identity":
            return refusal_answer("malformed")  # the signature covers the bytes as sent
        body = await self._body(request, connection)
        if not isinstance(body, bytes):
            return body
        connection.waits = False
        connection.transport.pause_reading()  # bytes after the request are ignored
        if self._now >= self.limits.at_once:
            return refusal_answer("busy")
        self._now += 1
        try:
            return await self._receiver.receive(
                service, request.match_info["project"], request.headers, body
            )
        except Exception as error:
            log.error("webhooks.failed", error_class=type(error).__name__)
            self.broken = error
            self._stop.set()
            return refusal_answer("broker_away")
        finally:
            self._now -= 1

    async def _body(self, request: web.Request, connection: Connection) -> bytes | Answer:
        """The raw body, or the refusal of one that is too large or too slow."""
        if (request.content_length or 0) > MAX_BODY_BYTES:
            return refusal_answer("oversized")
        parts: list[bytes] = []
        try:
            async with asyncio.timeout(self.limits.body_within_s):
                async for part in request.content.iter_any():
                    if not self.connections.hold(connection, len(part)):
                        return refusal_answer("busy")
                    if connection.held_bytes > MAX_BODY_BYTES:
                        return refusal_answer("oversized")
                    parts.append(part)
        except TimeoutError:
            return refusal_answer("slow")
        except (ConnectionError, web.RequestPayloadError):
            return refusal_answer(connection.closed or "malformed")
        return b"".join(parts)

    def _respond(self, service: ConnectorService, answer: Answer) -> web.Response:
        self._counters.count(service, answer.outcome)
        response = web.json_response(answer.body, status=answer.status)
        if answer.retry:
            response.headers["Retry-After"] = str(RETRY_AFTER_S)
        return response


async def _close_after(_request: web.Request, response: web.StreamResponse) -> None:
    """One request per connection, so that its limits are those of a delivery."""
    response.force_close()


@asynccontextmanager
async def listen(server: Server, host: str, port: int) -> AsyncIterator[str]:
    """Serves requests during the block; yields the address. Raises OSError."""
    options: dict[str, Any] = {
        "access_log": None,
        "handle_signals": False,
        "lingering_time": LINGERS_S,
        "logger": _nothing,
        "max_headers": MAX_HEADERS,
        "max_field_size": MAX_HEADER_BYTES,
        "max_line_size": MAX_HEADER_BYTES,
    }
    runner = web.AppRunner(server.app(), **options)
    await runner.setup()
    accept = runner.server
    assert accept
    try:
        listener = await asyncio.get_running_loop().create_server(
            lambda: Guard(server.connections, accept()),
            host,
            port,
            backlog=server.limits.connections,
        )
        named, bound = listener.sockets[0].getsockname()[:2]
        try:
            yield f"http://{named}:{bound}"
        finally:
            listener.close()
    finally:
        await runner.cleanup()
