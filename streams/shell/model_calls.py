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
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from agents.extraction.adjudicator import ADJUDICATION_PROMPT_VERSION, Opinion, ask_for_verdicts
from agents.extraction.packing import MOST_TOGETHER, SHORT_TOKENS, take_pack
from agents.extraction.prompt import Prepared, prepare
from agents.extraction.reader import Asked, read_together, wait_for_call
from agents.models.call import ChatModel
from agents.models.errors import AnswerMalformed, ModelError
from infra import log
from schemas.codec import decode
from schemas.envelope import Envelope, Event
from schemas.events.atom import AtomAdjudicated, AtomReflected, CandidatesExtracted
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from streams.reflection.adjudication import (
    ADJUDICATE,
    Ruled,
    Ruling,
    decide_by_rule,
    decide_by_rulings,
    may_ask,
)
from streams.shell.chunks import ChunkReader, Found
from streams.shell.pool import ChildPool, Pools
from streams.stage import Step

CALLS_AT_ONCE = 8  # of a lane's reading
VERDICTS_AT_ONCE = 4
CALL_TIMEOUT_S = 300.0  # of all attempts with all providers; each of those has limits of its own
LINGER_S = 0.05  # a chunk waits for others to share its call
AWAY_S = 30.0  # nobody is asked again for so long after nobody could be
LOOK_EVERY_S = 1.0

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


@dataclass
class Calls:
    """Calls under way: their number, their time, and whether there is anybody to ask."""

    at_once: int
    work: int = 0
    _away_until: float = 0.0
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def are_possible(self) -> bool:
        return asyncio.get_running_loop().time() >= self._away_until

    def note_away(self, error: ModelError) -> None:
        """Nobody is asked for a while, so that a whole corpus does not wait for each time-out."""
        self._away_until = asyncio.get_running_loop().time() + AWAY_S
        LOG.warning("model.away", code=error.code)

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
            async with asyncio.timeout(CALL_TIMEOUT_S):
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


@dataclass
class Job:
    """A chunk that waits for its call, or for the answer. ``since`` is a time of the loop."""

    asked: Asked
    since: float
    result: asyncio.Future[CandidatesExtracted | None]


class ModelReading:
    """Reads the chunks of one lane; those that wait together share calls."""

    def __init__(self, model: ChatModel, pool: ChildPool, at_once: int = CALLS_AT_ONCE) -> None:
        self._model = model
        self._pool = pool
        self._calls = Calls(at_once)
        self._waiting: list[Job] = []

    @property
    def window(self) -> int:
        return self._calls.at_once * MOST_TOGETHER

    @property
    def work(self) -> int:
        return self._calls.work

    async def answer(self, cause: Envelope, found: Found | None) -> list[Event] | None:
        request = cause.event
        is_asked = isinstance(request, ExtractRequested) and request.engine == "model"
        if not is_asked or found is None or not self._calls.are_possible:
            return None
        assert isinstance(request, ExtractRequested)
        prepared = await self._pool.run(prepare_record, found.value)
        asked = Asked(cause.project_id, cause.correlation_id, request, found.chunk, prepared)
        result = await self._ask(asked)
        return [result] if result else None

    async def close(self) -> None:
        await self._calls.close()

    async def _ask(self, asked: Asked) -> CandidatesExtracted | None:
        loop = asyncio.get_running_loop()
        job = Job(asked, loop.time(), loop.create_future())
        self._waiting.append(job)
        loop.call_later(LINGER_S, self._hand_out)
        self._hand_out()
        try:
            return await job.result
        finally:
            with suppress(ValueError):
                self._waiting.remove(job)

    def _hand_out(self) -> None:
        while self._waiting and not self._calls.is_full:
            places = take_pack([wait_for_call(job.asked) for job in self._waiting])
            jobs = [self._waiting[at] for at in places]
            if not _may_go(jobs):
                return
            self._waiting = [it for it in self._waiting if it not in jobs]
            work = self._calls.start(self._read(jobs))
            work.add_done_callback(lambda done: self._hand_out())

    async def _read(self, jobs: Sequence[Job]) -> None:
        results: list[CandidatesExtracted | None] = [None] * len(jobs)
        asked = [job.asked for job in jobs]
        try:
            read = await self._calls.watch(read_together(asked, self._model))
            results = read.results
            if read.away:
                self._calls.note_away(read.away)
        except TimeoutError:
            LOG.warning("model.timed_out", chunks=len(jobs))
        except Exception as error:
            for job in jobs:
                if not job.result.done():
                    job.result.set_exception(error)
        for job, result in zip(jobs, results, strict=True):
            if not job.result.done():
                job.result.set_result(result)


