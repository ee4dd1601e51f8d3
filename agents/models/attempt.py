"""One call of a provider: reserved before and settled after it, just once, also when cancelled.

It costs what it delivered: nothing where the provider refused, hung or was away, an estimate where
an answer broke off or the caller did not wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Protocol

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
from agents.models.receiving import NOT_ASKED, Received, receive
from agents.models.watch import Attempt, CallResult, CallWatch, Outcome

TOKENS_PER_MESSAGE = 16  # what frames a message
REFUSALS: tuple[ErrorClass, ...] = ("refused", "content_refused")
MALFORMED = "malformed"
BYTES_PER_ESTIMATE = 3  # of an estimated token, see `estimate_tokens`
UNSEEN_TOKENS = 16_000  # of what a provider adds to a question, or a model thinks before it answers


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
    """How an attempt ended: with an answer and what was received by it, or with a failure.

    ``cost_usd`` None: the price of ``usage`` is not known.
    """

    call_id: str
    usage: Usage
    cost_usd: float | None
    answer: ProviderAnswer | None = None
    received: Received = NOT_ASKED
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
    received = _receive(attempt, answer)
    if answer is not None:
        draft = _close_answered(attempt, answer, received)
    else:
        failure = failure or ProviderFailure(error_class="half_stream")
        draft = _close_failed(attempt, failure, "".join(pieces))
    cost_usd = await _settle(caller, call_id, attempt, draft, began_s)
    yield Ended(call_id, draft.usage, cost_usd, answer, received, failure)


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
        timeout_s=attempt.timeout_s or caller.timeout_s,
    )
    if not caller.is_streamed:
        yield await caller.providers.ask(call)
        return
    async with aclosing(caller.providers.stream(call)) as parts:
        async for part in parts:
            yield part


def _receive(attempt: Attempt, answer: ProviderAnswer | None) -> Received:
    schema = attempt.request.answer_schema
    if answer is None or schema is None:
        return NOT_ASKED
    return receive(answer.text, schema, answer.finish, answer.refusal)


@dataclass(frozen=True, slots=True)
class _Draft:
    """An outcome whose time is not known yet."""

    result: CallResult
    usage: Usage
    served_model: str
    text: str = ""
    error_class: str = ""
    status: int | None = None
    counted_cost_usd: float | None = None


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
        counted_cost_usd=draft.counted_cost_usd,
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


def _close_answered(attempt: Attempt, answer: ProviderAnswer, received: Received) -> _Draft:
    usage = check_usage(attempt, answer)
    if received.fault:
        error_class = MALFORMED if received.fault == MALFORMED else f"answer_{received.fault}"
        text = answer.text or answer.refusal
        draft = _Draft("malformed", usage, answer.served_model, text, error_class)
    else:
        draft = _Draft("answered", usage, answer.served_model, answer.text)
    return replace(draft, counted_cost_usd=answer.counted_cost_usd)


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


def check_usage(attempt: Attempt, answer: ProviderAnswer) -> Usage:
    """The usage that the provider reports where it can be true, else our estimate.

    A token has at least one byte. What a provider adds by itself, or a model thinks unseen, is
    within what is allowed beyond that.
    """
    usage, estimate = answer.usage, estimate_paid(attempt, answer.text)
    if usage is None:
        return estimate
    most_in = BYTES_PER_ESTIMATE * estimate.input_tokens + UNSEEN_TOKENS
    written = len(answer.text.encode(errors="replace"))
    most_out = 2 * max(attempt.request.max_output_tokens, written)
    cached = usage.cached_tokens + usage.cache_write_tokens
    counts = (usage.input_tokens, usage.output_tokens, usage.cached_tokens, cached)
    is_true = (
        min(counts) >= 0
        and usage.input_tokens <= most_in
        and usage.output_tokens <= most_out + UNSEEN_TOKENS
        and cached <= usage.input_tokens
    )
    return usage if is_true else estimate


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
