"""Commands and tools of agents behind walls: the ports of ``agents.development`` with real parts.

Walls are tried by a canary before the first command of a process. Whatever is refused, by a layer
of the shell, by a path or by the walls, is an event on ``workflow.v1``; a call outside of a
workflow has an id of its own.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from agents.development.errors import SandboxError, SecurityError
from agents.development.ports import ToolOutcome
from agents.development.shell.layers import check_command
from agents.development.tools.arguments import ARGUMENTS, DEVELOPER_TOOLS
from agents.development.tools.ports import CommandOutcome
from agents.development.tools.toolbox import WorkspaceTools
from infra.platform.errors import NotFound
from infra.platform.settings import Settings
from infra.runtime.walls.canary import build_walls
from infra.runtime.walls.errors import WallsBroken, WallsMissing, WorkspaceUnfit
from infra.runtime.walls.files import Files
from infra.runtime.walls.git import GitFailed
from infra.runtime.walls.layout import Layout, layout_of_this_machine
from infra.runtime.walls.limits import DEFAULT_LIMITS, Limits
from infra.runtime.walls.running import Finished
from infra.runtime.walls.walls import Command, Walls, WallsKind
from infra.runtime.walls.workspace import remove_trees
from infra.service.foundation.publishing import make_request, publish
from schemas.envelope import SERVICE_WIDE
from schemas.events.workflow import SecurityRefused
from schemas.ids import workflow_id
from schemas.shortening import shorten

LONGEST_ARGUMENT = 500
SHELL = ("/bin/sh", "-c")
WALLS_REFUSE = (WallsBroken, WallsMissing, WorkspaceUnfit, GitFailed)
_TRIED: dict[Layout, Walls] = {}  # the walls of this process, behind their canary


class SandboxRefusal(BaseModel):
    """``layer``: metacharacters, blocklist, patterns, allowlist, path or sandbox."""

    layer: str
    reason: str
    workflow_id: str


class CommandResult(BaseModel):
    """What a command has led to. ``refusal``: it did not run, and why.

    ``limit`` names what ended it; ``removed`` git directories that it had made in the workspace.
    """

    refusal: SandboxRefusal | None = None
    walls: WallsKind | None = None
    code: int | None = None
    output: str = ""
    left_out_chars: int = 0
    limit: str | None = None
    removed: list[str] = []


class ToolResult(BaseModel):
    text: str
    is_error: bool
    refusal: SandboxRefusal | None = None


class WallsCheck(BaseModel):
    """One thing that was tried from inside. ``holds``: it was stopped."""

    name: str
    holds: bool
    finding: str


class SandboxState(BaseModel):
    """Which walls commands run behind, and what the canary has shown just now."""

    walls: WallsKind
    checks: list[WallsCheck]


class WallsRunner:
    """Runs the commands of one workspace; ``agents.development.tools.ports.CommandRunner``."""

    def __init__(
        self,
        walls: Walls,
        workspace: Path,
        git_dir: Path | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._walls, self._workspace = walls, workspace
        self._git_dir, self._limits = git_dir, limits

    async def run(self, argv: Sequence[str]) -> CommandOutcome:
        command = Command(tuple(argv), self._workspace, self._git_dir, limits=self._limits)
        try:
            outcome = await self._walls.run(command)
        except WALLS_REFUSE as error:
            raise SandboxError(str(error)) from error
        finished = outcome.finished
        return CommandOutcome(finished.code, _output(finished, outcome.removed), finished.limit)


async def open_walls(settings: Settings) -> Walls:
    """The walls of this machine; a canary has proven them once in this process.

    Raises WallsMissing and WallsBroken.
    """
    layout = layout_of(settings)
    if layout not in _TRIED:
        _TRIED[layout], _ = await build_walls(layout)
    return _TRIED[layout]


async def make_toolbox(
    settings: Settings,
    workspace: Path,
    *,
    git_dir: Path | None = None,
    tools: Sequence[str] = DEVELOPER_TOOLS,
    allowlist: Sequence[str] | None = None,
) -> WorkspaceTools:
    """The tools of one workspace. Raises SandboxError when there are no walls."""
    try:
        walls = await open_walls(settings)
        runner = WallsRunner(walls, workspace, git_dir)
        return WorkspaceTools(Files(workspace), runner, tools, allowlist)
    except WALLS_REFUSE as error:
        raise SandboxError(str(error)) from error


async def check_sandbox(settings: Settings) -> SandboxState:
    """Try the walls of this machine now. Raises WallsMissing and WallsBroken."""
    walls, checks = await build_walls(layout_of(settings))
    return SandboxState(
        walls=walls.kind,
        checks=[WallsCheck(name=it.name, holds=it.holds, finding=it.finding) for it in checks],
    )


async def run_command(
    settings: Settings,
    command: str,
    *,
    actor: str,
    key: str,
    workspace: Path | None = None,
    layers: bool = True,
) -> CommandResult:
    """Run a command as an agent would. Without ``layers`` a shell runs it, still behind the walls.

    Without a workspace it gets an empty one, which is gone afterwards. Raises BrokerUnavailable
    when a refusal cannot be recorded.
    """
    place = workflow_id(SERVICE_WIDE, key)
    try:
        argv = check_command(command) if layers else (*SHELL, command)
        async with _workspace_of(workspace) as folder:
            walls = await open_walls(settings)
            outcome = await walls.run(Command(argv, folder))
    except SecurityError as error:
        refusal = SandboxRefusal(layer=error.layer, reason=str(error), workflow_id=place)
    except WALLS_REFUSE as error:
        layer = "path" if isinstance(error, WorkspaceUnfit) else "sandbox"
        refusal = SandboxRefusal(layer=layer, reason=str(error), workflow_id=place)
    else:
        finished = outcome.finished
        return CommandResult(
            walls=walls.kind,
            code=finished.code,
            output=finished.output,
            left_out_chars=finished.left_out_chars,
            limit=finished.limit,
            removed=list(outcome.removed),
        )
    await record_refusal(settings, refusal, tool="bash", argument=command, actor=actor)
    return CommandResult(refusal=refusal)


async def call_tool(
    settings: Settings,
    tool: str,
    arguments: Mapping[str, Any],
    *,
    workspace: Path,
    actor: str,
    key: str,
) -> ToolResult:
    """Call a tool as an agent would. Raises NotFound for one that is not there."""
    if tool not in ARGUMENTS:
        names = ", ".join(sorted(ARGUMENTS))
        raise NotFound(f"There is no tool {tool}: there are {names}.", code="unknown_tool")
    try:
        box = await make_toolbox(settings, workspace, tools=tuple(ARGUMENTS))
        outcome = await box.call(tool, arguments)
    except SandboxError as error:
        outcome = ToolOutcome(str(error), is_error=True, layer="sandbox")
    if outcome.layer is None:
        return ToolResult(text=outcome.text, is_error=outcome.is_error)
    refusal = SandboxRefusal(
        layer=outcome.layer, reason=outcome.text, workflow_id=workflow_id(SERVICE_WIDE, key)
    )
    argument = str(arguments.get("command") or arguments.get("path") or dict(arguments))
    await record_refusal(settings, refusal, tool=tool, argument=argument, actor=actor)
    return ToolResult(text=outcome.text, is_error=True, refusal=refusal)


async def record_refusal(
    settings: Settings, refusal: SandboxRefusal, *, tool: str, argument: str, actor: str
) -> None:
    """The refusal of a call outside of a workflow is a fact. Raises BrokerUnavailable."""
    fact = SecurityRefused(
        workflow_id=refusal.workflow_id,
        ordinal=0,
        layer=refusal.layer,
        tool=tool,
        argument=shorten(argument, LONGEST_ARGUMENT),
        reason=refusal.reason,
    )
    await publish(settings, [make_request(fact, SERVICE_WIDE, actor)])


def layout_of(settings: Settings) -> Layout:
    """What commands see of this machine: never the files of the installation."""
    files = (
        *(settings.vault_key_file, settings.models, settings.token_file),
        *(settings.stream_key_file, settings.kafka_sasl_password_file),
        settings.oidc_client_secret_file,
    )
    return layout_of_this_machine([settings.home, *(each for each in files if each)])


@asynccontextmanager
async def _workspace_of(folder: Path | None) -> AsyncIterator[Path]:
    if folder is not None:
        yield folder
        return
    scratch = await asyncio.to_thread(tempfile.mkdtemp, prefix="cairn-scratch-")
    try:
        yield Path(scratch)
    finally:
        await asyncio.to_thread(remove_trees, scratch)


def _output(finished: Finished, removed: Sequence[str]) -> str:
    if not removed:
        return finished.output
    names = ", ".join(removed[:10])
    return f"{finished.output}\nRemoved again: {names}. Cairn keeps git's directory itself."
