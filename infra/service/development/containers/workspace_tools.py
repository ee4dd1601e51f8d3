"""The tools of a worker: those of every developer, in the walls around the worker itself."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from agents.development.errors import SandboxError
from agents.development.ports import Toolbox, ToolDescription, ToolOutcome
from agents.development.tools.ports import CommandOutcome
from agents.development.tools.toolbox import WorkspaceTools
from infra.runtime.walls.excerpt import Excerpt
from infra.runtime.walls.files import Files
from infra.runtime.walls.limits import DEFAULT_LIMITS, Limits
from infra.service.development.containers.lines import WorkerRequest

READ_BYTES = 1 << 16
NOT_STARTED = 127


class InnerRunner:
    """Runs commands beside the worker; the container is what holds them."""

    def __init__(self, workspace: Path, limits: Limits = DEFAULT_LIMITS) -> None:
        self._workspace, self._limits = workspace, limits

    async def run(self, argv: Sequence[str]) -> CommandOutcome:
        """Raises SandboxError when nothing ran."""
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                cwd=self._workspace,
                start_new_session=True,
            )
        except FileNotFoundError:
            return CommandOutcome(NOT_STARTED, f"There is no program {argv[0]}.")
        except (OSError, ValueError) as error:
            raise SandboxError(f"{argv[0]} cannot be started: {error}") from error
        excerpt, limit = Excerpt(self._limits.output_chars), None
        try:
            async with asyncio.timeout(self._limits.time_s):
                await _read(process, excerpt)
        except TimeoutError:
            limit = "time"
        finally:
            _kill_group(process.pid)
            await process.wait()
        excerpt.feed(b"", is_last=True)
        code = process.returncode if process.returncode is not None else -1
        return CommandOutcome(code if code >= 0 else 128 - code, excerpt.text, limit)


class WatchedTools:
    """Tools that tell the host of each call that a rule has refused."""

    def __init__(self, tools: Toolbox, tell: Callable[[str, str, str], Awaitable[None]]) -> None:
        self._inner, self._tell = tools, tell

    @property
    def tools(self) -> Sequence[ToolDescription]:
        return self._inner.tools

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        outcome = await self._inner.call(name, arguments)
        if outcome.layer is not None:
            await self._tell(name, outcome.layer, outcome.text)
        return outcome


def make_worker_toolbox(request: WorkerRequest) -> Toolbox:
    workspace = Path(request.workspace)
    return WorkspaceTools(
        Files(workspace), InnerRunner(workspace), allowlist=request.allowlist or None
    )


async def _read(process: asyncio.subprocess.Process, excerpt: Excerpt) -> None:
    assert process.stdout
    while piece := await process.stdout.read(READ_BYTES):
        excerpt.feed(piece)
    await process.wait()


def _kill_group(pid: int) -> None:
    """What has left the group ends with the container."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
