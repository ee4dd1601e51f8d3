"""What the assistant remembers for whoever asks, and the workflows that they have named."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import OBSERVERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit
from infra.service.assistant import memories, workflows
from infra.service.assistant.memories import namespace_of
from projections.read import memories as read
from projections.read.memories import MemoryRecord, NamedWorkflow
from projections.read.page import Page

router = APIRouter(route_class=Guarded, tags=["Assistant"])
MemoryId = Annotated[str, Path(max_length=100)]
WorkflowName = Annotated[str, Path(max_length=100)]
Of = Annotated[
    Literal["me", "agents"],
    Query(description="Whose: `me`, or the skills that the `agents` have learnt, for all users."),
]


class MemoryText(BaseModel):
    """What is to be remembered. It is kept on one line, without secrets."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=4_000)


class Forgotten(BaseModel):
    """How many memories were forgotten, those that others had replaced included."""

    memories: int


class WorkflowText(BaseModel):
    """A prompt, and the names of the tools that it may use; without any: all tools."""

    model_config = ConfigDict(extra="forbid")

    prompt: str = Field(min_length=1, max_length=workflows.LONGEST_PROMPT)
    tools: list[Annotated[str, Field(max_length=100)]] = Field([], max_length=workflows.MOST_TOOLS)


@router.get("/v1/memories", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_memories(
    api: ApiDep,
    caller: CallerDep,
    of: Of = "me",
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[MemoryRecord]:
    """What is remembered: your own memories, newest first, or skills by agent."""
    if of == "agents":
        return await api.tables.ask(read.list_skills, caller.viewer, cursor=cursor, limit=limit)
    return await api.tables.ask(
        read.list_memories, namespace_of(caller), caller.viewer, cursor=cursor, limit=limit
    )


@router.post("/v1/memories", status_code=201, responses=OF_ANY)
@allow(*OBSERVERS, writes=True)
async def add_memory(api: ApiDep, caller: CallerDep, body: MemoryText) -> MemoryRecord:
    """Have something remembered; what is remembered already is answered as it is."""
    return await memories.add_memory(api.settings, caller, body.text)


@router.patch("/v1/memories/{memory_id}", responses=OF_ANY)
@allow(*OBSERVERS, writes=True)
async def edit_memory(
    api: ApiDep, caller: CallerDep, write: WriteDep, memory_id: MemoryId, body: MemoryText
) -> MemoryRecord:
    """Put other words in the place of a memory. Owners of all projects also change skills."""
    return await memories.edit_memory(api.settings, caller, memory_id, body.text, key=write.key)


@router.delete("/v1/memories/{memory_id}", status_code=204, responses=OF_ANY)
@allow(*OBSERVERS, writes=True)
async def forget_memory(
    api: ApiDep, caller: CallerDep, write: WriteDep, memory_id: MemoryId
) -> None:
    """Forget a memory, and what it had replaced. Owners of all projects also forget skills."""
    await memories.forget_memory(api.settings, caller, memory_id, key=write.key)


@router.delete("/v1/memories", responses=OF_ANY)
@allow(*OBSERVERS, writes=True)
async def forget_memories(api: ApiDep, caller: CallerDep, write: WriteDep) -> Forgotten:
    """Forget all that is remembered of you."""
    count = await memories.forget_memories(api.settings, caller, key=write.key)
    return Forgotten(memories=count)


@router.get("/v1/assistant/workflows", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_named_workflows(
    api: ApiDep, caller: CallerDep, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[NamedWorkflow]:
    """Your workflows by name."""
    owner = namespace_of(caller)
    return await api.tables.ask(read.list_workflows, owner, cursor=cursor, limit=limit)


@router.get("/v1/assistant/workflows/{workflow}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_named_workflow(
    api: ApiDep, caller: CallerDep, workflow: WorkflowName
) -> NamedWorkflow:
    """One of your workflows."""
    return await api.tables.ask(read.read_workflow, namespace_of(caller), workflow)


@router.put("/v1/assistant/workflows/{workflow}", responses=OF_ANY)
@allow(*OBSERVERS, writes=True)
async def save_named_workflow(
    api: ApiDep, caller: CallerDep, write: WriteDep, workflow: WorkflowName, body: WorkflowText
) -> NamedWorkflow:
    """Keep a workflow under a name; one that has it is replaced."""
    return await workflows.save_workflow(
        api.settings, caller, workflow, body.prompt, body.tools, key=write.key
    )


@router.delete("/v1/assistant/workflows/{workflow}", status_code=204, responses=OF_ANY)
@allow(*OBSERVERS, writes=True)
async def remove_named_workflow(
    api: ApiDep, caller: CallerDep, write: WriteDep, workflow: WorkflowName
) -> None:
    """Keep a workflow no more."""
    await workflows.remove_workflow(api.settings, caller, workflow, key=write.key)
