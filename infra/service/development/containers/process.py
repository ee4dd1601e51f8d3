"""The provider `process`: the worker behind the operating system's walls of this machine.

Weaker than a container of its own: the kernel is shared. The worker has no network; host and worker
meet in two named pipes, which are removed from the workspace before anything secret passes.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from agents.development.errors import SandboxError
from agents.models.records import read_object
from infra.runtime.walls.errors import WallsBroken, WallsMissing, WorkspaceUnfit
from infra.runtime.walls.layout import Layout
from infra.runtime.walls.limits import Limits
from infra.runtime.walls.walls import Command, Outcome, Walls, WallsKind, choose_walls
from infra.service.development.containers.lines import MOST_LINE_BYTES
from infra.service.development.containers.provider import WORKER, ProviderName

ROOT = Path(__file__).resolve().parents[4]
OURS = ("schemas", "infra", "agents", "connectors", "projections", "streams")
READY_WITHIN_S = 120.0
LIFETIME_S = 4 * 3_600.0  # the driver's own limits are shorter
PIPES = ("in", "out")


class ProcessProvider:
    """``layout``: what a worker sees of this machine besides its workspace and our own code."""

    name: ProviderName = "process"
    is_tunnelled = True

    def __init__(
        self,
        layout: Layout,
        *,
        only: WallsKind | None = None,
        limits: Limits | None = None,
        worker: str = WORKER,
    ) -> None:
        code = tuple(ROOT / name for name in OURS if (ROOT / name).is_dir())
        self._layout = replace(layout, tools=(*layout.tools, *code))
        self._only: WallsKind | None = only
        self._worker = worker
        self._limits = replace(limits or Limits(), time_s=LIFETIME_S)

    def workspace_inside(self, workspace: Path) -> str:
        return os.path.realpath(workspace)

    @asynccontextmanager
    async def start(self, workspace: Path, workflow_id: str) -> AsyncIterator[_PipeChannel]:
        """A worker behind walls. Raises SandboxError; nothing runs outside of them then."""
        try:
            walls = choose_walls(self._layout, self._only)
        except WallsMissing as missing:
            raise SandboxError(str(missing)) from missing
        folder = Path(os.path.realpath(workspace)) / f".cairn-worker-{secrets.token_hex(8)}"
        pipes = _make_pipes(folder)
        running = asyncio.create_task(self._run(walls, workspace, folder))
        channel = _PipeChannel(running, pipes)
        try:
            await channel.open()
            await asyncio.to_thread(shutil.rmtree, folder, True)
            yield channel
        finally:
            running.cancel()
            await asyncio.wait((running,))
            channel.close()
            pipes.release("writing", "keep_in", "keep_out")
            await asyncio.to_thread(shutil.rmtree, folder, True)

    async def _run(self, walls: Walls, workspace: Path, folder: Path) -> Outcome:
        command = Command(
            argv=(sys.executable, "-P", "-m", self._worker, str(folder)),
            workspace=workspace,
            environ={"PYTHONPATH": str(ROOT)},
            limits=self._limits,
        )
        return await walls.run(command)


@dataclass(slots=True)
class _Pipes:
    """What the host uses, and an end of each pipe that keeps it open until both sides have it."""

    reading: int
    writing: int
    keep_in: int
    keep_out: int

    def release(self, *names: Literal["reading", "writing", "keep_in", "keep_out"]) -> None:
        for name in names:
            descriptor = getattr(self, name)
            setattr(self, name, -1)
            if descriptor >= 0:
                os.close(descriptor)


def _make_pipes(folder: Path) -> _Pipes:
    """Raises SandboxError."""
    try:
        folder.mkdir(mode=0o700)
        for name in PIPES:
            os.mkfifo(folder / name, 0o600)
        keep_in, keep_out = (os.open(folder / name, os.O_RDWR | os.O_NONBLOCK) for name in PIPES)
        writing = os.open(folder / "in", os.O_WRONLY | os.O_NONBLOCK)
        reading = os.open(folder / "out", os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise SandboxError(f"The pipes to a worker cannot be made in {folder}: {error}") from error
    os.set_blocking(writing, True)
    return _Pipes(reading, writing, keep_in, keep_out)


class _PipeChannel:
    def __init__(self, running: asyncio.Task[Outcome], pipes: _Pipes) -> None:
        self._running, self._pipes = running, pipes
        self._reader = asyncio.StreamReader(limit=MOST_LINE_BYTES)
        running.add_done_callback(lambda _: pipes.release("keep_in", "keep_out"))

    async def open(self) -> None:
        """Raises SandboxError when the walls could not be built, or the worker did not begin."""
        file = os.fdopen(self._pipes.reading, "rb", 0)
        self._pipes.reading = -1
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._reader), file
        )
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                line = await self._reader.readline()
        except TimeoutError:
            raise SandboxError(f"A worker did not begin within {READY_WITHIN_S:g} s.") from None
        if read_object(line.decode("utf-8", "replace")).get("ready") is not True:
            raise SandboxError(f"A worker could not begin: {await self._describe_end()}")
        self._pipes.release("keep_in")  # from now on a write fails where the worker has ended

    async def lines(self) -> AsyncGenerator[str, None]:
        while True:
            with suppress(ValueError):  # a line beyond the limit is passed over
                if not (line := await self._reader.readline()):
                    return
                yield line.decode("utf-8", "replace")

    async def send(self, line: str) -> None:
        content = line.encode("utf-8", "replace") + b"\n"
        with suppress(BrokenPipeError):  # that it has ended is seen by its last line
            await asyncio.to_thread(self._write, content)

    def close(self) -> None:
        self._transport.close()

    def _write(self, content: bytes) -> None:
        view = memoryview(content)
        while view:
            view = view[os.write(self._pipes.writing, view) :]

    async def _describe_end(self) -> str:
        try:
            outcome = await asyncio.shield(self._running)
        except (WallsBroken, WallsMissing, WorkspaceUnfit) as error:
            return str(error)
        return f"code {outcome.finished.code}, {outcome.finished.output[-500:]}"
