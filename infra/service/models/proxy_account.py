"""Who pays the calls of the model proxy: the process that runs the workflow, which has the tables.

The model worker knows no database. So it asks here before each call and tells here what came of it:
a line of JSON each way over loopback. While nobody answers here, the proxy makes no call.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import secrets
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from agents.models.attempt import check_usage, estimate_maximum, estimate_paid
from agents.models.call import Message, ModelRequest, Tier, Usage
from agents.models.errors import BudgetExceeded
from agents.models.protocol import MAX_FRAME_BYTES, ProviderAnswer
from agents.models.watch import Attempt, CallResult, CallWatch, Outcome
from infra.platform.errors import Unavailable
from infra.platform.log import get

ANSWERS_WITHIN_S = 30.0
DRAINS_WITHIN_S = 10.0  # a program that is ended leaves its calls at once
USUAL_OUTPUT = 8_000  # tokens, where a call names no limit of its own

log = get("models")


@dataclass(frozen=True, slots=True)
class Workflow:
    """For whom calls are paid."""

    project_id: str
    workflow_id: str
    agent: str
    tier: Tier
    run_id: str | None = None
    local_providers: frozenset[str] = frozenset()  # their answers cost nothing


class Ended(BaseModel):
    """What the proxy tells of a call; ``usage`` as the provider reports it, if it does."""

    model_config = ConfigDict(frozen=True)

    result: CallResult
    served_model: str = ""
    usage: Usage | None = None
    text: str = ""
    latency_ms: int = 0
    status: int | None = None
    error_class: str = ""


class AccountFrame(BaseModel):
    """``reserve`` before a call, ``settle`` after it, ``refused`` for one that is not made."""

    model_config = ConfigDict(frozen=True)

    token: str
    do: Literal["reserve", "settle", "refused"]
    provider: str = ""
    model: str = ""
    messages: tuple[Message, ...] = ()
    max_output_tokens: int = USUAL_OUTPUT
    call_id: str = ""
    ended: Ended | None = None
    reason: str = ""


class AccountAway(Exception):
    """Nobody pays: the process that runs the workflow does not answer."""


class ProxyAccount:
    """Reserves and pays the calls of one workflow while it is open.

    ``refusals`` counts what the proxy has refused to it, by reason.
    """

    def __init__(self, watch: CallWatch, workflow: Workflow) -> None:
        self._watch, self._workflow = watch, workflow
        self.token = secrets.token_urlsafe(32)
        self.address = ""
        self.refusals = Counter[str]()
        self._open: dict[str, Attempt] = {}
        self._made = 0
        self._handling = 0
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._handle, "127.0.0.1", 0, limit=MAX_FRAME_BYTES
        )
        host, port = self._server.sockets[0].getsockname()[:2]
        self.address = f"{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Calls that do not end soon count as what was set aside for them."""
        assert self._server is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAINS_WITHIN_S):
                await self._is_idle.wait()
        self._server.close()
        await self._server.wait_closed()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._handling += 1
        self._is_idle.clear()
        try:
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                frame = AccountFrame.model_validate_json(await reader.readline())
            if hmac.compare_digest(frame.token.encode(), self.token.encode()):
                reply = await self._answer(frame)
                writer.write(json.dumps(reply).encode() + b"\n")
                await writer.drain()
        except (OSError, ValidationError, ValueError):
            pass  # it went away, or does not speak the protocol
        except Unavailable as error:  # the proxy makes no call that nobody can pay
            log.error("proxy.account_unavailable", reason=str(error))
        finally:
            writer.close()
            self._handling -= 1
            if not self._handling and not self._open:
                self._is_idle.set()

    async def _answer(self, frame: AccountFrame) -> dict[str, Any]:
        match frame.do:
            case "reserve":
                return await self._reserve(frame)
            case "settle" if frame.ended is not None and frame.call_id in self._open:
                attempt = self._open.pop(frame.call_id)
                await self._watch.settle(frame.call_id, attempt, _judge(attempt, frame.ended))
            case "refused":
                self.refusals[frame.reason] += 1
        return {}

    async def _reserve(self, frame: AccountFrame) -> dict[str, Any]:
        self._made += 1
        attempt = Attempt(
            request=self._build_request(frame),
            provider=frame.provider,
            model=frame.model,
            number=1,
            is_local=frame.provider in self._workflow.local_providers,
        )
        try:
            call_id = await self._watch.reserve(attempt, estimate_maximum(attempt))
        except BudgetExceeded as error:
            return {"refused": str(error)}
        self._open[call_id] = attempt
        return {"call_id": call_id}

    def _build_request(self, frame: AccountFrame) -> ModelRequest:
        return ModelRequest(
            tier=self._workflow.tier,
            prompt_version="proxy",
            messages=frame.messages,
            max_output_tokens=max(1, frame.max_output_tokens),
            occurrence=str(self._made),
            project_id=self._workflow.project_id,
            agent=self._workflow.agent,
            stage="development",
            run_id=self._workflow.run_id,
            workflow_id=self._workflow.workflow_id,
            correlation_id=self._workflow.run_id,
        )


def _judge(attempt: Attempt, ended: Ended) -> Outcome:
    """What a call has used: nothing where it was refused, else what can be true."""
    if ended.result in ("answered", "malformed"):
        served = ended.served_model or attempt.model
        answer = ProviderAnswer(text=ended.text, served_model=served, usage=ended.usage)
        usage = check_usage(attempt, answer)
    elif ended.text or ended.result == "cancelled":
        usage = ended.usage or estimate_paid(attempt, ended.text)
    else:
        usage = ended.usage or Usage()
    return Outcome(
        result=ended.result,
        usage=usage,
        served_model=ended.served_model or attempt.model,
        latency_ms=ended.latency_ms,
        text=ended.text,
        error_class=ended.error_class,
        status=ended.status,
    )


async def ask_account(address: str, frame: AccountFrame) -> dict[str, Any]:
    """What the account answers. Raises AccountAway."""
    host, _, port = address.rpartition(":")
    try:
        async with asyncio.timeout(ANSWERS_WITHIN_S):
            reader, writer = await asyncio.open_connection(host, int(port), limit=MAX_FRAME_BYTES)
            try:
                writer.write(frame.model_dump_json().encode() + b"\n")
                reply = json.loads(await reader.readline())
            finally:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (OSError, ValueError) as error:  # TimeoutError is an OSError
        raise AccountAway(f"Nobody pays at {address}: {error}") from error
    if not isinstance(reply, dict):
        raise AccountAway(f"Nobody pays at {address}: the answer is no object")
    return reply
