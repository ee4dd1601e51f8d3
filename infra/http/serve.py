"""Run the API on uvicorn, in this process, until it is told to stop."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import uvicorn

from infra.http.app import create_app
from infra.http.connections import Connections, allow_many_files, protocol_with
from infra.platform import loop
from infra.platform.errors import Unavailable
from infra.platform.settings import Settings
from infra.runtime.local.http_address import record_address
from infra.service.access.stream_tokens import read_stream_key

DRAINS_S = 10  # for requests under way when it is told to stop
SEND_BUFFER_BYTES = 64 * 1024
STALLED_MS = 30_000  # for the other side to take something of what was sent
IDLE_S = 65  # longer than the proxies in front keep a connection


class Server(uvicorn.Server):
    """A server that does not wait for live streams when it is told to stop: they have no end."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.config.app.state.api.hub.end()  # type: ignore[union-attr]
        await super().shutdown(sockets)


def serve(
    settings: Settings,
    environ: Mapping[str, str],
    address: str,
    tell_ready: Callable[[], None],
) -> None:
    """Listen at ``address``; port 0 is any free one. Raises Refusal."""
    read_stream_key(settings)  # one that cannot be used is told now, not to the first client
    with _listen(address) as listening:
        url = _url(listening)
        record_address(settings, url)
        allow_many_files()
        app = create_app(settings.model_copy(update={"http": address}), environ)
        counters = app.state.api.deliveries.counters
        counters.set_address(url)
        connections = Connections(count=partial(counters.count, "connection"))
        tell_ready()
        # The loop is ours.
        config = uvicorn.Config(app, loop="none", **options_of(connections))
        loop.run(Server(config).serve(sockets=[listening]))


def options_of(connections: Connections) -> dict[str, Any]:
    """How uvicorn serves our application."""
    return {
        "http": protocol_with(connections),
        "access_log": False,
        "log_config": None,
        "server_header": False,
        "proxy_headers": False,  # `app.py` believes those of CAIRN_HTTP_PROXIES alone
        "timeout_graceful_shutdown": DRAINS_S,
        "timeout_keep_alive": IDLE_S,
        "h11_max_incomplete_event_size": 64 * 1024,
    }


def _listen(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, int(port)), family=family, backlog=1024)
        # Accepted sockets inherit both: one that takes nothing holds little, and not for long.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_MS)
        return listening
    except (OSError, OverflowError) as error:
        raise Unavailable(
            f"Nothing can listen at {address} ({error}): choose another address in CAIRN_HTTP.",
            code="address_unusable",
            detail={"address": address},
        ) from error


def _url(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
