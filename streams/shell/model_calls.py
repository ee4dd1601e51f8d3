"""Where stages ask a model: beside the loop's own work, a few calls at a time, for as long as each
may take.

A record waits in its stage's window while its answer is on the way; results are written as they
come, and what is acknowledged stays the finished prefix. Who asks is handed a model and knows no
provider. Nobody to ask is no failure: the step's own function answers then, by rules.

Decided against: a process of its own for reading with a model. The request says who is to read, and
its stage does either.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import compress
from typing import Protocol, TypeVar

from agents.extraction.adjudicator import ADJUDICATION_PROMPT_VERSION, ask_for_verdicts
from agents.extraction.judge import JUDGE_PROMPT_VERSION, Payer, ask_about_pairs
from agents.extraction.packing import MOST_TOGETHER, SHORT_TOKENS, take_pack
from agents.extraction.prompt import Prepared, prepare
from agents.extraction.reader import read_together, wait_for_call
from agents.extraction.results import Asked, Unread, count_spent, note_unread
from agents.models.call import ChatModel
from agents.models.errors import (
    AllProvidersFailed,
    AnswerMalformed,
    BudgetExceeded,
    ModelError,
    is_nobody_there,
)
from infra.platform import log
from infra.platform.settings import Settings
from schemas.codec import decode
from schemas.envelope import Envelope, Event
from schemas.events.atom import AtomAdjudicated, AtomReflected, CandidatesExtracted
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.events.judgement import JudgementRequested, PairJudged
from schemas.model_reading import Adviser, Spent
from streams.ledger import judging
from streams.ledger.judging import JUDGE
from streams.mapping import Mapping, Read
from streams.reflection.adjudication import (
    ADJUDICATE,
    decide_by_opinions,
    decide_by_rule,
)
from streams.reflection.sampling import may_ask
from streams.shell.chunks import ChunkReader, Found
from streams.shell.pool import ChildPool, Pools
from streams.stage import Step

CALLS_AT_ONCE = 8  # of a lane's reading
VERDICTS_AT_ONCE = 4
JUDGEMENTS_AT_ONCE = 2
# Of all attempts with all providers; each of those has a limit of its own (CAIRN_MODEL_TIMEOUT_S).
CALL_TIMEOUT_S = 300.0
ATTEMPTS_WITHIN = 2.5  # such limits
LINGER_S = 0.05  # a chunk waits for others to share its call
LONGEST_LINGER_S = 1.0  # while others of its run are being prepared
AWAY_S = 30.0  # nobody is asked again for so long after nobody could be, nor for a spent budget
LOOK_EVERY_S = 1.0
MOST_USELESS = 6  # results in a row that bring nothing, until nobody is asked for a while

LOG = log.get("model_calls")
T = TypeVar("T")


class Asker(Protocol):
    """Answers a stage's records with a model."""

    @property
    def window(self) -> int:
        """How many records may be under way."""
        ...

    @property
    def work(self) -> int:
        """Grows with every answer, and while calls are under way within their time."""
        ...

    async def answer(self, cause: Envelope, found: Found | None) -> list[Event] | None:
        """The stage's outputs for the record; None when its own function has to answer."""
        ...

    async def close(self) -> None: ...


Whose = tuple[str, str]  # project, run: budgets are of the one or the other


@dataclass(frozen=True, slots=True)
class Stop:
    """Why nobody is asked until a time of the loop."""

    error: ModelError
    until: float


