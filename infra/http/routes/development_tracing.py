"""Where code comes from, and what rests on statements that hold no more."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import READERS, Guarded, allow, check_at_home
from infra.http.api import Api, ApiDep, CallerDep
from infra.http.parameters import OF_ANY
from infra.service.development.blame import Blame, CodeLine, blame_line
from infra.store.tokens import Caller
from projections.read.workflow_blame import StaleRun, list_stale_runs

router = APIRouter(route_class=Guarded, tags=["Workflows"])
MOST_STALE = 200


class LineOfCode(BaseModel):
    """``repository`` is a folder of the service's machine that a workflow has worked on, ``path``
    that of a file in it, ``line`` counts from 1.
    """

    model_config = ConfigDict(extra="forbid")

    repository: str = Field(min_length=1, max_length=4_000)
    path: str = Field(min_length=1, max_length=4_000)
    line: int = Field(ge=1, le=10_000_000)


class StaleRuns(BaseModel):
    runs: list[StaleRun]


@router.post("/v1/dev/blame", responses=OF_ANY)
@allow(*READERS)
async def blame(api: ApiDep, caller: CallerDep, body: LineOfCode) -> Blame:
    """What a line of code rests on: its commit, the workflows behind that, and the statements and
    sources that they started from.
    """
    check_at_home(caller)
    where = CodeLine(body.repository, body.path, body.line)
    return await blame_line(api.settings, where, _projects_of(caller))


@router.get("/v1/dev/stale", responses=OF_ANY)
@allow(*READERS)
async def list_stale(
    api: ApiDep,
    caller: CallerDep,
    project: Annotated[str | None, Query(max_length=200)] = None,
) -> StaleRuns:
    """Workflows, under way or done, with their commits, that rest on statements which were
    replaced, withdrawn or dismissed since; at most 200.
    """
    projects = _projects_of(caller)
    if project is not None:
        projects = [await _find_project(api, caller, project)]
    return StaleRuns(runs=await api.tables.ask(list_stale_runs, projects, MOST_STALE))


def _projects_of(caller: Caller) -> list[str] | None:
    return None if caller.projects is None else sorted(caller.projects)


async def _find_project(api: Api, caller: Caller, project: str) -> str:
    await api.check_project(project, caller)
    return project
