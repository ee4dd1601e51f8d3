"""One call of a provider: reserved before and settled after it, just once, also when cancelled.

It costs what it delivered: nothing where the provider refused, hung or was away, an estimate where
an answer broke off or the caller did not wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Protocol

from agents.models.call import Usage
from agents.models.patience import Clock, finish, wait_for_end
from agents.models.prices import estimate_tokens
from agents.models.protocol import (
    ErrorClass,
    ProviderAnswer,
    ProviderCall,
    ProviderFailed,
    ProviderFailure,
    ProviderPart,
    WorkerUnavailable,
)
from agents.models.structured import parse_answer
from agents.models.watch import Attempt, CallResult, CallWatch, Outcome

TOKENS_PER_MESSAGE = 16  # what frames a message
REFUSALS: tuple[ErrorClass, ...] = ("refused", "content_refused")
MALFORMED = "malformed"


class Providers(Protocol):
    """Who makes the calls: the client of the model worker."""

    async def ask(self, call: ProviderCall) -> ProviderAnswer: ...

    def stream(self, call: ProviderCall) -> AsyncGenerator[ProviderPart, None]: ...

    async def list_models(self, provider: str) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Caller:
    """What all attempts of a request share. ``timeout_s``: of a call, of each piece in a stream."""

    providers: Providers
    watch: CallWatch
    clock: Clock
    timeout_s: float
    is_streamed: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """How an attempt ended: with an answer and what is wrong with it, or with a failure.

    ``cost_usd`` None: the price of ``usage`` is not known.
    """

    call_id: str
    usage: Usage
    cost_usd: float | None
    answer: ProviderAnswer | None = None
    data: Any = None
    problems: tuple[str, ...] = ()
    failure: ProviderFailure | None = None


async def make_attempt(caller: Caller, attempt: Attempt) -> AsyncGenerator[str | Ended, None]:
    """Pieces where the caller streams, then how it ended. Raises what the watch raises."""
    call_id = await _reserve(caller, attempt)
    began_s = caller.clock.monotonic()
    pieces = list[str]()
    answer: ProviderAnswer | None = None
    failure: ProviderFailure | None = None
    try:
        try:
            async with aclosing(_call(caller, attempt)) as parts:
                async for part in parts:
                    if isinstance(part, ProviderAnswer):
                        answer = part
                    else:
                        pieces.append(part)
                        yield part
        except (ProviderFailed, WorkerUnavailable) as error:
            failure = _failure_of(error)
    except BaseException:  # cancelled, closed, or a bug: nobody waits for the answer
        text = "".join(pieces)
        outcome = _Draft("cancelled", estimate_paid(attempt, text), attempt.model, text)
        await _settle_abandoned(caller, call_id, attempt, outcome, began_s)
        raise
    data, problems = _check(attempt, answer)
    if answer is not None:
        draft = _close_answered(attempt, answer, problems)
    else:
        failure = failure or ProviderFailure(error_class="half_stream")
        draft = _close_failed(attempt, failure, "".join(pieces))
    cost_usd = await _settle(caller, call_id, attempt, draft, began_s)
    yield Ended(call_id, draft.usage, cost_usd, answer, data, problems, failure)


async def _reserve(caller: Caller, attempt: Attempt) -> str:
    """The id of the call. Who is cancelled meanwhile leaves nothing set aside."""
    task = asyncio.ensure_future(caller.watch.reserve(attempt, estimate_maximum(attempt)))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await wait_for_end(task)
        if not task.cancelled() and task.exception() is None:
            draft = _Draft("cancelled", Usage(), attempt.model)
            began_s = caller.clock.monotonic()
            await _settle_abandoned(caller, task.result(), attempt, draft, began_s)
        raise


async def _call(caller: Caller, attempt: Attempt) -> AsyncGenerator[ProviderPart, None]:
    request = attempt.request
    call = ProviderCall(
        provider=attempt.provider,
        model=attempt.model,
        messages=request.messages + attempt.repair,
        answer_schema=request.answer_schema,
        max_output_tokens=request.max_output_tokens,
        temperature=request.temperature,
        timeout_s=caller.timeout_s,
    )
    if not caller.is_streamed:
        yield await caller.providers.ask(call)
        return
    async with aclosing(caller.providers.stream(call)) as parts:
        async for part in parts:
            yield part


def _check(attempt: Attempt, answer: ProviderAnswer | None) -> tuple[Any, tuple[str, ...]]:
    if answer is None or attempt.request.answer_schema is None:
        return None, ()
    data, problems = parse_answer(answer.text, attempt.request.answer_schema)
    return data, tuple(problems)


@dataclass(frozen=True, slots=True)
class _Draft:
    """An outcome whose time is not known yet."""

    result: CallResult
    usage: Usage
    served_model: str
    text: str = ""
    error_class: str = ""
    status: int | None = None


async def _settle(
    caller: Caller, call_id: str, attempt: Attempt, draft: _Draft, began_s: float
) -> float | None:
    outcome = Outcome(
        result=draft.result,
        usage=draft.usage,
        served_model=draft.served_model,
        latency_ms=round((caller.clock.monotonic() - began_s) * 1000),
        text=draft.text,
        error_class=draft.error_class,
        status=draft.status,
    )
    return await finish(caller.watch.settle(call_id, attempt, outcome))


async def _settle_abandoned(
    caller: Caller, call_id: str, attempt: Attempt, draft: _Draft, began_s: float
) -> None:
    """Settle a call that nobody waits for. A failure, which the watch logs, does not take the place
    of what has ended the call: a cancellation goes through.
    """
    with suppress(Exception):
        await _settle(caller, call_id, attempt, draft, began_s)


def _close_answered(attempt: Attempt, answer: ProviderAnswer, problems: tuple[str, ...]) -> _Draft:
    usage = answer.usage or estimate_paid(attempt, answer.text)
    if problems:
        return _Draft("malformed", usage, answer.served_model, answer.text, MALFORMED)
    return _Draft("answered", usage, answer.served_model, answer.text)


def _close_failed(attempt: Attempt, failure: ProviderFailure, text: str) -> _Draft:
    usage = failure.usage or (estimate_paid(attempt, text) if text else Usage())
    result: CallResult = "refused" if failure.error_class in REFUSALS else "failed"
    return _Draft(result, usage, attempt.model, text, failure.error_class, failure.status)


def estimate_maximum(attempt: Attempt) -> Usage:
    """What an attempt may use at most, by our own count: all that is sent, the longest answer."""
    return Usage(
        input_tokens=_estimate_input(attempt),
        output_tokens=attempt.request.max_output_tokens,
        estimated=True,
    )


def estimate_paid(attempt: Attempt, text: str) -> Usage:
    """What was used where no provider reports it."""
    return Usage(
        input_tokens=_estimate_input(attempt), output_tokens=estimate_tokens(text), estimated=True
    )


def _estimate_input(attempt: Attempt) -> int:
    texts = [message.content for message in attempt.request.messages + attempt.repair]
    if attempt.request.answer_schema is not None:
        texts.append(str(attempt.request.answer_schema))
    return sum(estimate_tokens(text) + TOKENS_PER_MESSAGE for text in texts)


def _failure_of(error: ProviderFailed | WorkerUnavailable) -> ProviderFailure:
    if isinstance(error, ProviderFailed):
        return error.failure
    return ProviderFailure(error_class="worker_unavailable", detail=str(error))