@dataclass
class Calls:
    """Calls under way: their number, their time, and whether there is anybody to ask."""

    at_once: int
    timeout_s: float = CALL_TIMEOUT_S
    work: int = 0
    _useless: int = 0  # results in a row that brought nothing
    _stopped: dict[Whose | None, Stop] = field(default_factory=dict)  # None: everybody
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def why_not(self, whose: Whose) -> ModelError | None:
        """Why nobody is asked for them now; None: they may ask."""
        now = asyncio.get_running_loop().time()
        stops = (self._stopped.get(None), self._stopped.get(whose))
        return next((it.error for it in stops if it and it.until > now), None)

    def note(self, error: ModelError, whose: Whose, *, is_useless: bool = True) -> None:
        """While nobody is there, a whole corpus does not wait for each time-out; a run without
        budget does not stop others. What was refused for itself stops nobody, unless too many are
        in a row: then the model is not well.
        """
        self._useless = self._useless + 1 if is_useless else 0
        if is_nobody_there(error) or (
            self._useless >= MOST_USELESS and not isinstance(error, BudgetExceeded)
        ):
            self._stop(None, error)
            LOG.warning("model.away", code=error.code)
        elif isinstance(error, BudgetExceeded):
            self._stop(whose, error)
            LOG.warning("model.budget_exceeded", project_id=whose[0], run_id=whose[1])

    def note_use(self) -> None:
        """An answer was of use."""
        self._useless = 0

    def note_timeout(self, whose: Whose) -> AllProvidersFailed:
        """Who has not answered in all this time is away."""
        error = AllProvidersFailed(f"No answer within {self.timeout_s:g} s.")
        self.note(error, whose)
        return error

    def _stop(self, whose: Whose | None, error: ModelError) -> None:
        now = asyncio.get_running_loop().time()
        kept = {known: stop for known, stop in self._stopped.items() if stop.until > now}
        self._stopped = kept | {whose: Stop(error, now + AWAY_S)}

    @property
    def is_full(self) -> bool:
        return len(self._tasks) >= self.at_once

    def start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def watch(self, asking: Coroutine[None, None, T]) -> T:
        """What the call returns or raises, within its time. Raises TimeoutError."""
        call = asyncio.create_task(asking)
        try:
            async with asyncio.timeout(self.timeout_s):
                while not call.done():
                    await asyncio.wait({call}, timeout=LOOK_EVERY_S)
                    self.work += 1
            return call.result()
        finally:
            call.cancel()

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(eq=False)
class Job:
    """A chunk that waits for its call, or for the answer. ``since`` is a time of the loop.

    ``is_second``: its first call took too long.
    """

    asked: Asked
    since: float
    result: asyncio.Future[CandidatesExtracted | Unread]
    is_second: bool = False

    @property
    def whose(self) -> Whose:
        return self.asked.project_id, self.asked.request.run_id

    def finish(self, result: CandidatesExtracted | Unread) -> None:
        if not self.result.done():
            self.result.set_result(result)


