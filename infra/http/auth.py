"""Find out who calls: by the bearer token of the request, the stream token of its address, or, for
the console alone, by the session of its cookie.

A token or session that was found valid is believed for two seconds, so that a busy client costs no
question a request. The server that revokes or ends one forgets at once what it believed; others
refuse it two seconds later. What is not valid is asked for each time.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, unquote

import structlog
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.platform.errors import Forbidden, Invalid
from infra.platform.settings import Settings
from infra.service.access.oidc import ID_PREFIX, Issuer, is_of_issuer
from infra.service.access.sessions import Sessions, is_drawn
from infra.service.access.stream_tokens import StreamTokens
from infra.service.access.tokens import PREFIX, read_owner_token
from infra.service.foundation.connections import Tables
from infra.service.foundation.publishing import redactor_of
from infra.store.sessions import find_signed_in
from infra.store.tokens import ROLES, Caller, find_caller, find_caller_by_id

BELIEVED_S = 2.0
MOST_KNOWN = 1_000
LONGEST_TOKEN = 200
ON_BEHALF_OF, IN_ROLE = "cairn-on-behalf-of", "cairn-in-role"
LONGEST_NAME = 100  # of a person, as of a token
CONSOLE = "/console"
STREAM_PATH = re.compile(r"/v1/streams/([^/]+)")


class Callers:
    """The callers of valid tokens and sessions; ``forget`` makes the next request ask again."""

    def __init__(
        self,
        settings: Settings,
        tables: Tables,
        issuer: Issuer | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings, self._tables = settings, tables
        self._issuer, self._now = issuer, now
        self._known: dict[bytes, tuple[float, Caller]] = {}
        self._looking: dict[bytes, asyncio.Task[Caller | None]] = {}
        self._forgotten = 0  # times

    async def find(self, token: str) -> Caller | None:
        """Who has this token, if anybody. Raises Unavailable, Forbidden for one without a role."""
        name = hashlib.sha256(token.encode(errors="replace")).digest()
        return await self._believe(name, lambda: self._look_up(token))

    async def find_by_id(self, token_id: str) -> Caller | None:
        """Whose token this is, while it is valid. Raises DatabaseUnavailable."""
        return await self._believe(token_id.encode(), lambda: self._look_up_id(token_id))

    async def find_signed_in(self, cookie: str) -> Caller | None:
        """Whose session this cookie opens, if any. Raises DatabaseUnavailable."""
        if not is_drawn(cookie):
            return None
        name = hashlib.sha256(b"session\n" + cookie.encode()).digest()
        return await self._believe(name, lambda: self._tables.ask(find_signed_in, cookie))

    async def _believe(
        self, name: bytes, look: Callable[[], Coroutine[Any, Any, Caller | None]]
    ) -> Caller | None:
        known = self._known.get(name)
        if known and self._now() < known[0]:
            return known[1]
        self._known.pop(name, None)
        forgotten = self._forgotten
        caller = await self._share(name, look)
        if caller is not None and forgotten == self._forgotten:  # it was not revoked meanwhile
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[name] = (self._now() + BELIEVED_S, caller)
        return caller

    async def _look_up(self, token: str) -> Caller | None:
        if token.startswith(PREFIX):
            found = await self._tables.ask(find_caller, token)
            owners = read_owner_token(self._settings)
            is_owners = secrets.compare_digest(token.encode(), owners.encode())
            return replace(found, has_home=True) if found and is_owners else found
        return await self._issuer.find(token) if self._issuer else None

    async def _look_up_id(self, token_id: str) -> Caller | None:
        if token_id.startswith(ID_PREFIX):
            return self._issuer.find_by_id(token_id) if self._issuer else None
        return await self._tables.ask(find_caller_by_id, token_id)

    async def _share(
        self, name: bytes, look: Callable[[], Coroutine[Any, Any, Caller | None]]
    ) -> Caller | None:
        """Look once for all who want to know at the same time: a token may follow many streams."""
        task = self._looking.get(name)
        if task is None:
            task = self._looking[name] = asyncio.create_task(look())
            task.add_done_callback(lambda done: self._looked(name, done))
        return await asyncio.shield(task)

    def _looked(self, name: bytes, done: asyncio.Task[Caller | None]) -> None:
        if self._looking.get(name) is done:
            del self._looking[name]

    def redact(self, name: str) -> str:
        """Without a secret that somebody has put into it: it is kept with all that is done."""
        return redactor_of(self._settings).text(name)

    def forget(self) -> None:
        self._forgotten += 1
        self._known.clear()
        self._looking.clear()


class Authenticate:
    """Note the caller in the request's state; whether one is needed is each route's affair."""

    def __init__(
        self, app: ASGIApp, callers: Callers, stream_tokens: StreamTokens, sessions: Sessions
    ) -> None:
        self._app, self._callers = app, callers
        self._stream_tokens, self._sessions = stream_tokens, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        caller = await self._find(scope)
        scope.setdefault("state", {})["caller"] = caller
        with structlog.contextvars.bound_contextvars(token_id=caller.token_id if caller else None):
            await self._app(scope, receive, send)

    async def _find(self, scope: Scope) -> Caller | None:
        """A token in the address counts alone, and on the stream that it was made for; a cookie
        counts alone, and for the console.
        """
        if is_of_console(scope):
            name = self._sessions.cookie(scope["scheme"])
            return await self._callers.find_signed_in(HTTPConnection(scope).cookies.get(name, ""))
        if asked := stream_token_in(scope):
            grant = self._stream_tokens.read(*asked)
            caller = await self._callers.find_by_id(grant.token_id) if grant else None
            if grant is None or caller is None or not caller.may_see(grant.project_id):
                return None
            return replace(caller, projects=frozenset({grant.project_id}))
        token = token_in(scope)
        caller = await self._callers.find(token) if token else None
        return speak_for(caller, Headers(scope=scope), self._callers.redact) if caller else None


def speak_for(caller: Caller, headers: Headers, redact: Callable[[str], str]) -> Caller:
    """The person on whose behalf it is asked, or the caller. Raises Forbidden, Invalid."""
    name, role = unquote(headers.get(ON_BEHALF_OF, "")), headers.get(IN_ROLE, "")
    if not name and not role:
        return caller
    if not caller.has_home:
        raise Forbidden(
            "Only the owner's token of the installation speaks for others: leave out"
            f" {ON_BEHALF_OF} and {IN_ROLE}.",
            code="may_not_speak_for_others",
        )
    if name and not (name.isprintable() and name == name.strip() and len(name) <= LONGEST_NAME):
        raise Invalid(
            f"The name of a person has at most {LONGEST_NAME} characters, on one line.",
            code="person_name_invalid",
        )
    if role and role not in ROLES:
        raise Invalid(
            f"There is no role {role}: there are {', '.join(ROLES)}.", code="role_invalid"
        )
    spoken = next((known for known in ROLES if known == role), caller.role)
    return replace(
        caller,
        name=redact(name) if name else caller.name,
        role=spoken,
        has_home=spoken == "owner",
        spoken_by=caller.name,
    )


def is_of_console(scope: Scope) -> bool:
    """Whether it asks for a page of the console, which knows its callers by their cookie."""
    return str(scope["path"]).startswith(CONSOLE + "/") or scope["path"] == CONSOLE


def caller_of(scope: Scope) -> Caller | None:
    found = scope.get("state", {}).get("caller")
    return found if isinstance(found, Caller) else None


def token_in(scope: Scope) -> str:
    """The bearer token of a request; empty when it has none that could be valid."""
    kind, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
    token = token.strip()
    ours = token.startswith(PREFIX) and len(token) <= LONGEST_TOKEN
    return token if kind.lower() == "bearer" and (ours or is_of_issuer(token)) else ""


def stream_token_in(scope: Scope) -> tuple[str, str] | None:
    """The token in the address of a stream, and the stream's id; None of any other request."""
    path = STREAM_PATH.fullmatch(scope["path"])
    if scope["method"] != "GET" or path is None:
        return None
    query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return (query["token"][0], path[1]) if "token" in query else None
