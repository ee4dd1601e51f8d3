"""Receive the body of a request: how many bytes, how fast, and how many at once for one client.

The server hands on what comes and waits for ever for what does not. So a body is received here,
under limits, before anything of it is looked at: those of its route and role, a least rate, so many
unfinished bodies of one client, and so many bytes of one client and of all, counted until their
request is answered. Deliveries of webhooks have limits of their own (`connectors/webhooks`).
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.http.auth import caller_of
from infra.http.connections import network_of
from infra.http.problems import (
    LENGTH_AMBIGUOUS,
    BodyTooLarge,
    Malformed,
    TooManyRequests,
    TooSlow,
)
from infra.platform.errors import Unavailable

MIB = 1024 * 1024
LINGERS_S = 1.0
STATE = "reception"  # in the state of a request


@dataclass(frozen=True, slots=True)
class Limits:
    """A body may take ``within_s`` and a second for each ``per_s_bytes`` of it that have come."""

    within_s: float = 10.0
    per_s_bytes: int = 32 * 1024
    bodies_of_client: int = 32  # unfinished
    client_bytes: int = 64 * MIB
    all_bytes: int = 128 * MIB


@dataclass(slots=True)
class Receptions:
    """The bodies that come in or are worked on, by client: a token, or an address without one."""

    limits: Limits = field(default_factory=Limits)
    unfinished: Counter[str] = field(default_factory=Counter)
    held_bytes: Counter[str] = field(default_factory=Counter)

    def hold(self, client: str, size: int) -> None:
        """Raises TooManyRequests for more than a client may send, Unavailable for more in all."""
        if self.held_bytes[client] + size > self.limits.client_bytes:
            raise TooManyRequests(
                f"More than {self.limits.client_bytes // MIB} MiB are being sent with this token"
                " at once: send one after the other.",
                code="too_many_bytes",
            )
        if self.held_bytes.total() + size > self.limits.all_bytes:
            raise Unavailable("Too much is being sent at once: try again.", code="busy")
        self.held_bytes[client] += size

    def release(self, client: str, size: int) -> None:
        self.held_bytes[client] -= size
        if not self.held_bytes[client]:
            del self.held_bytes[client]


class ReceiveBodies:
    """Let each request receive its body by `receive_body`, and count it until it is answered.

    Two ways to tell where a body ends are refused: a proxy may believe the other one.
    """

    def __init__(self, app: ASGIApp, receptions: Receptions) -> None:
        self._app, self._receptions = app, receptions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        names = [name for name, _ in scope["headers"]]
        if names.count(b"content-length") + names.count(b"transfer-encoding") > 1:
            raise Malformed(
                "Send either Content-Length or Transfer-Encoding, once.", code=LENGTH_AMBIGUOUS
            )
        reception = Reception(self._receptions, _client_of(scope))
        scope.setdefault("state", {})[STATE] = reception
        try:
            await self._app(scope, receive, send)
        finally:
            self._receptions.release(reception.client, reception.held_bytes)


class Linger:
    """Let who still sends a body receive an answer that closes the connection.

    A closed socket throws away what comes, and with it the answer that the other side has not read.
    So what still comes is taken for a moment.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await self._app(scope, receive, send)
            return
        closes, is_over = _says_close(scope["headers"]), False

        async def watch() -> Message:
            nonlocal is_over
            message = await receive()
            is_over = message["type"] != "http.request" or not message.get("more_body", False)
            return message

        async def tell(message: Message) -> None:
            nonlocal closes
            if message["type"] == "http.response.start":
                closes = closes or _says_close(message.get("headers", ()))
            is_last = message["type"] == "http.response.body" and not message.get("more_body")
            if closes and is_last and not is_over:
                await send({**message, "more_body": True})
                with suppress(TimeoutError):
                    async with asyncio.timeout(LINGERS_S):
                        while not is_over:
                            await watch()
                message = {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)

        await self._app(scope, watch, tell)


@dataclass(slots=True)
class Reception:
    """The body of one request."""

    receptions: Receptions
    client: str
    held_bytes: int = 0

    async def receive(self, request: Request, most_bytes: int) -> bytes:
        unfinished, limits = self.receptions.unfinished, self.receptions.limits
        if unfinished[self.client] >= limits.bodies_of_client:
            raise TooManyRequests(
                f"{limits.bodies_of_client} bodies of this token have not come yet: finish them"
                " first.",
                code="too_many_bodies",
            )
        unfinished[self.client] += 1
        try:
            return await self._receive(request, most_bytes)
        except TimeoutError as error:
            raise TooSlow(
                f"The body did not come in time: send at least {limits.per_s_bytes // 1024} KiB a"
                " second."
            ) from error
        finally:
            unfinished[self.client] -= 1
            if not unfinished[self.client]:
                del unfinished[self.client]

    async def _receive(self, request: Request, most_bytes: int) -> bytes:
        limits, body = self.receptions.limits, bytearray()
        began_s = asyncio.get_running_loop().time()
        while True:
            due_s = began_s + limits.within_s + len(body) / limits.per_s_bytes
            async with asyncio.timeout_at(due_s):
                message = await request.receive()
            if message["type"] != "http.request":
                raise ClientDisconnect
            part = message.get("body", b"")
            check_size(len(body) + len(part), most_bytes)
            self.receptions.hold(self.client, len(part))
            self.held_bytes += len(part)
            body += part
            if not message.get("more_body", False):
                return bytes(body)


async def receive_body(request: Request, most_bytes: int) -> bytes:
    """All of the body, which routes then find in ``request``.

    Raises BodyTooLarge, TooSlow, TooManyRequests, Unavailable, and ClientDisconnect.
    """
    if not _has_body(request.scope):
        return b""
    declared = request.headers.get("content-length", "0")
    check_size(int(declared) if re.fullmatch("[0-9]{1,20}", declared) else 0, most_bytes)
    reception: Reception = request.scope["state"][STATE]
    request._body = await reception.receive(request, most_bytes)  # where starlette looks for it
    return request._body


def check_size(size: int, most_bytes: int) -> None:
    """Raises BodyTooLarge."""
    if size > most_bytes:
        raise BodyTooLarge(
            f"The body has more than the {most_bytes // 1024:,} KiB that this takes from you.",
            detail={"most_bytes": most_bytes},
        )


def _has_body(scope: Scope) -> bool:
    return any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"])


def _says_close(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"connection" and b"close" in text.lower() for name, text in headers)


def _client_of(scope: Scope) -> str:
    if caller := caller_of(scope):
        return caller.token_id
    address = (scope.get("client") or ("",))[0]
    return f"address {network_of(str(address))}"
