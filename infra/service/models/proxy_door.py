"""The second door of the model worker: chat completions of the OpenAI protocol, by token.

Paths are ``/workflows/ID/v1/chat/completions`` and ``/workflows/ID/v1/models``. What is refused is
counted, logged, and told as ``{"error": {"type": "proxy_refused", "code": …, "message": …}}``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Literal

from agents.models.call import Message
from agents.models.protocol import MAX_FRAME_BYTES
from agents.models.relay import Relay, Relayed, RelayFailed
from infra.platform.clock import SystemClock
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.service.models.proxy import Grant, find_grant, has_tokens
from infra.service.models.proxy_account import (
    USUAL_OUTPUT,
    AccountAway,
    AccountFrame,
    Ended,
    ask_account,
)

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Reason = Literal[
    "host",
    "path",
    "no_tokens",
    "token",
    "expired",
    "other_workflow",
    "body",
    "model",
    "budget",
    "account",
]
STATUS: dict[Reason, int] = {
    "host": 403,
    "path": 404,
    "no_tokens": 401,
    "token": 401,
    "expired": 401,
    "other_workflow": 403,
    "body": 400,
    "model": 403,
    "budget": 402,
    "account": 503,
}
HOSTS = frozenset(("127.0.0.1", "localhost", "[::1]", "model-proxy"))
PATH = re.compile(r"/workflows/([^/]+)/v1/(chat/completions|models)")
MOST_BODY_BYTES = MAX_FRAME_BYTES // 2  # it is sent on as JSON within JSON

log = get("models")


class ProxyRefused(Exception):
    """A call is not made. ``grant``: whose token it was, where that is known."""

    def __init__(self, reason: Reason, message: str, grant: Grant | None = None) -> None:
        super().__init__(message)
        self.reason, self.grant = reason, grant


@dataclass(frozen=True, slots=True)
class _Call:
    grant: Grant
    provider: str
    model: str
    body: dict[str, Any]


class ProxyDoor:
    """The application behind the door (ASGI). ``refusals`` counts what it has refused."""

    def __init__(self, settings: Settings, relay: Relay) -> None:
        self._settings, self._relay = settings, relay
        self.refusals = Counter[Reason]()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            grant, question = self._admit(scope)
            if question == "models":
                await _send_json(send, 200, _list_models(grant))
                return
            call = _read_call(grant, await _read_body(receive, grant))
            await self._make(call, receive, send)
        except ProxyRefused as refusal:
            await self._refuse(refusal, send)

    def _admit(self, scope: MutableMapping[str, Any]) -> tuple[Grant, str]:
        """Whose call it is and what is wanted. Raises ProxyRefused."""
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        host = headers.get("host", b"").decode("latin-1")
        target = scope["path"]
        name = host if host.startswith("[") and host.endswith("]") else re.sub(r":\d+$", "", host)
        if scope["method"] == "CONNECT" or not target.startswith("/") or name not in HOSTS:
            raise ProxyRefused("host", "The proxy passes nothing on to other hosts.")
        scheme, _, token = headers.get("authorization", b"").decode("latin-1").partition(" ")
        grant = find_grant(self._settings, token.strip()) if scheme.lower() == "bearer" else None
        if grant is None:
            if not has_tokens(self._settings):
                raise ProxyRefused("no_tokens", "No token is good for anything now.")
            raise ProxyRefused("token", "Show a token of this proxy as a bearer token.")
        if grant.expires_at <= SystemClock().now():
            raise ProxyRefused("expired", "The token has expired.", grant)
        path = PATH.fullmatch(target)
        method = "GET" if path and path[2] == "models" else "POST"
        if path is None or scope["method"] != method:
            raise ProxyRefused("path", f"There is no {scope['method']} {target} here.", grant)
        if path[1] != grant.workflow_id:
            raise ProxyRefused("other_workflow", "The token is of another workflow.", grant)
        return grant, path[2]

    async def _refuse(self, refusal: ProxyRefused, send: Send) -> None:
        self.refusals[refusal.reason] += 1
        grant = refusal.grant
        log.warning(
            "proxy.refused",
            reason=refusal.reason,
            workflow_id=grant.workflow_id if grant else "",
            times=self.refusals[refusal.reason],
        )
        if grant is not None and refusal.reason != "account":
            frame = AccountFrame(token=grant.account_token, do="refused", reason=refusal.reason)
            with contextlib.suppress(AccountAway):
                await ask_account(grant.account, frame)
        error = {"type": "proxy_refused", "code": refusal.reason, "message": str(refusal)}
        await _send_json(send, STATUS[refusal.reason], {"error": error})

    async def _make(self, call: _Call, receive: Receive, send: Send) -> None:
        """Reserve, pass on, settle; a caller that goes away ends the call. Who has the whole answer
        can be sure that it is paid.
        """
        call_id = await _reserve(call)
        began = asyncio.get_running_loop().time()
        answering = asyncio.ensure_future(self._pass_on(call, send))
        gone = asyncio.ensure_future(_wait_for_end(receive))
        try:
            await asyncio.wait((answering, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (answering, gone):
                task.cancel()
            await asyncio.gather(answering, gone, return_exceptions=True)
            latency_ms = round((asyncio.get_running_loop().time() - began) * 1000)
            ended = Ended(result="cancelled") if answering.cancelled() else answering.result()
            ended = ended.model_copy(update={"latency_ms": latency_ms})
            await asyncio.shield(_settle(call, call_id, ended))
        if ended.error_class != "half_stream":  # what broke off is left without its end
            await send({"type": "http.response.body", "body": b""})

    async def _pass_on(self, call: _Call, send: Send) -> Ended:
        """How it ended. What the provider has sent until a failure stays sent."""
        has_begun, relayed = False, None
        try:
            async with self._relay.open(call.provider, call.model, call.body) as relayed:
                async with contextlib.aclosing(relayed.parts) as parts:
                    async for part in parts:
                        if not has_begun:
                            has_begun = True
                            await _send_head(send, relayed.status, relayed.content_type)
                        await send({"type": "http.response.body", "body": part, "more_body": True})
                if not has_begun:
                    raise RelayFailed("the answer is empty")
                return _read_end(relayed)
        except RelayFailed as error:
            if not has_begun:
                failed = {"type": "provider_failed", "code": "provider_failed"}
                message = f"{call.provider} has not answered: {error}"
                await _send_head(send, 502, "application/json")
                body = json.dumps({"error": failed | {"message": message}}).encode()
                await send({"type": "http.response.body", "body": body, "more_body": True})
            report = relayed.report if relayed else None
            return Ended(
                result="failed",
                usage=report.usage if report else None,
                text=report.text if report else "",
                error_class="half_stream" if has_begun else "connection",
            )


def _read_end(relayed: Relayed) -> Ended:
    report = relayed.report
    told: dict[str, Any] = {
        "served_model": report.model,
        "usage": report.usage,
        "text": report.text,
        "status": relayed.status,
    }
    if relayed.status >= 500 or relayed.status in (408, 429):
        return Ended(result="failed", error_class="provider_error", **told)
    if relayed.status >= 400:
        return Ended(result="refused", error_class="refused", **told)
    if not report.is_whole:
        return Ended(result="failed", error_class="half_stream", **told)
    return Ended(result="answered", **told)


async def _reserve(call: _Call) -> str:
    """The id of the call. Raises ProxyRefused."""
    try:
        frame = AccountFrame(
            token=call.grant.account_token,
            do="reserve",
            provider=call.provider,
            model=call.model,
            messages=_read_messages(call.body),
            max_output_tokens=_read_limit(call.body),
        )
        frame.model_dump_json()
    except (ValueError, RecursionError) as error:
        message = "The body is nested too deeply, holds half a character, or no limit that counts."
        raise ProxyRefused("body", message, call.grant) from error
    try:
        reply = await ask_account(call.grant.account, frame)
    except AccountAway as error:
        raise ProxyRefused("account", "Nobody pays for this workflow now.", call.grant) from error
    if not isinstance(reply.get("call_id"), str):
        message = str(reply.get("refused") or "The call does not fit into the budget.")
        raise ProxyRefused("budget", message, call.grant)
    return str(reply["call_id"])


async def _settle(call: _Call, call_id: str, ended: Ended) -> None:
    frame = AccountFrame(token=call.grant.account_token, do="settle", call_id=call_id, ended=ended)
    try:
        await ask_account(call.grant.account, frame)
    except AccountAway as error:  # it then counts as what was set aside for it
        log.error("proxy.charge_not_recorded", call_id=call_id, reason=str(error))


async def _read_body(receive: Receive, grant: Grant) -> bytes:
    content = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ProxyRefused("body", "The request ended before its body.", grant)
        content += message.get("body", b"")
        if len(content) > MOST_BODY_BYTES:
            raise ProxyRefused("body", f"A body has at most {MOST_BODY_BYTES:,} bytes.", grant)
        if not message.get("more_body"):
            return bytes(content)


def _read_call(grant: Grant, content: bytes) -> _Call:
    """Raises ProxyRefused for what is no chat completion, and for a model that is not granted."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ProxyRefused("body", "The body is no JSON.", grant) from error
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        raise ProxyRefused("body", "The body is an object with model and messages.", grant)
    name = body.get("model")
    if name not in grant.models:
        raise ProxyRefused(
            "model", f"The token is good for these models: {', '.join(grant.models)}.", grant
        )
    provider, _, model = str(name).partition("/")
    return _Call(grant, provider, model, body)


