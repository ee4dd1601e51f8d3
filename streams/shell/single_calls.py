"""Asks a model once for each record: about borderline candidates, and about doubtful pairs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from itertools import compress

from agents.extraction.adjudicator import ADJUDICATION_PROMPT_VERSION, ask_for_verdicts
from agents.extraction.judge import JUDGE_PROMPT_VERSION, Payer, ask_about_pairs
from agents.extraction.results import count_spent
from agents.models.call import ChatModel
from agents.models.errors import AnswerMalformed, ModelError
from schemas.envelope import Envelope, Event
from schemas.events.atom import AtomAdjudicated, AtomReflected
from schemas.events.hygiene import ChunkCreated
from schemas.events.judgement import JudgementRequested, PairJudged
from schemas.model_reading import Adviser, Spent
from streams.ledger import judging
from streams.reflection.adjudication import decide_by_opinions, decide_by_rule
from streams.reflection.sampling import may_ask
from streams.shell.chunks import ChunkReader, Found
from streams.shell.model_calls import CALL_TIMEOUT_S, Calls, Whose

VERDICTS_AT_ONCE = 4
JUDGEMENTS_AT_ONCE = 2


class SingleCalls:
    """Asks the model once for each record, a few at a time."""

    def __init__(self, model: ChatModel, at_once: int, timeout_s: float) -> None:
        self._model = model
        self._calls = Calls(at_once, timeout_s)
        self._free = asyncio.Semaphore(at_once)

    @property
    def window(self) -> int:
        return 4 * self._calls.at_once

    @property
    def work(self) -> int:
        return self._calls.work

    async def close(self) -> None:
        await self._calls.close()

    async def _ask(
        self,
        ask: Callable[[ChatModel], Coroutine[None, None, Sequence[Event]]],
        whose: Whose,
        by_rule: Callable[[str, Spent], Sequence[Event]],
    ) -> list[Event] | None:
        """What is answered, or by rule, with the reason and what was spent, where that is refused;
        None when there is nobody to ask, or nothing came in time.
        """
        async with self._free:
            if self._calls.why_not(whose):
                return None
            try:
                answer = [*await self._calls.watch(ask(self._model))]
                self._calls.note_use()
                return answer
            except TimeoutError:
                self._calls.note_timeout(whose)
                return None
            except ModelError as error:
                self._calls.note(error, whose)
                reason = "malformed" if isinstance(error, AnswerMalformed) else "unavailable"
                return [*by_rule(reason, count_spent(error))]


class ModelAdjudication(SingleCalls):
    """Asks about borderline candidates of the chunks that may be asked about."""

    def __init__(
        self,
        model: ChatModel,
        chunks: ChunkReader,
        at_once: int = VERDICTS_AT_ONCE,
        timeout_s: float = CALL_TIMEOUT_S,
    ) -> None:
        super().__init__(model, at_once, timeout_s)
        self._chunks = chunks

    async def answer(self, cause: Envelope, found: Found | None) -> list[Event] | None:
        reflected = cause.event
        if not isinstance(reflected, AtomReflected) or not reflected.adjudicate:
            return None
        whose = (cause.project_id, reflected.reading.run_id)
        if not may_ask(reflected.reading) or self._calls.why_not(whose):
            return None
        read = await self._chunks.chunk_of(reflected)
        chunk = read.chunk if read else None
        ask = partial(
            ask_about_borderline, reflected, chunk, cause.project_id, cause.correlation_id
        )
        return await self._ask(ask, whose, partial(decide_by_rule, reflected))


class ModelJudging(SingleCalls):
    """Asks about the doubtful pairs of a batch, all in one call."""

    def __init__(
        self,
        model: ChatModel,
        at_once: int = JUDGEMENTS_AT_ONCE,
        timeout_s: float = CALL_TIMEOUT_S,
    ) -> None:
        super().__init__(model, at_once, timeout_s)

    async def answer(self, cause: Envelope, found: Found | None) -> list[Event] | None:
        requested = cause.event
        if not isinstance(requested, JudgementRequested):
            return None
        whose = (cause.project_id, requested.run_id)
        ask = partial(ask_judge, requested, cause.project_id, cause.correlation_id)
        return await self._ask(ask, whose, partial(judging.leave_to_rules, requested))


async def ask_judge(
    requested: JudgementRequested, project_id: str, correlation_id: str | None, model: ChatModel
) -> list[PairJudged]:
    """An answer for each pair; nobody is asked where none may be shown. Raises ModelError."""
    shown = [judging.may_be_shown(pair) for pair in requested.pairs]
    if not any(shown):
        return judging.leave_to_rules(requested, judging.FLAGGED)
    payer = Payer(project_id, requested.run_id, correlation_id)
    answer, opinions = await ask_about_pairs([*compress(requested.pairs, shown)], payer, model)
    adviser = Adviser(answer.provider, answer.model, JUDGE_PROMPT_VERSION, count_spent(answer))
    return judging.decide_by_opinions(requested, shown, opinions, adviser)


async def ask_about_borderline(
    reflected: AtomReflected,
    chunk: ChunkCreated | None,
    project_id: str,
    correlation_id: str | None,
    model: ChatModel,
) -> list[AtomAdjudicated]:
    """The model's verdicts on the borderline candidates of a reading. Raises ModelError."""
    answer, opinions = await ask_for_verdicts(reflected, chunk, project_id, model, correlation_id)
    spent = count_spent(answer)
    adviser = Adviser(answer.provider, answer.model, ADJUDICATION_PROMPT_VERSION, spent)
    return decide_by_opinions(reflected, opinions, adviser)
