"""Ingestion runs: how far they are, what they chose, what they changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from infra.errors import NotFound
from infra.http.access import OBSERVERS, Guarded, allow
from infra.http.api import Api, ApiDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Named, Project
from infra.service import http_questions as ask
from infra.service.http_questions import Batch, DeltaReport, Page, Run

router = APIRouter(route_class=Guarded, tags=["Runs"])
RunId = Annotated[str, Path(max_length=100)]


@router.get("/v1/projects/{project}/ingestion-runs", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_runs(
    api: ApiDep,
    project: Project,
    trigger_key: Named = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Run]:
    """Runs, oldest first."""
    return await api.tables.ask(ask.list_runs, project, trigger_key, cursor=cursor, limit=limit)


@router.get("/v1/projects/{project}/ingestion-runs/{run_id}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_run(api: ApiDep, project: Project, run_id: RunId) -> Run:
    """A run with what it has done so far."""
    return await find_run(api, project, run_id)


@router.get("/v1/projects/{project}/ingestion-runs/{run_id}/report", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_run_report(api: ApiDep, project: Project, run_id: RunId) -> DeltaReport:
    """What had changed for the run, and what it read and wrote again."""
    await find_run(api, project, run_id)
    return await api.tables.ask(ask.read_report, run_id)


@router.get("/v1/projects/{project}/next-batch-hint", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_next_batches(api: ApiDep, project: Project, run_id: Named = None) -> list[Batch]:
    """The last batch of each run, newest run first, and the ranking behind the choice."""
    return await api.tables.ask(ask.last_batches, project, run_id)


async def find_run(api: Api, project: str, run_id: str) -> Run:
    """Raises NotFound when the project has no such run."""
    found = await api.tables.ask(ask.list_runs, project, run_id=run_id)
    if not found.items:
        raise NotFound(f"There is no run {run_id}.", code="unknown_run")
    return found.items[0]
