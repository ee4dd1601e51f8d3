"""Create, list, read, rename and delete projects."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import EVERYONE, LEADERS, Guarded, allow
from infra.http.api import Api, ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Named, Project
from infra.platform.errors import Invalid, NotFound
from infra.service.projects import projects
from projections.read import projects as projects_read
from projections.read.page import Page
from projections.read.projects import Project as ProjectView

router = APIRouter(route_class=Guarded, tags=["Projects"])


class ProjectRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)


@router.get("/v1/projects", responses=OF_ANY)
@allow(*EVERYONE)
async def list_projects(
    api: ApiDep,
    caller: CallerDep,
    name: Named = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[ProjectView]:
    """The projects of the token by name; ``name``: only those that are called so."""
    return await api.tables.ask(
        projects_read.list_projects, only=caller.projects, name=name, cursor=cursor, limit=limit
    )


@router.post("/v1/projects", status_code=201, responses=OF_ANY)
@allow(*LEADERS, writes=True, everywhere=True)
async def create_project(
    api: ApiDep, caller: CallerDep, write: WriteDep, wanted: ProjectRequest
) -> ProjectView:
    """Create a project; it can be used when the answer is there."""
    made = await projects.create_project(
        api.settings, wanted.name, actor=caller.name, key=write.key
    )
    found = (await api.tables.ask(projects_read.list_projects, only=[made.project_id])).items[0]
    if found.name != wanted.name:
        raise Invalid(
            "This idempotency key has made another project: take a new one.",
            code="idempotency_key_reused",
        )
    return found


@router.patch("/v1/projects/{project}", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def rename_project(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, wanted: ProjectRequest
) -> ProjectView:
    """Give a project another name; its id, and all that leads to it, stays."""
    await projects.rename_project(
        api.settings, project, wanted.name, actor=caller.name, key=write.key
    )
    return await _read(api, project)


@router.delete("/v1/projects/{project}", status_code=204, responses=OF_ANY)
@allow("owner", writes=True)
async def delete_project(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    name: Annotated[
        str, Query(max_length=200, description="The name of the project, to confirm it.")
    ],
) -> None:
    """Hide a project for good and erase its keys; owner only, and `name` has to be its name.

    Its jobs, runs, schedules and connectors end. From then on it answers as one that does not
    exist. Its facts stay on the log; what was encrypted of them can be read no more.
    """
    await projects.delete_project(api.settings, project, name, actor=caller.name, key=write.key)
    api.forget_project(project)


@router.get("/v1/projects/{project}", responses=OF_ANY)
@allow(*EVERYONE)
async def read_project(api: ApiDep, project: Project) -> ProjectView:
    """A project with the numbers of its sources and live atoms."""
    return await _read(api, project)


async def _read(api: Api, project: str) -> ProjectView:
    """Raises NotFound for one that was deleted just now."""
    found = await api.tables.ask(projects_read.list_projects, only=[project])
    if not found.items:
        raise NotFound(f"There is no project {project}.", code="unknown_project")
    return found.items[0]
