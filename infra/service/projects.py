"""Create projects, and find them by name or id."""

from __future__ import annotations

from dataclasses import dataclass

from infra.errors import Conflict, Invalid
from infra.service.publishing import make_request, publish
from infra.service.reading import ask, wait_until_shown
from infra.settings import Settings
from projections.read.projects import project_ids
from projections.read.session import Conn
from schemas import ids
from schemas.events.project import ProjectCreated

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


def check_name(name: str) -> None:
    """Raises Invalid unless a project can be called ``name``."""
    from streams.hygiene.strings import redact_text

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
    for other_id in project_ids(connection, project.name):
        if other_id != project.project_id:
            raise Conflict(
                f"A project named {project.name!r} exists already ({other_id}): use it,"
                " or choose another name.",
                code="project_name_taken",
                detail={"name": project.name, "project_id": other_id},
            )


def _is_shown(connection: Conn, project_id: str) -> bool | None:
    return project_id in project_ids(connection, project_id) or None
