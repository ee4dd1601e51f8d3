"""Where the model proxy listens, and how it is served beside the model worker's own socket."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from infra.platform.files import write_whole
from infra.platform.settings import Settings
from infra.runtime.local.process import port_is_free
from infra.service.models.proxy import (
    ProxyAddress,
    address_file,
    read_proxy_address,
    socket_file,
)
from infra.service.models.proxy_door import ProxyDoor

DRAINS_S = 60  # for calls under way when the worker recycles itself; others wait meanwhile
BACKLOG = 128


class _Server(uvicorn.Server):
    """Signals are the process's own affair."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(settings: Settings) -> list[socket.socket]:
    """The sockets of the proxy: on loopback, at the port of the last start if it is free, and on a
    path that a sandbox can be given.
    """
    known = read_proxy_address(settings)
    port = known.port if known and port_is_free(known.port) else 0
    path = socket_file(settings)
    path.unlink(missing_ok=True)
    at_port = socket.create_server(("127.0.0.1", port), backlog=BACKLOG)
    at_path = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    _bind(at_path, str(path))
    path.chmod(0o600)
    at_path.listen(BACKLOG)
    address = ProxyAddress(port=at_port.getsockname()[1], socket=str(path))
    write_whole(address_file(settings), address.model_dump_json(), mode=0o600)
    return [at_port, at_path]


def _bind(unbound: socket.socket, path: str) -> None:
    """A path may be longer than an address of a socket; one by way of its folder is short."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
    try:
        name = os.path.basename(path)
        unbound.bind(f"/proc/self/fd/{folder}/{name}" if len(path) > 100 else path)
    finally:
        os.close(folder)


async def serve_door(door: ProxyDoor, listening: list[socket.socket], stop: asyncio.Event) -> None:
    """Answer at the door until ``stop`` is set, and then the calls that are under way."""
    config = uvicorn.Config(
        door,
        loop="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        ws="none",
        http="h11",
        timeout_graceful_shutdown=DRAINS_S,
    )
    server = _Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=listening))
    try:
        await stop.wait()
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await serving
