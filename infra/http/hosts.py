"""Refuse requests for another host, so that a page elsewhere cannot reach a loopback address.

A name that is rebound to 127.0.0.1 still comes as its own name in `Host`.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.http.problems import Malformed

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
ANY_ADDRESS = frozenset({"0.0.0.0", "[::]", ""})


class CheckHost:
    """Let through what names one of ``hosts``, or this machine itself."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = LOOPBACK | {host.lower() for host in hosts} - ANY_ADDRESS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            given = Headers(scope=scope).getlist("host")
            if len(given) != 1 or host_of(given[0]) not in self._hosts:
                raise Malformed(
                    "This server does not answer for that host: set CAIRN_HTTP_HOSTS to the names"
                    " that it has.",
                    code="host_not_allowed",
                )
        await self._app(scope, receive, send)


def host_of(written: str) -> str:
    """The name in ``host``, ``host:port`` or ``[address]:port``."""
    name, colon, port = written.lower().rpartition(":")
    return name if colon and port.isdecimal() else written.lower()
