"""Programs of others as child processes: what they print as it comes, and nothing left of them.

A process of ours stands between (`infra.runtime.program_child`): it starts the program in a session
of its own and ends all that the program has started. It ends, too, when we do. The program gets the
environment that it is given and no open file of ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

GRACE_S = 2.0  # between asking a program to end and killing it
CHUNK_BYTES = 1 << 16
MOST_LINE_BYTES = 64 * 1024 * 1024
KEPT_ERROR_BYTES = 8_192
CHUNKS_AHEAD = 16
CLOSES_WITHIN_S = 2.0
ROOT = Path(__file__).resolve().parents[2]

End = Literal["missing", "idle", "ceiling", "exit"]


@dataclass(frozen=True, slots=True)
class Program:
    """What is run. ``directory`` None: an empty one of its own, which is also its TMPDIR unless it
    is given another; it is removed afterwards. A program that writes to neither of its outputs for
    ``idle_s`` is ended, and so is one that takes longer than ``ceiling_s`` in all.
    """

    argv: tuple[str, ...]
    given: str
    environ: Mapping[str, str]
    directory: str | None
    idle_s: float
    ceiling_s: float
    grace_s: float = GRACE_S


class ProgramEnded(Exception):
    """A program could not be started, was ended, or ended by itself with another code than 0."""

    def __init__(
        self, kind: End, message: str, *, code: int | None = None, errors: str = ""
    ) -> None:
        super().__init__(message)
        self.kind, self.code, self.errors = kind, code, errors


async def run_program(program: Program) -> AsyncGenerator[str, None]:
    """Lines of the program's output without their ends, however long. Raises ProgramEnded.

    Close the generator to end the program; it returns when nothing of it runs any more.
    """
    with contextlib.ExitStack() as stack:
        environ, directory = dict(program.environ), program.directory
        if directory is None:
            kept = tempfile.TemporaryDirectory(prefix="cairn-", ignore_cleanup_errors=True)
            directory = stack.enter_context(kept)
            environ.setdefault("TMPDIR", directory)
        run = await _start(program, environ, directory)
        try:
            async with contextlib.aclosing(_split_lines(program, run)) as lines:
                async for line in lines:
                    yield line
            run.check_end(program)
        finally:
            await _finish(run)


async def _start(program: Program, environ: dict[str, str], directory: str) -> _Run:
    ours, theirs = socket.socketpair()
    with theirs:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-S", "-P", "-m", "infra.runtime.program_child"),
            str(theirs.fileno()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # a terminal's Ctrl-C is ours
            env={"PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"},
        )
    reports, orders = await asyncio.open_connection(sock=ours)
    call = {
        "argv": program.argv,
        "environ": environ,
        "directory": directory,
        "grace_s": program.grace_s,
    }
    orders.write(json.dumps(call).encode() + b"\n")
    return _Run(child, reports, orders, program.given)


class _Run:
    """A program that runs: what it is given and what it prints."""

    def __init__(
        self,
        child: asyncio.subprocess.Process,
        reports: asyncio.StreamReader,
        orders: asyncio.StreamWriter,
        given: str,
    ) -> None:
        self.child, self.orders = child, orders
        self.began_s = self.seen_s = asyncio.get_running_loop().time()
        self._reports = reports
        self._report: dict[str, Any] = {}
        self._errors = b""
        self._chunks: asyncio.Queue[bytes | None] = asyncio.Queue(CHUNKS_AHEAD)
        self.tasks = [
            asyncio.ensure_future(work)
            for work in (self._give(given), self._read_output(), self._read_errors())
        ]

    async def read(self, program: Program) -> bytes | None:
        """The next piece of output; None: it has ended. Raises ProgramEnded for a limit."""
        loop = asyncio.get_running_loop()
        while True:
            if not self._chunks.empty():  # however long nobody has asked for it
                self.seen_s = loop.time()
                return self._chunks.get_nowait()
            idle_at = self.seen_s + program.idle_s
            ends_at = self.began_s + program.ceiling_s
            if loop.time() >= min(idle_at, ends_at):
                kind: End = "idle" if idle_at < ends_at else "ceiling"
                raise self._limit(program, kind)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(min(idle_at, ends_at)):
                    chunk = await self._chunks.get()
                self.seen_s = loop.time()
                return chunk

    def check_end(self, program: Program) -> None:
        """Raises ProgramEnded unless the program has ended well."""
        name = program.argv[0] if program.argv else ""
        if reason := self._report.get("missing"):
            raise ProgramEnded("missing", f"{name} cannot be started: {reason}")
        code = self._report.get("code")
        if code != 0:
            how = "was ended from outside" if code is None else f"ended with code {code}"
            last = self._last_errors()
            message = f"{name} {how}" + (f": {last.splitlines()[-1]}" if last else ".")
            raise ProgramEnded("exit", message, code=code, errors=last)

    def _limit(self, program: Program, kind: End) -> ProgramEnded:
        what = (
            f"printed nothing for {program.idle_s:g} s"
            if kind == "idle"
            else f"took longer than {program.ceiling_s:g} s"
        )
        message = f"{program.argv[0]} {what} and was ended."
        return ProgramEnded(kind, message, errors=self._last_errors())

    def _last_errors(self) -> str:
        return self._errors.decode(errors="replace").strip()

    async def close(self) -> None:
        """Wait for the end, and read what is left in the pipes, which closes them."""
        await self.child.wait()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        with contextlib.suppress(TimeoutError):  # a process that could not be ended holds them
            async with asyncio.timeout(CLOSES_WITHIN_S):
                for stream in (self.child.stdout, self.child.stderr):
                    while stream is not None and await stream.read(CHUNK_BYTES):
                        pass

    async def _give(self, given: str) -> None:
        stream = self.child.stdin
        assert stream is not None
        with contextlib.suppress(OSError):  # it need not read what it is given
            stream.write(given.encode(errors="replace"))
            await stream.drain()
        stream.close()

    async def _read_output(self) -> None:
        stream = self.child.stdout
        assert stream is not None
        while chunk := await stream.read(CHUNK_BYTES):
            await self._chunks.put(chunk)
        with contextlib.suppress(OSError, ValueError):
            report = json.loads(await self._reports.read() or "{}")
            self._report = report if isinstance(report, dict) else {}
        await self.tasks[2]  # the errors of a program that has failed are whole
        await self._chunks.put(None)

    async def _read_errors(self) -> None:
        stream = self.child.stderr
        assert stream is not None
        while chunk := await stream.read(CHUNK_BYTES):
            self.seen_s = asyncio.get_running_loop().time()
            self._errors = (self._errors + chunk)[-KEPT_ERROR_BYTES:]


async def _split_lines(program: Program, run: _Run) -> AsyncGenerator[str, None]:
    pieces, size = list[bytes](), 0
    while (chunk := await run.read(program)) is not None:
        *ended, rest = chunk.split(b"\n")
        for line in ended:
            yield _decode(b"".join([*pieces, line]))
            pieces, size = [], 0
        pieces.append(rest)
        size += len(rest)
        if size > MOST_LINE_BYTES:
            message = f"{program.argv[0]} printed a line of more than {MOST_LINE_BYTES:,} bytes."
            raise ProgramEnded("ceiling", message)
    if size:
        yield _decode(b"".join(pieces))


def _decode(line: bytes) -> str:
    return line.decode(errors="replace").removesuffix("\r")


async def _finish(run: _Run) -> None:
    """Return when the program and all that it has started have ended, whoever is cancelled."""
    run.orders.close()
    end = asyncio.ensure_future(run.close())
    is_cancelled = False
    while not end.done():
        try:
            await asyncio.wait((end,))
        except asyncio.CancelledError:
            is_cancelled = True
    if is_cancelled:
        raise asyncio.CancelledError
    end.result()