class ModelReading:
    """Reads the chunks of one lane; those that wait together share calls."""

    def __init__(
        self,
        model: ChatModel,
        pool: ChildPool,
        by_rules: Read,
        at_once: int = CALLS_AT_ONCE,
        timeout_s: float = CALL_TIMEOUT_S,
        most_together: int = MOST_TOGETHER,
    ) -> None:
        self._model = model
        self._pool = pool
        self._most_together = most_together
        self._by_rules = by_rules
        self._calls = Calls(at_once, timeout_s)
        self._waiting: list[Job] = []
        self._coming: Counter[Whose] = Counter()  # chunks that are being prepared

    @property
    def window(self) -> int:
        return self._calls.at_once * self._most_together

    @property
    def work(self) -> int:
        return self._calls.work

    async def answer(self, cause: Envelope, found: Found | None) -> list[Event] | None:
        request = cause.event
        if not isinstance(request, ExtractRequested) or request.engine != "model":
            return None
        whose = (cause.project_id, request.run_id)
        if found is None:
            return None
        asked: Asked | None = None
        result: CandidatesExtracted | Unread
        if stop := self._calls.why_not(whose):
            result = Unread(stop)
        else:
            prepared = await self._prepare(found, whose)
            asked = Asked(cause.project_id, cause.correlation_id, request, found.chunk, prepared)
            result = await self._ask(asked)
        if isinstance(result, Unread):
            by_rules = await self._pool.run(self._by_rules, request, found.chunk)
            result = note_unread(by_rules, asked, result)
        return [result]

    async def close(self) -> None:
        await self._calls.close()

    async def _prepare(self, found: Found, whose: Whose) -> Prepared:
        self._coming[whose] += 1
        try:
            return await self._pool.run(prepare_record, found.value)
        finally:
            self._coming[whose] -= 1
            if not self._coming[whose]:
                del self._coming[whose]

    async def _ask(self, asked: Asked) -> CandidatesExtracted | Unread:
        loop = asyncio.get_running_loop()
        job = Job(asked, loop.time(), loop.create_future())
        self._waiting.append(job)
        for linger_s in (LINGER_S, LONGEST_LINGER_S):
            loop.call_later(linger_s, self._hand_out)
        self._hand_out()
        try:
            return await job.result
        finally:
            with suppress(ValueError):
                self._waiting.remove(job)

    def _hand_out(self) -> None:
        for job in self._waiting:  # a call has shown meanwhile that theirs would be in vain
            if stop := self._calls.why_not(job.whose):
                job.finish(Unread(stop))
        self._waiting = [it for it in self._waiting if not it.result.done()]
        while self._waiting and not self._calls.is_full:
            waiting = [wait_for_call(it.asked, it.is_second) for it in self._waiting]
            places = take_pack(waiting, self._most_together)
            jobs = [self._waiting[at] for at in places]
            if not self._may_go(jobs):
                return
            self._waiting = [it for it in self._waiting if it not in jobs]
            work = self._calls.start(self._read(jobs))
            work.add_done_callback(lambda done: self._hand_out())

    def _may_go(self, jobs: Sequence[Job]) -> bool:
        """Whether nobody is waited for: the call is full, or its first chunk has waited enough."""
        first = jobs[0]
        if len(jobs) >= self._most_together or first.asked.chunk.token_estimate > SHORT_TOKENS:
            return True
        linger_s = LONGEST_LINGER_S if first.whose in self._coming else LINGER_S
        return asyncio.get_running_loop().time() - first.since >= linger_s

    async def _read(self, jobs: Sequence[Job]) -> None:
        try:
            await self._calls.watch(self._hand_in(jobs))
        except TimeoutError:
            left = [job for job in jobs if not job.result.done()]
            LOG.warning("model.timed_out", chunks=len(left))
            for job in left:
                self._ask_again(job)
        except Exception as error:
            for job in jobs:
                if not job.result.done():
                    job.result.set_exception(error)

    async def _hand_in(self, jobs: Sequence[Job]) -> None:
        async with aclosing(read_together([job.asked for job in jobs], self._model)) as results:
            async for at, result in results:
                if isinstance(result, Unread):
                    self._calls.note(result.error, jobs[at].whose, is_useless=not result.kept)
                else:
                    self._calls.note_use()
                jobs[at].finish(result)

    def _ask_again(self, job: Job) -> None:
        """A chunk whose call took too long gets one by itself, once."""
        if job.is_second:
            job.finish(Unread(self._calls.note_timeout(job.whose)))
        else:
            job.is_second = True
            self._waiting.append(job)


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


def make_asker(
    step: Step, model: ChatModel | None, chunks: ChunkReader, pools: Pools, settings: Settings
) -> Asker | None:
    """Who asks the model for the step, where there is one and the step has use for it."""
    if model is None:
        return None
    timeout_s = ATTEMPTS_WITHIN * settings.model_timeout_s
    if step.name == ADJUDICATE.name:
        return ModelAdjudication(model, chunks, timeout_s=timeout_s)
    if step.name == JUDGE.name:
        return ModelJudging(model, timeout_s=timeout_s)
    pool = {"child": pools.deep, "preview_child": pools.preview}.get(step.place)
    if pool is None or not isinstance(step.handle, Mapping):
        return None
    return ModelReading(
        model,
        pool,
        step.handle.read,
        timeout_s=timeout_s,
        most_together=settings.model_pack,
    )


def prepare_record(chunk_value: bytes) -> Prepared:
    """The chunk of a record as it is shown to a model; children compute it."""
    chunk = decode(chunk_value).event
    assert isinstance(chunk, ChunkCreated)
    return prepare(chunk)
