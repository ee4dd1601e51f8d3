"""Child processes for what computes long, so that the loop only moves records.

A regular expression that runs away holds the interpreter: only another process can be timed and
killed. What counts is the time a child works, or sleeps on something that does not come; waiting
for a processor is no fault of its job, and to start it again would make a busy machine busier. Nor
is it the job's fault how long a child takes to begin: what its first jobs need is imported before
their time counts. Each child is a fresh interpreter (no fork of a process with threads), of lower
priority, and ends with its parent. Decided against: ``multiprocessing`` and pools on top of it,
which run the program's main module again in every child.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import psutil

from streams.shell.child import LENGTH, can_read
from streams.shell.failures import ChildFailed, ShellFailure
from streams.undecidable import Failure

T = TypeVar("T")
JOB_TIMEOUT_S = 20.0  # of work
BEGIN_TIMEOUT_S = 60.0  # of work: an interpreter and its imports from a slow disk
LOOK_EVERY_S = 1.0
AT_ONCE = 16  # jobs in one message to a child: most are shorter than the way there and back
BUFFER_BYTES = 1024 * 1024
ROOT = Path(__file__).resolve().parents[2]


class JobTimedOut(ShellFailure):
    """The job worked longer than a job may; its child was killed."""


class ChildDied(ShellFailure):
    """The child ended in the middle of the job."""


class Child:
    """One process; started with its first job and again after it died."""

    def __init__(self, nice: int) -> None:
        self._nice = nice
        self._process: asyncio.subprocess.Process | None = None

    async def answer(self, job: bytes) -> bytes:
        """Raises ChildDied."""
        await self.start()
        process = self._process
        assert process and process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(LENGTH.pack(len(job)) + job)
            await process.stdin.drain()
            length = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
            return await process.stdout.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            await self.kill()
            raise ChildDied("the child process ended in the middle of a job") from None

    async def kill(self) -> None:
        if process := self.let_go():
            await process.wait()

    def let_go(self) -> asyncio.subprocess.Process | None:
        """The process, which is about to end; the next job gets another one."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        return process

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """The process runs."""
        if not self.is_running:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "streams.shell.child"),
                *(str(os.getpid()), str(self._nice)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=BUFFER_BYTES,
                start_new_session=True,  # its priority counts; a terminal's Ctrl-C is the parent's
                env=os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), *sys.path))},
            )

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None


class WorkingTime:
    """How long a child has worked on its jobs, or slept in them.

    Looked at every second, so jobs that are quick cost nothing; the first look begins to count. A
    child sleeps when it gave up a processor by itself: one that sleeps and wakes again and again
    is seen waiting for a processor as often as asleep.
    """

    def __init__(self, child: Child) -> None:
        self._child = child
        # The pid, its time on a processor, and how often it gave one up by itself.
        self._seen: tuple[int, float, int] | None = None
        self.spent_s = 0.0

    def look(self) -> bool:
        """Whether the child has worked since the last look."""
        pid = self._child.pid
        try:
            process = psutil.Process(pid) if pid is not None else None
            if process is None:
                return False
            times, asleep = process.cpu_times(), process.status() == psutil.STATUS_SLEEPING
            pauses = process.num_ctx_switches().voluntary
        except psutil.Error:
            return False
        used_s = times.user + times.system
        before, self._seen = self._seen, (process.pid, used_s, pauses)
        if before is None or before[0] != process.pid:
            return True
        worked_s = used_s - before[1]
        self.spent_s += LOOK_EVERY_S if asleep or pauses > before[2] else worked_s
        return bool(worked_s)


