"""Schedules, and the hours of projects, over HTTP."""

from __future__ import annotations

from infra.cli.remote.asking import adopt, adopt_all, ask_of
from infra.client.client import Client
from infra.client.models.schedules import ScheduleChange, ScheduleRequest, SettingsRequest
from infra.platform.settings import Settings
from infra.service.jobs.schedules import ProjectSettings, ScheduledWork, WorkChange, WorkRequest
from projections.read.jobs import Job
from projections.read.page import PAGE, Page
from schemas.events.schedule import QuietHours, Recurrence


async def schedule_work(
    settings: Settings, project: str, wanted: WorkRequest, *, actor: str, key: str
) -> ScheduledWork:
    body = ScheduleRequest.model_validate(
        {
            "when": wanted.when or None,
            "recurrence": _told(wanted.recurrence),
            "work": wanted.work or None,
            "title": wanted.title or None,
            "agent": wanted.agent,
            "job_type": wanted.job_type,
            "payload": dict(wanted.payload),
            "priority": wanted.priority,
        }
    )
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt(ScheduledWork, client.schedule_work(known, body, key=key)),
    )


async def list_schedules(
    settings: Settings,
    project: str,
    *,
    everything: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[ScheduledWork]:
    """There is no page behind it."""

    def question(client: Client, project_id: str) -> list[ScheduledWork]:
        found = client.list_schedules(project_id, everything=everything)
        return adopt_all(ScheduledWork, found.take(limit))

    return Page(items=await ask_of(settings, project, question))


async def read_schedule(settings: Settings, project: str, work_item_id: str) -> ScheduledWork:
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt(ScheduledWork, client.read_schedule(known, work_item_id)),
    )


async def update_schedule(
    settings: Settings, project: str, work_item_id: str, told: WorkChange, *, actor: str, key: str
) -> ScheduledWork:
    body = ScheduleChange.model_validate(
        {
            "title": told.title,
            "when": told.when,
            "priority": told.priority,
            "recurrence": _told(told.recurrence),
        }
    )

    def update(client: Client, project_id: str) -> ScheduledWork:
        changed = client.update_schedule(project_id, work_item_id, body, key=key)
        return adopt(ScheduledWork, changed)

    return await ask_of(settings, project, update)


async def remove_schedule(
    settings: Settings, project: str, work_item_id: str, *, actor: str, key: str
) -> ScheduledWork:
    def remove(client: Client, project_id: str) -> ScheduledWork:
        known = adopt(ScheduledWork, client.read_schedule(project_id, work_item_id))
        client.remove_schedule(project_id, work_item_id, key=key)
        return known

    return await ask_of(settings, project, remove)


async def start_schedule(
    settings: Settings, project: str, work_item_id: str, *, actor: str, key: str
) -> Job:
    def start(client: Client, project_id: str) -> Job:
        return adopt(Job, client.start_schedule(project_id, work_item_id, key=key))

    return await ask_of(settings, project, start)


async def read_project_settings(settings: Settings, project: str) -> ProjectSettings:
    return await ask_of(
        settings,
        project,
        lambda client, known: adopt(ProjectSettings, client.read_project_settings(known)),
    )


async def set_project_settings(
    settings: Settings,
    project: str,
    *,
    timezone: str | None = None,
    quiet_hours: QuietHours | None = None,
    has_no_quiet_hours: bool = False,
    actor: str,
    key: str,
) -> ProjectSettings:
    body = SettingsRequest.model_validate(
        {
            "timezone": timezone,
            "quiet_hours": quiet_hours.model_dump() if quiet_hours else None,
            "has_no_quiet_hours": has_no_quiet_hours,
        }
    )

    def change(client: Client, project_id: str) -> ProjectSettings:
        return adopt(ProjectSettings, client.set_project_settings(project_id, body, key=key))

    return await ask_of(settings, project, change)


def _told(recurrence: Recurrence | None) -> dict[str, object] | None:
    return recurrence.model_dump() if recurrence else None
