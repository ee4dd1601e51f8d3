"""Create, list and read projects."""

from __future__ import annotations

from fastapi import APIRouter

from infra.http.access import EVERYONE, Guarded, allow
from infra.http.api import ApiDep, CallerDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Named, Project
from infra.service import http_questions as ask
from infra.service.http_questions import Page
from infra.service.http_questions import Project as ProjectView

router = APIRouter(route_class=Guarded, tags=["Projects"])


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
        ask.list_projects, only=caller.projects, name=name, cursor=cursor, limit=limit
    )


@router.get("/v1/projects/{project}", responses=OF_ANY)
@allow(*EVERYONE)
async def read_project(api: ApiDep, project: Project) -> ProjectView:
    """A project with the numbers of its sources and live atoms."""
    found = await api.tables.ask(ask.list_projects, only=[project])
    return found.items[0]