class ModelAdjudication:
    """Asks about borderline candidates of the chunks that may be asked about."""

    def __init__(
        self, model: ChatModel, chunks: ChunkReader, at_once: int = VERDICTS_AT_ONCE
    ) -> None:
        self._model = model
        self._chunks = chunks
        self._calls = Calls(at_once)
        self._free = asyncio.Semaphore(at_once)

    @property
    def window(self) -> int:
        return 4 * self._calls.at_once

    @property
    def work(self) -> int:
        return self._calls.work

    async def answer(self, cause: Envelope, found: Found | None) -> list[Event] | None:
        reflected = cause.event
        if not isinstance(reflected, AtomReflected) or not reflected.adjudicate:
            return None
        if not may_ask(reflected.reading) or not self._calls.are_possible:
            return None
        chunk = await self._chunks.chunk_of(reflected)
        async with self._free:
            return await self._ask(cause, reflected, chunk.chunk if chunk else None)

    async def close(self) -> None:
        await self._calls.close()

    async def _ask(
        self, cause: Envelope, reflected: AtomReflected, chunk: ChunkCreated | None
    ) -> list[Event] | None:
        try:
            return [
                *await self._calls.watch(
                    ask_about_borderline(
                        reflected, chunk, cause.project_id, cause.correlation_id, self._model
                    )
                )
            ]
        except AnswerMalformed:
            return [*decide_by_rule(reflected, "malformed")]
        except TimeoutError:
            return None
        except ModelError as error:
            self._calls.note_away(error)
            return None


async def ask_about_borderline(
    reflected: AtomReflected,
    chunk: ChunkCreated | None,
    project_id: str,
    correlation_id: str | None,
    model: ChatModel,
) -> list[AtomAdjudicated]:
    """The model's verdicts on the borderline candidates of a reading. Raises ModelError."""
    answer, opinions = await ask_for_verdicts(reflected, chunk, project_id, model, correlation_id)
    ruled = Ruled(
        answer.provider,
        answer.model,
        ADJUDICATION_PROMPT_VERSION,
        answer.usage.input_tokens,
        answer.usage.output_tokens,
        answer.cost_usd or 0.0,
    )
    return decide_by_rulings(reflected, [_ruling(it) for it in opinions], ruled)


def make_asker(
    step: Step, model: ChatModel | None, chunks: ChunkReader, pools: Pools
) -> Asker | None:
    """Who asks the model for the step, where there is one and the step has use for it."""
    if model is None:
        return None
    if step.name == ADJUDICATE.name:
        return ModelAdjudication(model, chunks)
    pool = {"child": pools.deep, "preview_child": pools.preview}.get(step.place)
    return ModelReading(model, pool) if pool else None


def prepare_record(chunk_value: bytes) -> Prepared:
    """The chunk of a record as it is shown to a model; children compute it."""
    chunk = decode(chunk_value).event
    assert isinstance(chunk, ChunkCreated)
    return prepare(chunk)


def _may_go(jobs: Sequence[Job]) -> bool:
    """Whether nobody is waited for: the call is full, or its first chunk has waited enough."""
    first = jobs[0]
    is_full = len(jobs) == MOST_TOGETHER or first.asked.chunk.token_estimate > SHORT_TOKENS
    return is_full or asyncio.get_running_loop().time() - first.since >= LINGER_S


def _ruling(opinion: Opinion | None) -> Ruling | None:
    if opinion is None:
        return None
    return Ruling(opinion.verdict, opinion.confidence, opinion.rationale)
