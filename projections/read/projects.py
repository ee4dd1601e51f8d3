"""Projects, by name or id."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from infra.platform.errors import Conflict, Invalid, NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, like_holding, rows

PROJECTS = Listing(
    "projects",
    "p.project_id, p.name, p.description, p.created_at,"
    " (SELECT count(*) FROM sources s WHERE s.project_id = p.project_id"
    "   AND s.state <> 'removed') AS sources,"
    " (SELECT count(*) FROM ledger_atoms a WHERE a.project_id = p.project_id"
    "   AND a.status IN ('active', 'draft')) AS atoms",
    "projects p",
    {"p.name": "text", "p.project_id": "text"},
)
NAMES = Listing("project names", "p.project_id, p.name", "projects p", PROJECTS.keys)


class NamedProject(ReadModel):
    project_id: str
    name: str


class Project(ReadModel):
    """``sources`` counts those that are there, ``atoms`` the live ones."""

    project_id: str
    name: str
    description: str
    created_at: datetime
    sources: int
    atoms: int


def find_project(connection: Conn, name_or_id: str) -> str:
    """The id of the project with this name or id. Raises Refusal when there is none, or several."""
    return find_only_project(list_project_ids(connection, name_or_id), name_or_id)


def find_only_project(ids: Sequence[str], name_or_id: str) -> str:
    """The only one of the ids found for a name. Raises Refusal when there is none, or several."""
    if not name_or_id.strip():
        raise Invalid("No project is named: give its name or id.", code="project_missing")
    if not ids:
        raise NotFound(f"There is no project {name_or_id}.", code="unknown_project")
    if len(ids) > 1:
        raise Conflict(
            f"{len(ids)} projects are called {name_or_id}: name one by its id.",
            code="project_name_ambiguous",
        )
    return ids[0]


def list_project_ids(connection: Conn, name_or_id: str) -> list[str]:
    """The ids of all projects with this name or id."""
    records = rows(
        connection,
        "SELECT project_id FROM projects WHERE project_id = %s OR name = %s",
        *(name_or_id, name_or_id),
    )
    return [row["project_id"] for row in records]


def read_project_name(connection: Conn, project_id: str) -> str:
    """What a project is called. Raises NotFound."""
    records = rows(connection, "SELECT name FROM projects WHERE project_id = %s", project_id)
    if not records:
        raise NotFound(f"There is no project {project_id}.", code="unknown_project")
    return str(records[0]["name"])


def find_deleted(connection: Conn, project_ids: Collection[str]) -> set[str]:
    """Those of the projects that were deleted."""
    records = rows(
        connection,
        "SELECT project_id FROM deleted_projects WHERE project_id = ANY(%s)",
        sorted(project_ids),
    )
    return {row["project_id"] for row in records}


def list_projects(
    connection: Conn,
    *,
    only: Collection[str] | None = None,
    name: str | None = None,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Project]:
    """A page of projects by name, of those whose ids are in ``only``. Raises Refusal."""
    conditions: list[Condition] = [("true",)]
    if only is not None:
        conditions.append(("p.project_id = ANY(%s)", sorted(only)))
    if name is not None:
        conditions.append(("p.name = %s", name))
    records, following = page_of(connection, PROJECTS, conditions, cursor, limit)
    return Page(items=[Project(**row) for row in records], next_cursor=following)


def list_project_names(
    connection: Conn,
    *,
    only: Collection[str] | None = None,
    named: str | None = None,
    limit: int = PAGE,
) -> list[NamedProject]:
    """The first projects by name, of those whose ids are in ``only``; nothing is counted for it.

    ``named``: what their names hold.
    """
    conditions: list[Condition] = [("true",)]
    if only is not None:
        conditions.append(("p.project_id = ANY(%s)", sorted(only)))
    if named:
        conditions.append(("p.name ILIKE %s", like_holding(named)))
    records, _ = page_of(connection, NAMES, conditions, limit=limit)
    return [NamedProject(**row) for row in records]
