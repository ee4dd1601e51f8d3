"""Refuse requests for another host, and writes that a page of another origin sends.

So a page elsewhere cannot reach a loopback address: a name that is rebound to 127.0.0.1 still comes
as its own name in `Host`, and a page of another port names itself in `Origin`.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.http.auth import is_of_console
from infra.http.problems import Malformed
from infra.platform.errors import Forbidden

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
ELSEWHERE = frozenset({"cross-site", "same-site"})  # of Sec-Fetch-Site, which browsers set
DEFAULT_PORTS = {"http": ":80", "https": ":443"}
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
FORMS = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
SIGNED = "/v1/webhooks/"
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


class CheckOrigin:
    """Let through writes of programs, and those of pages that this server itself has served.

    A browser names the origin of every form that it sends. So a form without one, and any write of
    the console, comes from no page of ours; deliveries of webhooks may be forms and are signed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS:
            headers = Headers(scope=scope)
            origins = headers.getlist("origin")
            here = headers.get("host", "")
            if headers.get("sec-fetch-site") in ELSEWHERE or not all(
                is_origin_of(origin, here) for origin in origins
            ):
                raise Forbidden(
                    "A page of another origin may change nothing here.", code="origin_not_allowed"
                )
            if not origins and (is_of_console(scope) or _is_form(scope["path"], headers)):
                raise Forbidden(
                    "A form needs the Origin of the page that sends it; programs send JSON.",
                    code="origin_missing",
                )
        await self._app(scope, receive, send)


def _is_form(path: str, headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in FORMS and not path.startswith(SIGNED)


def is_origin_of(origin: str, host: str) -> bool:
    """Whether a page of ``origin`` comes from ``host``, with the same port."""
    scheme, _, place = origin.lower().partition("://")
    usual = DEFAULT_PORTS.get(scheme)
    return usual is not None and place.removesuffix(usual) == host.lower().removesuffix(usual)


def host_of(written: str) -> str:
    """The name in ``host``, ``host:port`` or ``[address]:port``."""
    name, colon, port = written.lower().rpartition(":")
    return name if colon and port.isdecimal() else written.lower()
