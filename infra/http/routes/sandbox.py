"""The sandbox of agents that write code, tried by hand: for the owner of the installation alone."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import OWNERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import OF_ANY
from infra.service.development import sandbox
from infra.service.development.sandbox import CommandResult, SandboxState, ToolResult

router = APIRouter(route_class=Guarded, tags=["Development"])

Folder = Annotated[str, Field(min_length=1, max_length=4_000)]
ToolName = Annotated[str, Path(max_length=100)]


class SandboxCommand(BaseModel):
    """``workspace``: a folder of the service's machine; without it the command gets an empty one.
    Without ``layers`` a shell runs the command, behind the walls alone.
    """

    model_config = ConfigDict(extra="forbid")

    command: str = Field(min_length=1, max_length=20_000)
    workspace: Folder | None = None
    layers: bool = True


class SandboxToolCall(BaseModel):
    """``arguments`` as a model would give them."""

    model_config = ConfigDict(extra="forbid")

    workspace: Folder
    arguments: dict[str, Any] = {}


@router.get("/v1/dev/sandbox", responses=OF_ANY)
@allow(*OWNERS, everywhere=True, at_home=True)
async def check_sandbox(api: ApiDep) -> SandboxState:
    """Try the walls around commands now: which there are, and what a canary could not do."""
    return await sandbox.check_sandbox(api.settings)


@router.post("/v1/dev/sandbox/run", responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def run_in_sandbox(
    api: ApiDep, caller: CallerDep, write: WriteDep, body: SandboxCommand
) -> CommandResult:
    """Run a command as an agent would. A refusal is an answer, and an event on `workflow.v1`."""
    return await sandbox.run_command(
        api.settings,
        body.command,
        actor=caller.name,
        key=write.key,
        workspace=FilePath(body.workspace) if body.workspace else None,
        layers=body.layers,
    )


@router.post("/v1/dev/sandbox/tools/{tool}", responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def call_sandbox_tool(
    api: ApiDep, caller: CallerDep, write: WriteDep, tool: ToolName, body: SandboxToolCall
) -> ToolResult:
    """Call a tool of agents on a workspace, as a model would."""
    return await sandbox.call_tool(
        api.settings,
        tool,
        body.arguments,
        workspace=FilePath(body.workspace),
        actor=caller.name,
        key=write.key,
    )
