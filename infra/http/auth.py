"""Find out who calls, by the bearer token of the request.

A token that was found valid is believed for two seconds, so that a busy client costs no question a
request and a revoked token is refused within five. What is not valid is asked for each time.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable

import structlog
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.service.http_tables import Tables
from infra.service.oidc import Issuer, is_of_issuer
from infra.service.tokens import PREFIX, Caller, find_caller

BELIEVED_S = 2.0
MOST_KNOWN = 1_000
LONGEST_TOKEN = 200


class Callers:
    """The callers of valid tokens; ``forget`` makes the next request ask again."""

    def __init__(
        self,
        tables: Tables,
        issuer: Issuer | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tables, self._issuer, self._now = tables, issuer, now
        self._known: dict[bytes, tuple[float, Caller]] = {}

    async def find(self, token: str) -> Caller | None:
        """Who has this token, if anybody. Raises Unavailable, Forbidden for one without a role."""
        name = hashlib.sha256(token.encode(errors="replace")).digest()
        known = self._known.get(name)
        if known and self._now() < known[0]:
            return known[1]
        self._known.pop(name, None)
        caller = await self._look_up(token)
        if caller is not None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[name] = (self._now() + BELIEVED_S, caller)
        return caller

    async def _look_up(self, token: str) -> Caller | None:
        if token.startswith(PREFIX):
            return await self._tables.ask(find_caller, token)
        return await self._issuer.find(token) if self._issuer else None

    def forget(self) -> None:
        self._known.clear()


class Authenticate:
    """Note the caller in the request's state; whether one is needed is each route's affair."""

    def __init__(self, app: ASGIApp, callers: Callers) -> None:
        self._app, self._callers = app, callers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        token = token_in(scope)
        caller = await self._callers.find(token) if token else None
        scope.setdefault("state", {})["caller"] = caller
        with structlog.contextvars.bound_contextvars(token_id=caller.token_id if caller else None):
            await self._app(scope, receive, send)


def caller_of(scope: Scope) -> Caller | None:
    found = scope.get("state", {}).get("caller")
    return found if isinstance(found, Caller) else None


def token_in(scope: Scope) -> str:
    """The bearer token of a request; empty when it has none that could be valid."""
    kind, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
    token = token.strip()
    ours = token.startswith(PREFIX) and len(token) <= LONGEST_TOKEN
    return token if kind.lower() == "bearer" and (ours or is_of_issuer(token)) else ""
