"""Limits connections: how many in total and per address, for how long, with how many bytes.

aiohttp limits neither the number of connections nor how long an answer may wait for its reader, and
its limit for an idle connection is an hour. So its protocol is wrapped, through asyncio's interface
only. A connection carries one request. At a limit, an incomplete request is closed: the oldest
connection, or the largest body. So slow clients lose their place to others, also behind a proxy,
where all clients have one address. Such a proxy should limit its clients itself.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, cast

MIB = 1024 * 1024
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 30\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
Closed = Literal["slow", "busy"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for clients. A process may open 1,024 files by default: connections are half."""

    connections: int = 512
    per_address: int = 128
    headers_within_s: float = 10.0
    body_within_s: float = 10.0
    whole_within_s: float = 30.0  # body, work and answer; then the connection is closed
    bodies_bytes: int = 64 * MIB  # in sum, of bodies that come in or are worked on
    at_once: int = 64  # deliveries that are worked on


@dataclass(eq=False, slots=True)
class Connection:
    """One connection. It ``waits`` until its request is complete; ``begun`` after the headers."""

    transport: asyncio.Transport
    network: str
    timer: asyncio.TimerHandle
    waits: bool = True
    begun: bool = False
    held_bytes: int = 0
    closed: Closed | None = None


class Connections:
    """The open connections, oldest first. ``count`` hears of each one closed before its headers."""

    def __init__(self, limits: Limits, count: Callable[[Closed], None]) -> None:
        self._limits, self._count = limits, count
        self._open: dict[asyncio.BaseTransport, Connection] = {}
        self._bodies: set[Connection] = set()

    def admit(self, transport: asyncio.Transport) -> bool:
        """Whether the connection may stay. An incomplete one is closed for it if needed."""
        peer = transport.get_extra_info("peername")
        network = network_of(str(peer[0])) if peer else ""
        here = [each for each in self._open.values() if each.network == network]
        crowded = here if len(here) >= self._limits.per_address else list(self._open.values())
        if len(here) >= self._limits.per_address or len(crowded) >= self._limits.connections:
            oldest = next((each for each in crowded if each.waits), None)
            if oldest is None:
                self._count("busy")
                return False
            self._drop(oldest, "busy")
        timer = self._after(self._limits.headers_within_s, transport)
        self._open[transport] = Connection(transport, network, timer)
        return True

    def forget(self, transport: asyncio.BaseTransport) -> None:
        """Removes a closed connection."""
        if known := self._open.pop(transport, None):
            known.timer.cancel()

    def begin(self, transport: asyncio.BaseTransport) -> Connection | None:
        """Call it when the headers are complete; ``end`` must follow.

        None if the connection was closed meanwhile.
        """
        if known := self._open.get(transport):
            known.timer.cancel()
            known.timer = self._after(self._limits.whole_within_s, known.transport)
            known.begun = True
            self._bodies.add(known)
        return known

    def end(self, connection: Connection) -> None:
        """Stops counting the connection's body, whether it is open or not."""
        self._bodies.discard(connection)

    def hold(self, connection: Connection, count: int) -> bool:
        """Whether ``count`` more bytes may be kept for its body; closes larger ones if needed."""
        connection.held_bytes += count
        while sum(each.held_bytes for each in self._bodies) > self._limits.bodies_bytes:
            waiting = (each for each in self._bodies if each.waits)
            largest = max(waiting, key=lambda each: each.held_bytes)
            if largest is connection:
                return False
            self.end(largest)
            self._drop(largest, "busy")
        return True

    def _after(self, seconds: float, transport: asyncio.Transport) -> asyncio.TimerHandle:
        def too_slow() -> None:
            if known := self._open.get(transport):
                self._drop(known, "slow")

        return asyncio.get_running_loop().call_later(seconds, too_slow)

    def _drop(self, connection: Connection, why: Closed) -> None:
        """Closes it at once, even if the client does not read."""
        self.forget(connection.transport)
        connection.closed = why
        connection.transport.abort()
        if not connection.begun:
            self._count(why)


class Guard(asyncio.Protocol):
    """Passes an admitted connection on to ``inner`` and closes all others."""

    def __init__(self, connections: Connections, inner: asyncio.Protocol) -> None:
        self._connections, self._inner = connections, inner
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        sender = cast(asyncio.Transport, transport)
        if self._connections.admit(sender):
            self._transport = sender
            self._inner.connection_made(sender)
        else:
            sender.write(BUSY)
            sender.close()

    def connection_lost(self, error: Exception | None) -> None:
        if self._transport:
            self._connections.forget(self._transport)
            self._inner.connection_lost(error)

    def data_received(self, data: bytes) -> None:
        if self._transport:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport else None

    def pause_writing(self) -> None:
        if self._transport:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._transport:
            self._inner.resume_writing()


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
