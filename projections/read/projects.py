"""Projects, by name or id."""

from __future__ import annotations

from infra.errors import Refusal
from projections.read.session import Conn, Row, rows


def project_of(connection: Conn, name_or_id: str) -> str:
    """The id of the project with this name or id. Raises Refusal when there is none, or several."""
    found = rows(
        connection,
        "SELECT project_id FROM projects WHERE project_id = %s OR name = %s",
        *(name_or_id, name_or_id),
    )
    if not found:
        raise Refusal(f"There is no project {name_or_id}: see `cairn project list`.")
    if len(found) > 1:
        raise Refusal(f"{len(found)} projects are called {name_or_id}: name one by its id.")
    return str(found[0]["project_id"])


def projects(connection: Conn) -> list[Row]:
    return rows(
        connection,
        "SELECT project_id, name, description, created_at,"
        " (SELECT count(*) FROM sources s WHERE s.project_id = p.project_id) AS sources,"
        " (SELECT count(*) FROM ledger_atoms a WHERE a.project_id = p.project_id"
        "   AND a.status IN ('active', 'draft')) AS atoms"
        " FROM projects p ORDER BY name, project_id",
    )
