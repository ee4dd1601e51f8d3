"""A command under way: its output is read, its use of the machine watched, its end seen to."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from infra.runtime.walls.errors import WallsBroken
from infra.runtime.walls.excerpt import Excerpt
from infra.runtime.walls.limits import Limits
from infra.runtime.walls.processes import descendants, used_bytes
from infra.runtime.walls.workspace import is_disk_short, measure

LimitName = Literal["time", "memory", "processes", "disk"]
ROOT = Path(__file__).resolve().parents[3]
WATCH_EVERY_S = 0.05
SHARE_OF_WATCHING = 4  # watching takes at most a fifth of the time
READ_BYTES = 1 << 16
GRACE_S = 10.0
BEGUN_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. ``limit``: which one ended it; None: it ended itself with ``code``."""

    code: int
    output: str
    left_out_chars: int
    limit: LimitName | None
    seconds: float


class BegunPipe:
    """A pipe on which the first process of a command says what has become of its walls."""

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()
        os.set_inheritable(self.writing, True)
        self._open = {self._reading, self.writing}

    def read(self) -> str:
        """All that was written, once no process of the command is left."""
        return os.read(self._reading, BEGUN_BYTES).decode(errors="replace").strip()

    def close_writing(self) -> None:
        """In this process, which would wait for itself otherwise."""
        os.close(self.writing)
        self._open.discard(self.writing)

    def close(self) -> None:
        while self._open:
            os.close(self._open.pop())


class Running:
    """One command, from its first process until none of its processes is left."""

    def __init__(self, workspace: Path, limits: Limits) -> None:
        self._workspace, self._limits = workspace, limits
        self._most_disk_bytes = max(limits.disk_bytes, measure(workspace))
        self._limit: LimitName | None = None
        self._excerpt = Excerpt(limits.output_chars)

    async def run(self, spec: str, argv: Sequence[str], begun: BegunPipe) -> Finished:
        """On ``begun`` the command says that its walls stand.

        Raises WallsBroken when they did not stand. Cancelled, it ends the command first.
        """
        started_s = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-S", "-P", "-m", "infra.runtime.walls.child", spec, *argv),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=_environ_of_child(),
            cwd="/",
            pass_fds=(begun.writing,),
            start_new_session=True,
        )
        begun.close_writing()
        assert process.stdout
        watching = asyncio.create_task(self._watch(process))
        try:
            while part := await process.stdout.read(READ_BYTES):
                self._excerpt.feed(part)
            await process.wait()
        finally:
            watching.cancel()
            await _end(process)
        self._excerpt.feed(b"", is_last=True)
        message = begun.read()
        if message != "begun" and self._limit is None:
            reason = message or self._excerpt.text.strip() or f"exit code {process.returncode}"
            raise WallsBroken(f"The walls around a command could not be built: {reason[:500]}")
        return Finished(
            code=process.returncode if process.returncode is not None else -1,
            output=self._excerpt.text,
            left_out_chars=self._excerpt.left_out_chars,
            limit=self._limit,
            seconds=time.monotonic() - started_s,
        )

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        deadline_s = time.monotonic() + self._limits.time_s
        while process.returncode is None:
            begun_s = time.monotonic()
            over = await asyncio.to_thread(self._limit_exceeded, process.pid)
            if over is None and time.monotonic() > deadline_s:
                over = "time"
            if over:
                self._limit = over
                await _end(process)
                return
            took_s = time.monotonic() - begun_s
            await asyncio.sleep(max(WATCH_EVERY_S, took_s * SHARE_OF_WATCHING))

    def _limit_exceeded(self, pid: int) -> LimitName | None:
        pids = descendants(pid)
        if used_bytes(pids) > self._limits.memory_bytes:
            return "memory"
        if len(pids) > self._limits.processes:
            return "processes"
        if is_disk_short(self._workspace) or measure(self._workspace) > self._most_disk_bytes:
            return "disk"
        return None


def _environ_of_child() -> Mapping[str, str]:
    return {"PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8", "PATH": os.environ.get("PATH", "")}


async def _end(process: asyncio.subprocess.Process) -> None:
    """With its whole tree, which it ends itself; if it does not, this does."""
    if process.returncode is not None:
        return
    below = descendants(process.pid)
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            process.send_signal(number)
        except ProcessLookupError:
            break
        try:
            await asyncio.wait_for(asyncio.shield(process.wait()), GRACE_S)
            break
        except TimeoutError:
            continue
    for pid in (*below, *descendants(process.pid)):
        _kill(pid)
    await process.wait()


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