def _read_messages(body: dict[str, Any]) -> tuple[Message, ...]:
    """What is asked, as the record of the call keeps it: calls of tools, their results and the
    tools themselves as JSON, since all of it is paid.
    """
    messages = [_read_message(each) for each in body["messages"]]
    more = {name: body[name] for name in ("tools", "response_format") if body.get(name)}
    if more:
        text = json.dumps(more, ensure_ascii=True)
        messages.append(Message(role="system", content=text))
    return tuple(messages)


def _read_message(given: Any) -> Message:
    role = given.get("role") if isinstance(given, dict) else None
    content = given.get("content") if isinstance(given, dict) else None
    if role in ("system", "user", "assistant") and isinstance(content, str):
        return Message(role=role, content=content)
    text = json.dumps(given, ensure_ascii=True)
    return Message(role="assistant" if role == "assistant" else "user", content=text)


def _read_limit(body: dict[str, Any]) -> int:
    """The larger one of two limits, since the provider takes one of them.

    Raises ValueError for what is no limit: the provider may read it otherwise.
    """
    names = ("max_completion_tokens", "max_tokens")
    values = [value for name in names if (value := body.get(name)) is not None]
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 10**9:
            raise ValueError("A limit of output is a whole number above 0.")
    return max(values, default=USUAL_OUTPUT)


def _list_models(grant: Grant) -> dict[str, Any]:
    models = [{"id": name, "object": "model", "owned_by": "cairn"} for name in grant.models]
    return {"object": "list", "data": models}


async def _wait_for_end(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_head(send: Send, status: int, content_type: str) -> None:
    headers = [(b"content-type", content_type.encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def _send_json(send: Send, status: int, body: dict[str, Any]) -> None:
    await _send_head(send, status, "application/json")
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})
