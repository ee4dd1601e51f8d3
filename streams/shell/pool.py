"""Child processes for what computes long, so that the loop only moves records (spec 10 §3).

A regular expression that runs away holds the interpreter: only another process can be timed and
killed. Each child is a fresh interpreter (no fork of a process with threads), of lower priority,
and ends with its parent. Decided against: ``multiprocessing`` and pools on top of it, which run the
program's main module again in every child.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from streams.shell.child import LENGTH
from streams.shell.failures import ChildFailed, Failure, ShellFailure

T = TypeVar("T")
JOB_TIMEOUT_S = 20.0
ROOT = Path(__file__).resolve().parents[2]


class JobTimedOut(ShellFailure):
    """The job took longer than a job may; its child was killed."""


class ChildDied(ShellFailure):
    """The child ended in the middle of the job."""


class Child:
    """One process; started with its first job and again after it died."""

    def __init__(self, nice: int) -> None:
        self._nice = nice
        self._process: asyncio.subprocess.Process | None = None

    async def answer(self, job: bytes) -> bytes:
        """Raises ChildDied."""
        process = await self._running()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(LENGTH.pack(len(job)) + job)
            await process.stdin.drain()
            length = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
            return await process.stdout.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            await self.kill()
            raise ChildDied("the child process ended in the middle of a job") from None

    async def kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "streams.shell.child", str(os.getpid()), str(self._nice)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), *sys.path))},
            )
        return self._process

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None


class ChildPool:
    """``size`` children of priority ``nice``; a job that hangs or kills its child fails alone."""

    def __init__(self, size: int, nice: int, timeout_s: float = JOB_TIMEOUT_S) -> None:
        self.size = size
        self._timeout_s = timeout_s
        self._children = [Child(nice) for _ in range(size)]
        self._idle: asyncio.LifoQueue[Child] = asyncio.LifoQueue()
        for child in self._children:
            self._idle.put_nowait(child)

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """``function(*arguments)``, computed in a child; function and arguments are pickled.

        Raises ChildFailed for what the function raised, JobTimedOut, ChildDied.
        """
        job = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        child = await self._idle.get()
        try:
            async with asyncio.timeout(self._timeout_s):
                kind, *rest = pickle.loads(await child.answer(job))
        except TimeoutError:
            await child.kill()
            raise JobTimedOut(f"the job took longer than {self._timeout_s:.0f} s") from None
        except asyncio.CancelledError:
            await child.kill()  # it is in the middle of something nobody waits for
            raise
        finally:
            self._idle.put_nowait(child)
        if kind == "failed":
            raise ChildFailed(Failure(*rest))
        result: T = rest[0]
        return result

    def pids(self) -> list[int]:
        return [child.pid for child in self._children if child.pid is not None]

    async def close(self) -> None:
        await asyncio.gather(*(child.kill() for child in self._children))
