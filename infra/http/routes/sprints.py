"""Sprints as people make, change and close them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, OBSERVERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import OF_ANY, Day, Project, Seen, Title, Version
from infra.platform.clock import SystemClock
from infra.service.planning import sprints
from infra.service.planning.item_changes import ItemRequest
from infra.service.reading import queries as ask
from infra.service.reading.queries import Burndown, ReportItem

router = APIRouter(route_class=Guarded, tags=["Sprints"])
SprintId = Annotated[str, Path(max_length=100)]


class SprintChoices(BaseModel):
    """Both days are in the sprint; ``capacity_points`` is what the team can do in it. What is left
    out follows the plan.
    """

    model_config = ConfigDict(extra="forbid")

    start_date: Day | None = None
    end_date: Day | None = None
    capacity_points: Annotated[int, Field(ge=0, le=10_000)] | None = None


class NewSprint(SprintChoices):
    goal: Title


class ChangedSprint(SprintChoices):
    """``is_closed``: what is done stays in it, the rest goes to later sprints; false opens it
    again. ``expected_version`` is the one that you have seen.
    """

    goal: Title | None = None
    is_closed: bool | None = None
    expected_version: Version


@router.post("/v1/projects/{project}/sprints", status_code=201, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def create_sprint(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: NewSprint
) -> ReportItem:
    """Make a sprint behind the last one; the plan fills it."""
    told = sprints.SprintText(**body.model_dump())
    return await sprints.create_sprint(
        api.settings, project, told, actor=caller.name, key=write.key
    )


@router.patch("/v1/projects/{project}/sprints/{sprint_id}", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def update_sprint(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    sprint_id: SprintId,
    body: ChangedSprint,
) -> ReportItem:
    """Change or close a sprint; tasks are moved by changing the task."""
    told = sprints.SprintText(**body.model_dump(exclude={"expected_version"}))
    request = ItemRequest(project, "update", told, sprint_id, body.expected_version, write.key)
    return await sprints.change_sprint(api.settings, request, actor=caller.name)


@router.delete("/v1/projects/{project}/sprints/{sprint_id}", status_code=204, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def delete_sprint(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    sprint_id: SprintId,
    expected_version: Seen,
) -> None:
    """Delete a sprint; its tasks go to other sprints."""
    request = ItemRequest(
        project, "delete", sprints.SprintText(), sprint_id, expected_version, write.key
    )
    await sprints.change_sprint(api.settings, request, actor=caller.name)


@router.get("/v1/projects/{project}/sprints/{sprint_id}/burndown", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_burndown(api: ApiDep, project: Project, sprint_id: SprintId) -> Burndown:
    """What was left of a sprint at the end of each day, and what came and went meanwhile."""
    return await api.tables.ask(ask.read_burndown, project, sprint_id, SystemClock().now())