class Job:
    """A call on its way to a child; ``batch`` is set while a child has it."""

    def __init__(self, call: bytes, limit_s: float) -> None:
        self.call = call
        self.limit_s = limit_s  # of work
        self.answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.batch: asyncio.Task[None] | None = None

    def finish(self, answer: bytes) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class ChildPool:
    """``size`` children of priority ``nice``; a job that hangs or kills its child fails alone.

    Jobs that wait while all children are busy go to the next idle one together, at most
    ``at_once``: they are answered together. When their child hangs or dies, each is tried again by
    itself. After ``rests_after_s`` without a job the children end; the next job starts one again.
    """

    def __init__(
        self,
        size: int,
        nice: int,
        timeout_s: float = JOB_TIMEOUT_S,
        at_once: int = AT_ONCE,
        rests_after_s: float | None = None,
    ) -> None:
        self.size = size
        self._nice = nice
        self._timeout_s = timeout_s
        self._at_once = at_once
        self._rests_after_s = rests_after_s
        self._children = [Child(nice) for _ in range(size)]
        self._idle = list(self._children)
        self._waiting: deque[Job] = deque()
        self._batches: dict[asyncio.Task[None], list[Job]] = {}
        self._resting: asyncio.TimerHandle | None = None
        self._ends: set[asyncio.Task[int]] = set()
        self.work = 0  # grows with every answer, and while children compute

    async def warm(self, function: Callable[..., object], *arguments: object) -> None:
        """Every child runs and has called ``function`` once, so that the next call is quick."""
        job = Job(_call(function, arguments), self._timeout_s)
        idle, self._idle = self._idle, []
        try:
            await asyncio.gather(*(self._answers(child, [job]) for child in idle))
        finally:
            self._idle += idle
            self._hand_out()
            self._rest_later()

    async def run(
        self, function: Callable[..., T], *arguments: object, limit_s: float | None = None
    ) -> T:
        """``function(*arguments)``, computed in a child; function and arguments are pickled.

        The function is hashable, and the same one is handed over again and again. ``limit_s``:
        how long the job may work, where that is not the pool's limit.

        Raises ChildFailed for what the function raised, JobTimedOut, ChildDied.
        """
        job = Job(_call(function, arguments), limit_s or self._timeout_s)
        self._waiting.append(job)
        self._hand_out()
        try:
            kind, *rest = pickle.loads(await job.answer)
        except asyncio.CancelledError:
            self._let_go(job)
            raise
        if kind == "failed":
            raise ChildFailed(Failure(*rest))
        result: T = rest[0]
        return result

    @property
    def is_busy(self) -> bool:
        """Whether a job would wait."""
        return not self._idle

    def pids(self) -> list[int]:
        return [child.pid for child in self._children if child.pid is not None]

    async def close(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
        self._waiting.clear()
        for batch in self._batches:
            batch.cancel()
        await asyncio.gather(*self._batches, return_exceptions=True)
        await asyncio.gather(*(child.kill() for child in self._children))

    def _hand_out(self) -> None:
        while self._idle and (jobs := self._next_jobs()):
            batch = asyncio.create_task(self._compute(self._idle.pop(), jobs))
            self._batches[batch] = jobs
            for job in jobs:
                job.batch = batch
            batch.add_done_callback(self._batches.pop)

    def _next_jobs(self) -> list[Job]:
        """A fair share of what waits."""
        share = min(self._at_once, -(-len(self._waiting) // len(self._idle)))
        taken: list[Job] = []
        while self._waiting and len(taken) < share:
            job = self._waiting.popleft()
            if not job.answer.done():
                taken.append(job)
        return taken

    def _let_go(self, job: Job) -> None:
        """Nobody waits for the job; a child that has nothing else to do is stopped."""
        if job.batch and all(each.answer.done() for each in self._batches.get(job.batch, ())):
            job.batch.cancel()

    async def _compute(self, child: Child, jobs: Sequence[Job]) -> None:
        try:
            try:
                answers = await self._answers(child, jobs)
            except (JobTimedOut, ChildDied) as error:
                if len(jobs) == 1:
                    jobs[0].fail(error)
                    return
                for job in jobs:
                    if not job.answer.done():
                        await self._compute_alone(child, job)
            else:
                for job, answer in zip(jobs, answers, strict=True):
                    job.finish(answer)
        except asyncio.CancelledError:
            for job in jobs:
                job.answer.cancel()
            await child.kill()  # it is in the middle of something nobody waits for
            raise
        except Exception as error:
            for job in jobs:
                job.fail(error)
        finally:
            self._idle.append(child)
            self._hand_out()
            self._rest_later()

    def _rest_later(self) -> None:
        """Children without work give their memory back, after a while."""
        if self._resting is not None:
            self._resting.cancel()
        if self._rests_after_s is not None:
            loop = asyncio.get_running_loop()
            self._resting = loop.call_later(self._rests_after_s, self._rest)

    def _rest(self) -> None:
        if len(self._idle) == self.size:
            for process in filter(None, [child.let_go() for child in self._idle]):
                end = asyncio.create_task(process.wait())
                self._ends.add(end)
                end.add_done_callback(self._ends.discard)

    async def _compute_alone(self, child: Child, job: Job) -> None:
        try:
            [answer] = await self._answers(child, [job])
        except (JobTimedOut, ChildDied) as error:
            job.fail(error)
        else:
            job.finish(answer)

    async def _answers(self, child: Child, jobs: Sequence[Job]) -> list[bytes]:
        """Raises JobTimedOut, ChildDied."""
        calls, limit_s = [job.call for job in jobs], max(job.limit_s for job in jobs)
        if not child.is_running:
            readings = [_call(can_read, (call,)) for call in calls]
            await self._timed(child, readings, BEGIN_TIMEOUT_S)
        return await self._timed(child, calls, limit_s)

    async def _timed(self, child: Child, calls: Sequence[bytes], limit_s: float) -> list[bytes]:
        """Raises JobTimedOut, ChildDied."""
        try:
            async with asyncio.timeout(None) as limit:
                with self._limit(child, limit, limit_s):
                    answers: list[bytes] = pickle.loads(await child.answer(pickle.dumps(calls)))
                    self.work += 1
                    return answers
        except TimeoutError:
            await child.kill()
            raise JobTimedOut(f"the job worked longer than {limit_s:.0f} s") from None

    @contextlib.contextmanager
    def _limit(self, child: Child, limit: asyncio.Timeout, limit_s: float) -> Iterator[None]:
        """``limit`` passes once the child has worked longer than ``limit_s``."""
        loop, time = asyncio.get_running_loop(), WorkingTime(child)
        next_look: asyncio.TimerHandle

        def look() -> None:
            nonlocal next_look
            if time.look():
                self.work += 1
            if time.spent_s > limit_s:
                limit.reschedule(loop.time())
            else:
                next_look = loop.call_later(LOOK_EVERY_S, look)

        next_look = loop.call_later(LOOK_EVERY_S, look)
        try:
            yield
        finally:
            next_look.cancel()


@dataclass(frozen=True)
class Pools:
    """Where a worker computes: ``deep`` of lower priority, ``preview`` kept for previews."""

    deep: ChildPool
    preview: ChildPool


def _call(function: Callable[..., object], arguments: Sequence[object]) -> bytes:
    return pickle.dumps((_name_of(function), arguments), pickle.HIGHEST_PROTOCOL)


@lru_cache(64)
def _name_of(function: Callable[..., object]) -> bytes:
    """The function as it is written once for all its calls."""
    return pickle.dumps(function, pickle.HIGHEST_PROTOCOL)
