"""Limits connections that have not asked anything yet: how many, per address, and for how long.

uvicorn waits for the first request of a connection without an end, and has no limit for one
address. So its protocol is extended, through asyncio's interface only. A connection waits until the
headers of its request are complete, and again after the answer. At a limit, those that have waited
longest are closed. So slow clients lose their place to others, also behind a proxy, where all
clients have one address. Such a proxy should limit its clients itself.
"""

from __future__ import annotations

import asyncio
import ipaddress
import resource
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from infra.http.sse import ABORT

MOST_FILES = 65_536
Closed = Literal["slow", "busy"]


@dataclass(frozen=True, slots=True)
class Limits:
    """For connections that wait. ``spared_s``: those that wait no longer stay at a limit, so that
    many clients may connect in one moment.
    """

    connections: int = 512
    per_address: int = 128
    spared_s: float = 1.0
    headers_within_s: float = 10.0
    next_within_s: float = 75.0  # after an answer; longer than uvicorn keeps a silent one


@dataclass(eq=False, slots=True)
class Waiting:
    """A connection of which nothing is being answered, since ``since_s``."""

    transport: asyncio.Transport
    network: str
    since_s: float
    timer: asyncio.TimerHandle
    is_new: bool


class Connections:
    """The connections that wait, in the order in which they began to. ``count`` hears of each one
    that is closed before its first request.
    """

    def __init__(
        self, limits: Limits | None = None, count: Callable[[Closed], None] = lambda why: None
    ) -> None:
        self._limits, self._count = limits or Limits(), count
        self._waiting: dict[asyncio.BaseTransport, Waiting] = {}

    def admit(self, transport: asyncio.Transport) -> None:
        """A new connection waits; others are closed for it where there are too many."""
        self._wait(transport, self._limits.headers_within_s, is_new=True)
        here = [
            each
            for each in self._waiting.values()
            if each.network == self._waiting[transport].network
        ]
        self._drop_oldest(here, self._limits.per_address)
        self._drop_oldest(list(self._waiting.values()), self._limits.connections)

    def begin(self, transport: asyncio.Transport) -> None:
        """Its request has come, and is being answered."""
        self.forget(transport)

    def end(self, transport: asyncio.Transport) -> None:
        """Its request is answered; it may send another."""
        if not transport.is_closing():
            self._wait(transport, self._limits.next_within_s, is_new=False)

    def forget(self, transport: asyncio.BaseTransport) -> None:
        if known := self._waiting.pop(transport, None):
            known.timer.cancel()

    def _wait(self, transport: asyncio.Transport, within_s: float, *, is_new: bool) -> None:
        self.forget(transport)
        loop = asyncio.get_running_loop()
        timer = loop.call_later(within_s, self._close_slow, transport)
        network = _network(transport)
        self._waiting[transport] = Waiting(transport, network, loop.time(), timer, is_new)

    def _close_slow(self, transport: asyncio.Transport) -> None:
        if known := self._waiting.get(transport):
            self._drop(known, "slow")

    def _drop_oldest(self, waiting: list[Waiting], most: int) -> None:
        now_s = asyncio.get_running_loop().time()
        for each in waiting[: max(0, len(waiting) - most)]:
            if now_s - each.since_s >= self._limits.spared_s:
                self._drop(each, "busy")

    def _drop(self, known: Waiting, why: Closed) -> None:
        """Closes it at once, even if the client does not read."""
        self.forget(known.transport)
        known.transport.abort()
        if known.is_new:
            self._count(why)


def protocol_with(connections: Connections) -> type[asyncio.Protocol]:
    """uvicorn's protocol, whose connections are those of ``connections``.

    Its requests can close their socket at once: ASGI knows only the polite way.
    """

    class Limited(H11Protocol):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            answer = self.app

            async def tell(scope: Scope, receive: Receive, send: Send) -> None:
                connections.begin(self.transport)
                try:
                    await answer(scope, receive, send)
                finally:
                    connections.end(self.transport)

            self.app = tell

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.app_state = self.app_state | {ABORT: self._abort}
            connections.admit(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            connections.forget(self.transport)
            super().connection_lost(exc)

        def _abort(self) -> None:
            sock = self.transport.get_extra_info("socket")
            # Else the kernel would hold what is on its way, and the socket, until it gives up.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()

    return Limited


def allow_many_files() -> None:
    """This process may open as many files as the system lets it: each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _network(transport: asyncio.Transport) -> str:
    peer = transport.get_extra_info("peername")
    return network_of(str(peer[0])) if peer else ""


def network_of(host: str) -> str:
    """What counts as one address: for IPv6 the /64, which one client may have to itself."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), 64), strict=False))
