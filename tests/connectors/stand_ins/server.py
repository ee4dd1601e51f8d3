"""What the stand-ins share: real HTTP on loopback, faults, who asked what."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from yarl import URL


@dataclass
class Fault:
    """An answer in the place of the real one."""

    status: int = 502
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""
    slow_s: float = 0.0
    drop: bool = False


@dataclass
class Asked:
    """One request as the server saw it; ``etag`` is the condition it was asked under, ``target``
    the path and query as they were sent.
    """

    method: str
    url: URL
    authorization: str = ""
    etag: str | None = None
    status: int = 0
    target: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def path(self) -> str:
        return self.url.path

    @property
    def query(self) -> dict[str, str]:
        return dict(self.url.query)

    @property
    def token(self) -> str:
        return self.authorization.removeprefix("Bearer ")

    @property
    def conditional(self) -> bool:
        return self.etag is not None


@dataclass
class Server:
    """``before_each`` is called before every answer, and ``faults`` are answered first."""

    before_each: Callable[[Asked], None] = lambda asked: None
    faults: list[Fault] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    revoked: bool = False  # our credential is known no longer
    url: str = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Any]:
        app = web.Application(client_max_size=2**20)
        app.router.add_route("*", "/{tail:.*}", self._answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}/"
        try:
            yield self
        finally:
            await runner.cleanup()

    @contextmanager
    def beside(self) -> Iterator[Any]:
        """The server runs in a thread of its own: for tests that drive whole processes."""
        up, stop = threading.Event(), threading.Event()

        async def serve() -> None:
            async with self.running():
                up.set()
                await asyncio.to_thread(stop.wait)

        thread = threading.Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        try:
            assert up.wait(30), "the stand-in did not come up"
            yield self
        finally:
            stop.set()
            thread.join()

    async def route(self, asked: Asked, body: dict[str, Any]) -> web.Response:
        raise NotImplementedError

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(
            request.method,
            request.url,
            request.headers.get("Authorization", ""),
            request.headers.get("If-None-Match"),
            target=request.raw_path,
            headers=request.headers,
            body=await request.read(),
        )
        self.asked.append(asked)
        self.before_each(asked)
        if self.faults:
            fault = self.faults.pop(0)
            await asyncio.sleep(fault.slow_s)
            asked.status = fault.status
            if fault.drop and request.transport:
                request.transport.close()
            if fault.status:
                return web.Response(status=fault.status, headers=fault.headers, text=fault.body)
        body = json.loads(asked.body or b"{}")
        response = await self.route(asked, body)
        asked.status = response.status
        return response


def reply(told: Any, status: int = 200) -> web.Response:
    return web.json_response(told, status=status)
