"""Work that is done at times, and the hours that a project keeps."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, OBSERVERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Limit, Project
from infra.service.jobs import schedule_starts, schedules
from infra.service.jobs.schedules import WorkChange, WorkRequest
from projections.read import schedules as schedules_read
from projections.read.jobs import Job
from projections.read.page import Page
from projections.read.schedules import ProjectSettings, ScheduledWork
from schemas.events.job import JobType, Priority
from schemas.events.schedule import QuietHours, Recurrence

router = APIRouter(route_class=Guarded, tags=["Schedules"])
ScheduleId = Annotated[str, Path(max_length=100)]
Words = Annotated[str, Field(min_length=1, max_length=200)]


class ScheduleRequest(BaseModel):
    """Work in words (``work``: "sprint report") or as ``title`` with a job and its payload; when
    it is due in words (``when``: "every monday at 09:00") or as ``recurrence``.
    """

    model_config = ConfigDict(extra="forbid")

    when: Words | None = None
    recurrence: Recurrence | None = None
    work: Words | None = None
    title: Words | None = None
    agent: Annotated[str, Field(max_length=50)] = "assistant"
    job_type: JobType | None = None
    payload: dict[str, Any] = {}
    priority: Priority = "scheduled"


class ScheduleChange(BaseModel):
    """What becomes different; what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    title: Words | None = None
    when: Words | None = None
    recurrence: Recurrence | None = None
    priority: Priority | None = None


class SettingsRequest(BaseModel):
    """What becomes different; ``has_no_quiet_hours`` takes the quiet hours away."""

    model_config = ConfigDict(extra="forbid")

    timezone: Annotated[str, Field(max_length=100)] | None = None
    quiet_hours: QuietHours | None = None
    has_no_quiet_hours: bool = False


@router.get("/v1/projects/{project}/schedules", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_schedules(
    api: ApiDep,
    project: Project,
    everything: bool = False,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[ScheduledWork]:
    """Schedules, oldest first; ``everything``: also removed ones, and what webhooks asked for."""
    return await api.tables.ask(
        schedules_read.list_schedules, project, everything=everything, cursor=cursor, limit=limit
    )


@router.post("/v1/projects/{project}/schedules", status_code=201, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def schedule_work(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: ScheduleRequest
) -> ScheduledWork:
    """Have work done at times."""
    given = {name: value or "" for name, value in body if name in ("when", "work", "title")}
    wanted = WorkRequest(
        **given,
        recurrence=body.recurrence,
        agent=body.agent,
        job_type=body.job_type,
        payload=body.payload,
        priority=body.priority,
    )
    return await schedules.schedule_work(
        api.settings, project, wanted, actor=caller.name, key=write.key
    )


@router.get("/v1/projects/{project}/schedules/{schedule_id}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_schedule(api: ApiDep, project: Project, schedule_id: ScheduleId) -> ScheduledWork:
    """A schedule, or what a delivery of a webhook has asked for."""
    return await api.tables.ask(schedules_read.read_schedule, project, schedule_id)


@router.patch("/v1/projects/{project}/schedules/{schedule_id}", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def update_schedule(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    schedule_id: ScheduleId,
    body: ScheduleChange,
) -> ScheduledWork:
    """Change a schedule."""
    told = WorkChange(body.title, body.when, body.priority, body.recurrence)
    return await schedules.update_schedule(
        api.settings, project, schedule_id, told, actor=caller.name, key=write.key
    )


@router.delete("/v1/projects/{project}/schedules/{schedule_id}", status_code=204, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def remove_schedule(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, schedule_id: ScheduleId
) -> None:
    """Remove a schedule; jobs that were begun go on."""
    await schedules.remove_schedule(
        api.settings, project, schedule_id, actor=caller.name, key=write.key
    )


@router.post(
    "/v1/projects/{project}/schedules/{schedule_id}/run", status_code=202, responses=OF_ANY
)
@allow(*LEADERS, writes=True)
async def start_schedule(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, schedule_id: ScheduleId
) -> Job:
    """Do the work now, beside its own times and also in quiet hours; its times stay."""
    return await schedule_starts.start_schedule(
        api.settings, project, schedule_id, actor=caller.name, key=write.key
    )


@router.get("/v1/projects/{project}/settings", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_project_settings(api: ApiDep, project: Project) -> ProjectSettings:
    """The time zone and quiet hours of a project."""
    return await api.tables.ask(schedules_read.read_project_settings, project)


@router.put("/v1/projects/{project}/settings", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def set_project_settings(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: SettingsRequest
) -> ProjectSettings:
    """Set them; what is left out stays."""
    return await schedules.set_project_settings(
        api.settings,
        project,
        timezone=body.timezone,
        quiet_hours=body.quiet_hours,
        has_no_quiet_hours=body.has_no_quiet_hours,
        actor=caller.name,
        key=write.key,
    )
