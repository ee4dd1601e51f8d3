"""Asks one model after another until one answers: our own loop of retries and fall-backs."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from agents.models.attempt import REFUSALS, Caller, Ended, Providers, make_attempt
from agents.models.call import Message, ModelAnswer, ModelRequest, Retracted, StreamPart, Usage
from agents.models.configuration import ModelConfiguration
from agents.models.errors import (
    UNUSABLE,
    AllProvidersFailed,
    AnswerMalformed,
    FailedAttempt,
    ModelError,
    RequestRefused,
)
from agents.models.patience import Clock, finish, read_retry_after
from agents.models.protocol import ProviderAnswer, ProviderFailure, WorkerUnavailable
from agents.models.providers import Candidate, list_candidates
from agents.models.receiving import Received
from agents.models.structured import ask_for_repair
from agents.models.watch import Attempt, CallWatch

TIMEOUT_S = 120.0
# Of a program: the same may go well the next time.
ONCE_MORE = ("rate_limited", "overloaded", "provider_error", "bad_body", "idle")
LONGEST_WAIT_S = 5.0  # a longer Retry-After leads to the next provider at once
REAL_CLOCK = Clock()


async def ask_model(
    request: ModelRequest,
    configuration: ModelConfiguration,
    providers: Providers,
    watch: CallWatch,
    clock: Clock = REAL_CLOCK,
    timeout_s: float = TIMEOUT_S,
) -> ModelAnswer:
    """The answer to ``request``: the recorded one, else the first that a provider gives.

    Raises AllProvidersFailed, RequestRefused, AnswerMalformed and what ``watch`` raises.
    """
    caller = Caller(providers, watch, clock, timeout_s, is_streamed=False)
    async with aclosing(_Asking(request, caller).run(configuration)) as parts:
        async for part in parts:
            if isinstance(part, ModelAnswer):
                return part
    raise AssertionError("it ends with an answer or an error")


async def stream_model(
    request: ModelRequest,
    configuration: ModelConfiguration,
    providers: Providers,
    watch: CallWatch,
    clock: Clock = REAL_CLOCK,
    timeout_s: float = TIMEOUT_S,
) -> AsyncGenerator[StreamPart, None]:
    """The same in pieces; see `ChatModel.stream`. ``timeout_s`` is that of each piece.

    Close the generator (`contextlib.aclosing`) to cancel the call. A recorded answer is one piece.
    """
    caller = Caller(providers, watch, clock, timeout_s, is_streamed=True)
    async with aclosing(_Asking(request, caller).run(configuration)) as parts:
        async for part in parts:
            yield part


@dataclass
class _Asking:
    """One request on its way through the providers."""

    request: ModelRequest
    caller: Caller
    failed: list[FailedAttempt] = field(default_factory=list)
    made: int = 0
    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    repair: tuple[Message, ...] = ()
    waited_for: set[str] = field(default_factory=set)  # providers that were asked again
    stands_in_for: tuple[str, str] = ("", "")  # who failed before, and how
    began_s: float = 0.0

    async def run(self, configuration: ModelConfiguration) -> AsyncGenerator[StreamPart, None]:
        self.began_s = self.caller.clock.monotonic()
        recorded = await self.caller.watch.find(self.request)
        if recorded is not None:
            yield recorded.text
            yield recorded
            return
        try:
            async with aclosing(self._ask_in_turn(configuration)) as parts:
                async for part in parts:
                    yield part
        except ModelError as error:
            error.usage, error.cost_usd = self.usage, self.cost_usd
            raise

    async def _ask_in_turn(
        self, configuration: ModelConfiguration
    ) -> AsyncGenerator[StreamPart, None]:
        candidates = await list_candidates(
            self.request.tier, configuration, self._discover, self.request.models
        )
        ahead = list(candidates)
        while ahead:
            ended, has_shown = None, False
            async with aclosing(make_attempt(self.caller, self._begin(ahead[0]))) as parts:
                async for part in parts:
                    if isinstance(part, Ended):
                        ended = part
                    else:
                        has_shown = True
                        yield part
            assert ended is not None
            self._count(ahead[0], ended)
            if ended.answer is not None and not ended.received.fault:
                answer = self._build_answer(ahead[0], ended, ended.answer)
                await finish(self.caller.watch.record(self.request, answer))
                yield answer
                return
            is_next = not await self._may_ask_again(ahead[0], ended)
            if has_shown and (len(ahead) > 1 or not is_next):
                yield Retracted()
            if is_next:
                self.stands_in_for = (ahead.pop(0).name, self.failed[-1].error_class)
        raise AllProvidersFailed(self._explain(candidates), tuple(self.failed))

    async def _discover(self, provider: str) -> tuple[str, ...]:
        try:
            return await self.caller.providers.list_models(provider)
        except WorkerUnavailable:
            return ()

    def _begin(self, candidate: Candidate) -> Attempt:
        self.made += 1
        before, reason = self.stands_in_for
        return Attempt(
            request=self.request,
            provider=candidate.provider,
            model=candidate.model,
            number=self.made,
            is_local=candidate.is_local,
            fallback_from=before or None,
            fallback_reason=reason,
            repair=self.repair,
            timeout_s=candidate.timeout_s,
        )

    def _count(self, candidate: Candidate, ended: Ended) -> None:
        """Add what the attempt cost, and keep what failed for who is told of it."""
        if ended.usage != Usage():
            self.usage += ended.usage
            unknown = self.cost_usd is None or ended.cost_usd is None
            self.cost_usd = None if unknown else (self.cost_usd or 0) + (ended.cost_usd or 0)
        if (failure := ended.failure) is not None:
            reason = (failure.error_class, failure.status, failure.detail)
            self.failed.append(FailedAttempt(candidate.provider, candidate.model, *reason))
        elif ended.received.fault:
            detail = "; ".join(ended.received.problems)
            self.failed.append(
                FailedAttempt(
                    candidate.provider, candidate.model, ended.received.fault, detail=detail
                )
            )

    async def _may_ask_again(self, candidate: Candidate, ended: Ended) -> bool:
        """Whether the same provider is asked again, after the wait that it wants. Raises ModelError
        where nobody is asked any more.
        """
        if ended.answer is not None:
            if self.repair or not self._may_repair(ended.received):
                raise self._refuse(ended.received)
            self.repair = ask_for_repair(ended.answer.text, ended.received.problems)
            return True
        assert ended.failure is not None
        if ended.failure.error_class in REFUSALS:
            raise self._give_up(RequestRefused, f"{candidate.name} refuses the request")
        if ended.failure.error_class == "worker_unavailable":
            raise self._give_up(AllProvidersFailed, "The model worker cannot be reached")
        if ended.failure.error_class == "ceiling":  # nobody pays for as much again
            raise self._give_up(AllProvidersFailed, f"{candidate.name} was given up")
        if candidate.is_program and ended.failure.error_class in ONCE_MORE:
            is_first = candidate.provider not in self.waited_for
            self.waited_for.add(candidate.provider)
            return is_first
        return await self._wait_as_asked(candidate.provider, ended.failure)

    async def _wait_as_asked(self, provider: str, failure: ProviderFailure) -> bool:
        wait_s = read_retry_after(failure.retry_after, self.caller.clock.now())
        may_wait = failure.error_class == "rate_limited" and provider not in self.waited_for
        if not may_wait or wait_s is None or wait_s > LONGEST_WAIT_S:
            return False
        self.waited_for.add(provider)
        await self.caller.clock.sleep(wait_s)
        return True

    def _may_repair(self, received: Received) -> bool:
        """What was cut would be cut again, and what was declined is not asked for again."""
        return self.request.may_repair and received.fault in ("empty", "malformed")

    def _refuse(self, received: Received) -> AnswerMalformed:
        error = UNUSABLE[received.fault]
        refused = error(f"The answer cannot be used: {self.failed[-1].detail}", tuple(self.failed))
        refused.kept = received.kept
        return refused

    def _give_up(self, error: type[ModelError], message: str) -> ModelError:
        return error(f"{message}: {self.failed[-1].detail}", tuple(self.failed))

    def _explain(self, candidates: tuple[Candidate, ...]) -> str:
        if not candidates:
            return f"No model is configured for the tier {self.request.tier}."
        reasons = (
            f"{failure.provider}/{failure.model}: {failure.error_class}" for failure in self.failed
        )
        return f"No provider answered ({'; '.join(reasons)})."

    def _build_answer(
        self, candidate: Candidate, ended: Ended, answer: ProviderAnswer
    ) -> ModelAnswer:
        return ModelAnswer(
            call_id=ended.call_id,
            request_hash=self.request.request_hash,
            text=answer.text,
            data=ended.received.data,
            provider=candidate.provider,
            model=answer.served_model,
            usage=self.usage,
            cost_usd=self.cost_usd,
            latency_ms=round((self.caller.clock.monotonic() - self.began_s) * 1000),
            attempts=self.made,
            counted_cost_usd=answer.counted_cost_usd,
            fallback_used=bool(self.stands_in_for[0]),
        )
