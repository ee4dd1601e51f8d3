"""Reads the chunks of a lane with a model; those that wait together share calls."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass

from agents.extraction.packing import MOST_TOGETHER, SHORT_TOKENS, take_pack
from agents.extraction.prompt import Prepared, prepare
from agents.extraction.reader import read_together, wait_for_call
from agents.extraction.results import Asked, Unread, note_unread
from agents.models.call import ChatModel
from infra.platform import log
from schemas.codec import decode
from schemas.envelope import Envelope, Event
from schemas.events.atom import CandidatesExtracted
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from streams.mapping import Read
from streams.shell.chunks import Found
from streams.shell.model_calls import CALL_TIMEOUT_S, Calls, Whose
from streams.shell.pool import ChildPool

CALLS_AT_ONCE = 8  # of a lane's reading
LINGER_S = 0.05  # a chunk waits for others to share its call
LONGEST_LINGER_S = 1.0  # while others of its run are being prepared

LOG = log.get("model_reading")


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


def prepare_record(chunk_value: bytes) -> Prepared:
    """The chunk of a record as it is shown to a model; children compute it."""
    chunk = decode(chunk_value).event
    assert isinstance(chunk, ChunkCreated)
    return prepare(chunk)
