"""The API on loopback, whose receiver has a log in memory that can be away."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import aiohttp
import uvicorn
from fastapi import FastAPI

from connectors.webhooks import bodies
from connectors.webhooks.counters import Counters, read_counters
from connectors.webhooks.receiver import Endpoint, Receiver
from connectors.webhooks.server import Server
from infra.http import connections
from infra.http.app import create_app
from infra.http.serve import options_of
from infra.platform.errors import BrokerUnavailable
from infra.platform.settings import Settings
from schemas.codec import decode, encode
from schemas.envelope import Envelope
from tests.connectors.webhooks.senders import NOW, SECRET, Sent

PROJECTS = ("prj_shop", "prj_depot")  # with one secret


@dataclass
class Door:
    """What stands behind the receiver, and how to knock."""

    counters: Path
    log: list[Envelope] = field(default_factory=list)
    sealed_for: list[str] = field(default_factory=list)
    broker_away: bool = False
    key_error: Exception | None = None
    wait: Callable[[], Awaitable[None]] | None = None
    now_at: datetime = NOW
    address: str = ""
    server: Server | None = None

    def now(self) -> datetime:
        return self.now_at

    def endpoint(self, service: str, project: str) -> Endpoint | None:
        return Endpoint(project, (SECRET,)) if project in PROJECTS else None

    def seal(self, project_id: str, content: bytes, subject: str) -> tuple[str, bytes]:
        if self.key_error:
            raise self.key_error
        self.sealed_for.append(subject)
        return f"key_{project_id}_{subject}", b"sealed:" + content[::-1]

    async def publish(self, envelopes: list[Envelope]) -> None:
        if self.wait:
            await self.wait()
        if self.broker_away:
            raise BrokerUnavailable("The broker does not answer.")
        self.log.extend(decode(encode(each.recorded(NOW))) for each in envelopes)

    async def send(self, sent: Sent, **changes: Any) -> tuple[int, dict[str, Any]]:
        """Status and JSON of the answer to a delivery."""
        path = f"{self.address}/v1/webhooks/{sent.service}/{sent.project}"
        headers = sent.headers | {"X-Correlation-ID": "door"}
        options = {"data": sent.body, "headers": headers} | changes
        async with aiohttp.ClientSession() as client, client.post(path, **options) as answer:
            return answer.status, await answer.json(content_type=None)

    def close(self) -> None:
        """Nothing receives, as before the broker has answered for the first time."""
        application().state.api.deliveries.server = None

    @property
    def is_reconcilable(self) -> dict[str, Any]:
        """The counters as `cairn status` would show them."""
        found = read_counters(self.counters)
        assert found
        return found


@asynccontextmanager
async def a_door(folder: Path, *, patience_s: float = 30.0, **options: Any) -> AsyncIterator[Door]:
    """``patience_s``: how long the log may take to acknowledge; ``options`` are `Limits`."""
    door = Door(folder / "webhooks.json")
    counters = Counters(door.counters)
    receiver = Receiver(
        door.endpoint, door.seal, door.publish, door, acknowledged_within_s=patience_s
    )
    door.server = Server(receiver, counters, some(bodies.Limits, options))
    limits = some(connections.Limits, {"spared_s": 0} | options)
    known = connections.Connections(limits, partial(counters.count, "connection"))
    app = application()
    app.state.api.deliveries.server = door.server
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        config = uvicorn.Config(app, lifespan="off", **options_of(known))
        server = uvicorn.Server(config)
        door.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        counters.set_address(door.address)
        serving = asyncio.create_task(server._serve(sockets=[listening]))
        try:
            yield door
        finally:
            server.force_exit = server.should_exit = True
            await serving
    counters.write()


def some(kind: Any, options: dict[str, Any]) -> Any:
    """Those of the options that limits of this kind have; a name may be of several kinds."""
    names = {each.name for each in fields(kind)}
    return kind(**{name: value for name, value in options.items() if name in names})


@cache
def application() -> FastAPI:
    """The API without broker and database, which a delivery does not need here."""
    return create_app(
        Settings(database_url="postgresql://nobody@127.0.0.1:1/none", http_hosts="hooks")
    )
