"""Background jobs of a project: what waits, what runs, what became of it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, OBSERVERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project
from infra.service.jobs import jobs, schedules
from infra.store.jobs.queue import MAX_ATTEMPTS
from projections.read import belonging
from projections.read import jobs as jobs_read
from projections.read.jobs import Job, Transition, list_transitions
from projections.read.page import Page
from schemas.events.job import JobStatus, JobType, Priority

router = APIRouter(route_class=Guarded, tags=["Jobs"])
JobId = Annotated[str, Path(max_length=100)]


class NewJob(BaseModel):
    """Work for the queue. ``payload`` is what its type takes; ``run_after``: not earlier."""

    model_config = ConfigDict(extra="forbid")

    job_type: JobType
    payload: dict[str, Any] = {}
    priority: Priority = "scheduled"
    run_after: AwareDatetime | None = None
    max_attempts: int = Field(MAX_ATTEMPTS, ge=1, le=jobs.MOST_ATTEMPTS)

    def request(self, project: str | None, key: str) -> jobs.JobRequest:
        return jobs.JobRequest(
            self.job_type,
            project,
            self.payload,
            key=key,
            priority=self.priority,
            run_after=self.run_after,
            max_attempts=self.max_attempts,
        )


@router.get("/v1/projects/{project}/jobs", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_jobs(
    api: ApiDep,
    project: Project,
    status: JobStatus | None = None,
    job_type: JobType | None = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Job]:
    """Jobs, newest first."""
    return await api.tables.ask(
        jobs_read.list_jobs, project, status=status, job_type=job_type, cursor=cursor, limit=limit
    )


@router.post("/v1/projects/{project}/jobs", status_code=202, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def enqueue_job(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: NewJob
) -> Job:
    """Put a job into the queue; the same key again gives the same job. Only work that a schedule
    may start: reading folders of the machine, and upkeep, are for the installation's owner.
    """
    if not caller.has_home:
        schedules.check_job_type(body.job_type)
    request = body.request(project, write.key)
    return (await jobs.enqueue_job(api.settings, request, actor=caller.name)).job


@router.get("/v1/projects/{project}/jobs/{job_id}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_job(api: ApiDep, project: Project, job_id: JobId) -> Job:
    """A job as it is now."""
    await api.tables.ask(belonging.check_belongs, project, job_id)
    return await api.tables.ask(jobs_read.read_job, job_id)


@router.get("/v1/projects/{project}/jobs/{job_id}/history", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_job_history(api: ApiDep, project: Project, job_id: JobId) -> list[Transition]:
    """What has happened to a job, oldest first."""
    await api.tables.ask(belonging.check_belongs, project, job_id)
    return await api.tables.ask(list_transitions, job_id)


@router.post("/v1/projects/{project}/jobs/{job_id}/cancel", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def cancel_job(api: ApiDep, caller: CallerDep, project: Project, job_id: JobId) -> Job:
    """End a job; one that runs is stopped."""
    await api.tables.ask(belonging.check_belongs, project, job_id)
    return await jobs.cancel_job(api.settings, job_id, actor=caller.name)


@router.post("/v1/projects/{project}/jobs/{job_id}/retry", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def retry_job(api: ApiDep, caller: CallerDep, project: Project, job_id: JobId) -> Job:
    """Try a failed, dead or cancelled job again, with all its attempts."""
    await api.tables.ask(belonging.check_belongs, project, job_id)
    return await jobs.retry_job(api.settings, job_id, actor=caller.name)
