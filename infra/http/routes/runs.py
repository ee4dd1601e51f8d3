"""Ingestion runs: how far they are, what they chose, what they changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, MOVERS, OBSERVERS, Guarded, allow
from infra.http.api import Api, ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Named, Project
from infra.platform.errors import NotFound
from infra.service.ingesting import runs as service
from infra.service.ingesting.runs import AcceptedRemovals, RunRequest
from projections.read import batches, deltas, runs
from projections.read.batches import Batch, RunBatch
from projections.read.deltas import DeltaReport
from projections.read.page import Page
from projections.read.runs import Run

router = APIRouter(route_class=Guarded, tags=["Runs"])
RunId = Annotated[str, Path(max_length=100)]


class Cancellation(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: str = Field("", max_length=1_000)


class Resumption(BaseModel):
    """``retry_poison``: also what the run gave up."""

    model_config = ConfigDict(extra="forbid")

    retry_poison: bool = False


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
    return await api.tables.ask(runs.list_runs, project, trigger_key, cursor=cursor, limit=limit)


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
    return await api.tables.ask(deltas.read_delta_report, run_id)


@router.get("/v1/projects/{project}/ingestion-runs/{run_id}/batches", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_batches(
    api: ApiDep,
    project: Project,
    run_id: RunId,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[RunBatch]:
    """The batches of a run in order, with what each of them brought."""
    await find_run(api, project, run_id)
    return await api.tables.ask(batches.list_batches, project, run_id, cursor=cursor, limit=limit)


@router.get("/v1/projects/{project}/next-batch-hint", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_next_batches(api: ApiDep, project: Project, run_id: Named = None) -> list[Batch]:
    """The last batch of each run, newest run first, and the ranking behind the choice."""
    return await api.tables.ask(batches.list_last_batches, project, run_id)


@router.post(
    "/v1/projects/{project}/ingestion-runs/{run_id}/cancel", status_code=202, responses=OF_ANY
)
@allow(*MOVERS, writes=True)
async def cancel_run(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    run_id: RunId,
    body: Cancellation | None = None,
) -> RunRequest:
    """End a run at its next batch border; what it has not read stays to be read."""
    await find_run(api, project, run_id)
    reason = body.reason if body else ""
    return await service.cancel_run(
        api.settings, run_id, actor=caller.name, key=write.key, reason=reason
    )


@router.post(
    "/v1/projects/{project}/ingestion-runs/{run_id}/resume", status_code=202, responses=OF_ANY
)
@allow(*MOVERS, writes=True)
async def resume_run(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    run_id: RunId,
    body: Resumption | None = None,
) -> RunRequest:
    """Begin a new run over what an ended run left."""
    await find_run(api, project, run_id)
    retry = body.retry_poison if body else False
    return await service.resume_run(
        api.settings, run_id, actor=caller.name, key=write.key, retry_poison=retry
    )


@router.post(
    "/v1/projects/{project}/ingestion-runs/{run_id}/accept-removals",
    status_code=202,
    responses=OF_ANY,
)
@allow(*LEADERS, writes=True)
async def accept_removals(
    api: ApiDep, caller: CallerDep, project: Project, run_id: RunId
) -> AcceptedRemovals:
    """Remove the sources whose removal a run has blocked because they were too many."""
    await find_run(api, project, run_id)
    return await service.accept_removals(api.settings, project, run_id, actor=caller.name)


async def find_run(api: Api, project: str, run_id: str) -> Run:
    """Raises NotFound when the project has no such run."""
    found = await api.tables.ask(runs.list_runs, project, run_id=run_id)
    if not found.items:
        raise NotFound(f"There is no run {run_id}.", code="unknown_run")
    return found.items[0]
