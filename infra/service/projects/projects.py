"""Create, rename and delete projects."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from infra.platform.errors import Conflict, Invalid
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.platform.vault import vault_of
from infra.service.foundation.database import ask, transact, wait_until_shown
from infra.service.foundation.publishing import make_request, publish
from infra.store import project_work
from infra.store.jobs import queue
from projections.read.projects import (
    find_deleted,
    find_project,
    list_project_ids,
    read_project_name,
)
from projections.read.session import Conn
from schemas import ids
from schemas.envelope import Actor, Event
from schemas.events.ingestion_request import RunCancelRequested
from schemas.events.project import ProjectCreated, ProjectDeleted, ProjectRenamed
from schemas.events.schedule import ScheduleRemoved
from schemas.events.webhook import WebhookRemoved

MAX_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class Project:
    project_id: str
    name: str


async def create_project(settings: Settings, name: str, *, actor: str, key: str) -> Project:
    """Create the project of ``key``, and return when the tables show it.

    Raises Invalid for a name that no project can have, Conflict when another project has it, and
    Unavailable when broker, database or projector do not answer.
    """
    check_name(name)
    project = Project(ids.project_id(key), name)
    if await ask(settings, lambda tables: find_deleted(tables, [project.project_id])):
        raise Invalid(
            "This idempotency key has made a project that was deleted: take a new one.",
            code="idempotency_key_reused",
        )
    await ask(settings, lambda connection: _check_free(connection, project))
    await publish(
        settings, [make_request(ProjectCreated(name=name), project.project_id, actor, key)]
    )
    await wait_until_shown(
        settings,
        lambda connection: _is_shown(connection, project.project_id),
        f"Project {project.project_id}",
        project_id=project.project_id,
    )
    return project


async def rename_project(
    settings: Settings, project: str, name: str, *, actor: str, key: str
) -> Project:
    """Call a project ``name``, and return when the tables show it; its id stays.

    Raises NotFound, Invalid, Conflict and Unavailable as `create_project`.
    """
    check_name(name)
    project_id = await ask(settings, lambda tables: find_project(tables, project))
    renamed = Project(project_id, name)
    await ask(settings, lambda tables: _check_free(tables, renamed))
    await publish(settings, [make_request(ProjectRenamed(name=name), project_id, actor, key)])
    await wait_until_shown(
        settings,
        lambda tables: read_project_name(tables, project_id) == name or None,
        f"The name of {project_id}",
        project_id=project_id,
    )
    return renamed


async def delete_project(
    settings: Settings, project: str, name: str, *, actor: str, key: str
) -> Project:
    """Hide a project and erase its keys; ``name`` is what the person has typed to confirm it.

    Its jobs, runs, schedules and connectors end. Its facts stay on the log, where what was
    encrypted of them can be read no more. Raises NotFound, Invalid for another name, Unavailable:
    keys that were not erased then are erased by the upkeep of the API.
    """
    project_id = await ask(settings, lambda tables: find_project(tables, project))
    known = await ask(settings, lambda tables: read_project_name(tables, project_id))
    if name != known:
        raise Invalid(
            f"The project is called {known!r}, and not {name[:MAX_NAME_CHARS]!r}: type its name as"
            " it is to delete it.",
            code="confirmation_wrong",
        )
    await _end_work(settings, project_id, actor, key)
    deleted = make_request(ProjectDeleted(name=name), project_id, actor, key)
    await publish(settings, [deleted])
    await wait_until_shown(
        settings,
        lambda tables: bool(find_deleted(tables, [project_id])) or None,
        f"That {project_id} is deleted",
        project_id=project_id,
    )
    await _end_work(settings, project_id, actor, key)  # what came in between
    await erase_deleted(settings)
    return Project(project_id, name)


async def end_left_work(settings: Settings) -> None:
    """End jobs that were queued for a project while or after it was deleted.

    Raises DatabaseUnavailable: then do it again.
    """

    def end(connection: Conn) -> None:
        for job_id in project_work.list_jobs_of_deleted(connection):
            with suppress(Conflict):  # it has ended meanwhile
                queue.cancel(connection, job_id, Actor(type="system", id="upkeep"))

    await transact(settings, end)


async def erase_deleted(settings: Settings) -> list[str]:
    """Erase what was kept encrypted of deleted projects; the ids of those that had keys.

    Raises …Unavailable: then do it again.
    """

    def find(connection: Conn) -> list[str]:
        project_work.remove_uploads_of_deleted(connection)
        return project_work.list_projects_to_erase(connection)

    vault, project_ids = vault_of(settings), await transact(settings, find)
    for project_id in project_ids:
        await in_thread(partial(vault.erase_project, project_id))
    return project_ids


async def _end_work(settings: Settings, project_id: str, actor: str, key: str) -> None:
    """No job of the project goes on, and nothing of it is due any more."""
    by = Actor(type="human", id=actor)

    def end_jobs(connection: Conn) -> None:
        for job_id in project_work.list_unended_jobs(connection, project_id):
            with suppress(Conflict):  # it has ended meanwhile
                queue.cancel(connection, job_id, by)

    await transact(settings, end_jobs)

    def list_ends(tables: Conn) -> list[Event]:
        runs = project_work.list_running_runs(tables, project_id)
        scheduled = project_work.list_scheduled_work(tables, project_id)
        webhooks = project_work.list_webhooks(tables, project_id)
        return [
            *(RunCancelRequested(run_id=run_id, request_key=key) for run_id in runs),
            *(ScheduleRemoved(work_item_id=item_id) for item_id in scheduled),
            *(WebhookRemoved(webhook_id=webhook_id) for webhook_id in webhooks),
        ]

    events = await ask(settings, list_ends)
    if events:
        await publish(
            settings,
            [make_request(event, project_id, actor, _key_of(event, key)) for event in events],
        )


def _key_of(event: Event, key: str) -> str:
    """One for each fact; those that carry the request's key need no other."""
    return "" if isinstance(event, RunCancelRequested) else f"{key}|{event.aggregate_id}"


def check_name(name: str) -> None:
    """Raises Invalid unless a project can be called ``name``."""
    from streams.hygiene.redaction.strings import redact_text

    if redact_text(name) != name:
        raise Invalid(
            "A project's name is shown everywhere, and this one looks like a secret or holds one:"
            " choose another.",
            code="project_name_holds_secret",
        )
    if not name.strip() or not name.isprintable() or len(name) > MAX_NAME_CHARS:
        raise Invalid(
            f"A project's name has 1 to {MAX_NAME_CHARS} printable characters: {name[:40]!r} does"
            " not; choose another.",
            code="project_name_invalid",
        )


def _check_free(connection: Conn, project: Project) -> None:
    for other_id in list_project_ids(connection, project.name):
        if other_id != project.project_id:
            raise Conflict(
                f"A project named {project.name!r} exists already ({other_id}): use it,"
                " or choose another name.",
                code="project_name_taken",
                detail={"name": project.name, "project_id": other_id},
            )


def _is_shown(connection: Conn, project_id: str) -> bool | None:
    return project_id in list_project_ids(connection, project_id) or None
