"""Tasks as people make and change them, and the tools by which agents do."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import EVERYONE, WRITERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import OF_ANY, Id, Project, Seen, Sentences, Title, Version
from infra.service.asking.agent_tools import AgentTool
from infra.service.asking.agent_tools import list_agent_tools as list_tools
from infra.service.planning import tasks
from infra.service.planning.item_changes import ItemRequest
from infra.service.reading.queries import ReportItem
from schemas.events.artifact_parts import TaskStatus

router = APIRouter(route_class=Guarded, tags=["Tasks"])
TaskId = Annotated[str, Path(max_length=100)]


class TaskChoices(BaseModel):
    """``sections`` are sentences by section id: ``description``, ``solutions``,
    ``acceptance_criteria``. All of them cite ``atom_ids``. ``sprint_id`` is the sprint to move it
    into; empty: the plan chooses again. What is left out stays.
    """

    model_config = ConfigDict(extra="forbid")

    sections: Annotated[dict[Id, Sentences], Field(max_length=3)] = {}
    atom_ids: Annotated[list[Id], Field(max_length=50)] = []
    assignee_id: Id | None = None
    sprint_id: Id | None = None
    estimate_points: Annotated[int, Field(ge=0, le=100)] | None = None
    required_skills: Annotated[list[Title], Field(max_length=10)] | None = None
    status: TaskStatus | None = None


class NewTask(TaskChoices):
    title: Title
    feature_id: Id | None = None


class ChangedTask(TaskChoices):
    """``expected_version`` is the one that you have seen."""

    title: Title | None = None
    expected_version: Version


@router.get("/v1/agents/tools", responses=OF_ANY)
@allow(*EVERYONE)
async def list_agent_tools(api: ApiDep) -> list[AgentTool]:
    """The tools of the assistant, with the arguments that each one takes."""
    return await list_tools(api.settings)


@router.post("/v1/projects/{project}/tasks", status_code=201, responses=OF_ANY)
@allow(*WRITERS, writes=True)
async def create_task(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: NewTask
) -> ReportItem:
    """Make a task in your own words; plans follow, and no later run overwrites it."""
    told = tasks.TaskText(**body.model_dump())
    return await tasks.create_task(api.settings, project, told, actor=caller.name, key=write.key)


@router.patch("/v1/projects/{project}/tasks/{task_id}", responses=OF_ANY)
@allow(*WRITERS, writes=True)
async def update_task(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    task_id: TaskId,
    body: ChangedTask,
) -> ReportItem:
    """Change a task, also one that rules have made; what is left out follows the rules."""
    told = tasks.TaskText(**body.model_dump(exclude={"expected_version"}))
    request = ItemRequest(project, "update", told, task_id, body.expected_version, write.key)
    return await tasks.change_task(api.settings, request, actor=caller.name)


@router.delete("/v1/projects/{project}/tasks/{task_id}", status_code=204, responses=OF_ANY)
@allow(*WRITERS, writes=True)
async def delete_task(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    task_id: TaskId,
    expected_version: Seen,
) -> None:
    """Delete a task; it does not come again."""
    request = ItemRequest(project, "delete", tasks.TaskText(), task_id, expected_version, write.key)
    await tasks.change_task(api.settings, request, actor=caller.name)
