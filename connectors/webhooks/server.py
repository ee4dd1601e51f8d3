"""The receiver over HTTP: `POST /v1/webhooks/{service}/{project}`, and nothing else.

Strangers talk to it, so each request has a bound: bytes, time, how many at once. It writes no
access log: paths name projects, and a refusal is worth no more than its count. What a body says is
never in a log, an error or an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast, get_args

from aiohttp import web

from connectors.webhooks.counters import Counters
from connectors.webhooks.payload import MAX_BODY_BYTES
from connectors.webhooks.receiver import Answer, Receiver, refused
from infra.log import get
from schemas.events.connector import ConnectorService

BODY_WITHIN_S = 10.0
AT_ONCE = 64  # requests; with the largest body each is 5 MiB
LINGERS_S = 1.0  # reads on that long, and forgets, so that a refused sender gets to its answer
RETRY_AFTER_S = 30
WRITE_EVERY_S = 1.0

log = get("webhooks")


class Server:
    """Answers deliveries with ``receiver``. ``broken`` is set when the process must start anew."""

    def __init__(
        self,
        receiver: Receiver,
        counters: Counters,
        *,
        body_within_s: float = BODY_WITHIN_S,
        at_once: int = AT_ONCE,
    ) -> None:
        self._receiver, self._counters = receiver, counters
        self._body_within_s, self._at_once = body_within_s, at_once
        self._now = 0
        self.broken: BaseException | None = None
        self._stop = asyncio.Event()

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/v1/webhooks/{service}/{project}", self._delivered)
        return app

    async def until_broken(self) -> None:
        """Writes the counters until a delivery fails for a reason nobody has foreseen, and raises
        that: a producer that gave up for good is made anew by the supervisor.
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

    async def _delivered(self, request: web.Request) -> web.Response:
        service = request.match_info["service"]
        if service not in get_args(ConnectorService):
            return web.json_response(
                {"code": "not_found", "message": "No such service."}, status=404
            )
        known = cast(ConnectorService, service)
        if self._now >= self._at_once:
            return self._told(known, refused("busy"))
        self._now += 1
        try:
            return self._told(known, await self._answer(known, request))
        finally:
            self._now -= 1

    async def _answer(self, service: ConnectorService, request: web.Request) -> Answer:
        if request.headers.get("Content-Encoding", "identity") != "identity":
            return refused("malformed")  # what was signed are the bytes as they came
        body = await self._body(request)
        if not isinstance(body, bytes):
            return body
        project = request.match_info["project"]
        try:
            return await self._receiver.receive(service, project, request.headers, body)
        except Exception as error:
            log.error("webhooks.failed", error_class=type(error).__name__)
            self.broken = error
            self._stop.set()
            return refused("broker_away")

    async def _body(self, request: web.Request) -> bytes | Answer:
        """The raw body, or the refusal of one that is too large or too slow."""
        if (request.content_length or 0) > MAX_BODY_BYTES:
            return refused("oversized")
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._body_within_s):
                async for part in request.content.iter_any():
                    size += len(part)
                    if size > MAX_BODY_BYTES:
                        return refused("oversized")
                    parts.append(part)
        except TimeoutError:
            return refused("slow")
        except (ConnectionError, web.RequestPayloadError):
            return refused("malformed")
        return b"".join(parts)

    def _told(self, service: ConnectorService, answer: Answer) -> web.Response:
        self._counters.count(service, answer.outcome)
        response = web.json_response(answer.body, status=answer.status)
        if answer.retry:
            response.headers["Retry-After"] = str(RETRY_AFTER_S)
        if answer.outcome in ("oversized", "slow"):
            response.force_close()  # the rest of the body is not worth reading
        return response


@asynccontextmanager
async def listening(server: Server, host: str, port: int) -> AsyncIterator[str]:
    """The server takes requests during the block; yields its address. Raises OSError."""
    options: dict[str, Any] = {
        "access_log": None,
        "handle_signals": False,
        "lingering_time": LINGERS_S,
    }
    runner = web.AppRunner(server.app(), **options)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        named, bound = runner.addresses[0][:2]
        yield f"http://{named}:{bound}"
    finally:
        await runner.cleanup()
