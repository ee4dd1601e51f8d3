"""The chunks that rules have read in place of a model, and why.

They are owed to the model: the next run with one reads them again.
"""

from __future__ import annotations

from projections.read.session import Conn, rows

# Of a chunk of today's revision of a source that is there.
IS_OWED = "c.read_error <> '' AND NOT c.obsolete"
_NAMES = "SELECT project_id, name FROM projects"
_CAUSES = f"""
    SELECT c.project_id, c.read_error AS cause, count(*) AS n
    FROM chunks c JOIN sources s USING (source_id)
    WHERE {IS_OWED} AND s.state <> 'removed' AND (%s::text IS NULL OR c.project_id = %s)
    GROUP BY c.project_id, c.read_error ORDER BY n DESC, cause
"""


def count_owed_chunks(connection: Conn, project_id: str) -> dict[str, int]:
    """How many chunks of the project are owed, by the code of the cause, most first."""
    records = rows(connection, _CAUSES, project_id, project_id)
    return {str(row["cause"]): int(row["n"]) for row in records}


def count_owed_by_project(connection: Conn) -> dict[str, dict[str, int]]:
    """The same for each project, by its name."""
    names = {row["project_id"]: row["name"] for row in rows(connection, _NAMES)}
    owed: dict[str, dict[str, int]] = {}
    for row in rows(connection, _CAUSES, None, None):
        named = str(names.get(row["project_id"], row["project_id"]))
        owed.setdefault(named, {})[str(row["cause"])] = int(row["n"])
    return owed
