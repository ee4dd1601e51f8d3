"""The work of a schedule at once, beside its own times."""

from __future__ import annotations

from dataclasses import replace

from infra.platform.clock import SystemClock
from infra.platform.errors import Invalid
from infra.platform.settings import Settings
from infra.service.foundation.database import transact
from infra.service.jobs.agent_jobs import ALL_JOB_KINDS
from infra.service.jobs.due_jobs import make_job
from infra.service.jobs.jobs import read_job
from infra.service.jobs.schedules import find_schedule, hours_of
from infra.store.jobs import queue
from projections.read.jobs import Job
from schemas.envelope import Actor


async def start_schedule(
    settings: Settings, project: str, work_item_id: str, *, actor: str, key: str
) -> Job:
    """Do the work now, also in quiet hours. Raises NotFound, and Invalid where no job does it."""
    hours = await hours_of(settings, project)
    known = await find_schedule(settings, hours.project_id, work_item_id)
    now = SystemClock().now()
    job = make_job(known, now, ALL_JOB_KINDS, now.astimezone(hours.zone))
    if job is None:
        raise Invalid(f"No worker does the work of {known.title!r}.", code="schedule_without_job")
    by = Actor(type="human", id=actor)
    asked = replace(job, key=f"{work_item_id}|now|{key}", created_by=f"{by.type}:{by.id}")
    job_id, _ = await transact(settings, lambda tables: queue.enqueue(tables, asked, by))
    return await read_job(settings, job_id)
