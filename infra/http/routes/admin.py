"""What an operator does with the log and the tables: check, fold again, replay, compare.

What takes long is a job: the answer is the job, and `GET /v1/jobs/{job_id}` tells its result.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, OBSERVERS, OPERATORS, OWNERS, Guarded, allow
from infra.http.api import Api, ApiDep, CallerDep, Write, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project
from infra.http.routes.jobs import NewJob
from infra.platform.errors import Invalid, NotFound
from infra.service.jobs.jobs import JobRequest, cancel_job, enqueue_job, retry_job
from infra.service.upkeep.administration import ProjectionPosition, list_folded
from infra.service.upkeep.audit import hash_tables
from infra.store.tokens import Caller
from projections.read.jobs import Job, Transition, list_jobs, list_transitions, read_job
from projections.read.page import Page
from schemas.envelope import SERVICE_WIDE
from schemas.events.job import JobStatus, JobType

router = APIRouter(route_class=Guarded, tags=["Administration"])
JobId = Annotated[str, Path(max_length=100)]


class RebuildRequest(BaseModel):
    """``table``: only this one. ``accept_smaller``: also where a damaged log holds less."""

    model_config = ConfigDict(extra="forbid")

    table: Annotated[str, Field(max_length=100)] | None = None
    accept_smaller: bool = False


class ReplayRequest(BaseModel):
    """The ledger of a project up to a moment: a sequence number, a time, or its end."""

    model_config = ConfigDict(extra="forbid")

    project: str = Field(max_length=100)
    as_of_seq: int | None = Field(None, ge=0, le=2**63 - 1)
    as_of: AwareDatetime | None = None


@router.post("/v1/admin/rebuild", status_code=202, responses=OF_ANY)
@allow(*OPERATORS, writes=True, everywhere=True)
async def rebuild_tables(
    api: ApiDep, caller: CallerDep, write: WriteDep, body: RebuildRequest | None = None
) -> Job:
    """Fold the log again and correct the tables that differ; they stay readable meanwhile."""
    payload = (body or RebuildRequest()).model_dump(exclude_defaults=True)
    return await _enqueue(api, caller, write, JobRequest("rebuild", payload=payload))


@router.post("/v1/admin/verify-log", status_code=202, responses=OF_ANY)
@allow(*OPERATORS, writes=True, everywhere=True)
async def verify_log(api: ApiDep, caller: CallerDep, write: WriteDep) -> Job:
    """Check every record: places, schemas, ids, hashes, sequences, quotes, citations."""
    return await _enqueue(api, caller, write, JobRequest("verify_log"))


@router.post("/v1/admin/replay", status_code=202, responses=OF_ANY)
@allow(*OPERATORS, writes=True)
async def replay_ledger(
    api: ApiDep, caller: CallerDep, write: WriteDep, body: ReplayRequest
) -> Job:
    """Fold a ledger again beside the tables, and count the rows that differ from now."""
    await api.check_project(body.project, caller)
    if body.as_of_seq is not None and body.as_of is not None:
        raise Invalid("Give a sequence number or a time, not both.", code="moment_ambiguous")
    payload = body.model_dump(mode="json", exclude={"project"}, exclude_none=True)
    return await _enqueue(api, caller, write, JobRequest("replay", body.project, payload))


@router.get("/v1/admin/projections", responses=OF_ANY)
@allow(*OPERATORS, everywhere=True)
async def list_projections(api: ApiDep) -> list[ProjectionPosition]:
    """How far the tables hold each partition of the log."""
    return await list_folded(api.settings, api.tables)


@router.get("/v1/projects/{project}/checksums", responses=OF_ANY)
@allow(*OPERATORS)
async def read_checksums(api: ApiDep, project: Project) -> dict[str, str]:
    """SHA-256 of each table of a project, once the tables hold all that the log holds now."""
    return await hash_tables(api.settings, project)


@router.get("/v1/jobs", responses=OF_ANY)
@allow(*OPERATORS, everywhere=True)
async def list_all_jobs(
    api: ApiDep,
    status: JobStatus | None = None,
    job_type: JobType | None = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Job]:
    """The jobs of all projects and of the service as a whole, newest first."""
    return await api.tables.ask(
        list_jobs, status=status, job_type=job_type, cursor=cursor, limit=limit
    )


@router.get("/v1/jobs/{job_id}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_any_job(api: ApiDep, caller: CallerDep, job_id: JobId) -> Job:
    """A job of a project of the token, or of the service as a whole."""
    return await _find_job(api, caller, job_id)


@router.get("/v1/jobs/{job_id}/history", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_history_of_any_job(
    api: ApiDep, caller: CallerDep, job_id: JobId
) -> list[Transition]:
    """What has happened to a job, oldest first."""
    await _find_job(api, caller, job_id)
    return await api.tables.ask(list_transitions, job_id)


@router.post("/v1/jobs", status_code=202, responses=OF_ANY)
@allow(*OWNERS, writes=True, everywhere=True, at_home=True)
async def enqueue_any_job(api: ApiDep, caller: CallerDep, write: WriteDep, body: NewJob) -> Job:
    """Put work of the service as a whole into the queue."""
    return (await enqueue_job(api.settings, body.request(None, write.key), actor=caller.name)).job


@router.post("/v1/jobs/{job_id}/cancel", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def cancel_any_job(api: ApiDep, caller: CallerDep, job_id: JobId) -> Job:
    """End a job of a project of the token; one that runs is stopped."""
    await _find_job(api, caller, job_id)
    return await cancel_job(api.settings, job_id, actor=caller.name)


@router.post("/v1/jobs/{job_id}/retry", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def retry_any_job(api: ApiDep, caller: CallerDep, job_id: JobId) -> Job:
    """Try a failed, dead or cancelled job of a project of the token again."""
    await _find_job(api, caller, job_id)
    return await retry_job(api.settings, job_id, actor=caller.name)


async def _find_job(api: Api, caller: Caller, job_id: str) -> Job:
    """Raises NotFound, in the same words, for a job that is not there or not theirs."""
    job = await api.tables.ask(read_job, job_id)
    is_of_assistant = job.project_id == SERVICE_WIDE and job.job_type == "agent_turn"
    is_theirs = job.created_by == f"human:{caller.name}" or caller.role in OPERATORS
    if not caller.may_see(job.project_id) or (is_of_assistant and not is_theirs):
        raise NotFound(f"There is no job {job_id}.", code="unknown_job", detail={"job_id": job_id})
    return job


async def _enqueue(api: Api, caller: Caller, write: Write, request: JobRequest) -> Job:
    keyed = replace(request, key=write.key, priority="urgent")
    return (await enqueue_job(api.settings, keyed, actor=caller.name)).job
