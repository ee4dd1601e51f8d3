"""What waits for the words of a model: projects, and the artifacts of a list."""

from __future__ import annotations

from projections.read.session import Conn, ReadModel, select

# A section that rules have worded and nobody has edited.
BY_RULE = '[{"engine": "heuristic", "state": "generated"}]'
WAITING = """
    SELECT p.project_id, max(n.input_ledger_seq) AS ledger_seq FROM projects p
    JOIN artifact_positions n ON n.project_id = p.project_id
    WHERE NOT EXISTS (SELECT 1 FROM ingestion_runs r
            WHERE r.project_id = p.project_id AND r.status = 'running')
        AND NOT EXISTS (SELECT 1 FROM artifacts a WHERE a.project_id = p.project_id
            AND a.updated_at > now() - interval '1 second' * %s)
        AND EXISTS (SELECT 1 FROM artifacts a WHERE a.project_id = p.project_id
            AND a.artifact_type = ANY(%s) AND a.content @> %s::jsonb)
    GROUP BY p.project_id
    HAVING NOT EXISTS (SELECT 1 FROM orchestration_jobs j
            WHERE j.project_id = p.project_id AND j.job_type = 'synthesis'
            AND j.idempotency_key = %s || max(n.input_ledger_seq))
    ORDER BY p.project_id
"""
LISTED = """
    SELECT artifact_id, title FROM artifacts
    WHERE project_id = %s AND artifact_type = %s AND number <> '' ORDER BY number, artifact_id
"""


class UnwordedProject(ReadModel):
    """A project with sections that only rules have worded, at a settled position."""

    project_id: str
    ledger_seq: int


class ListedItem(ReadModel):
    artifact_id: str
    title: str


def unworded_projects(
    connection: Conn, types: list[str], key_prefix: str, quiet_s: float
) -> list[UnwordedProject]:
    """Where nothing has changed for ``quiet_s`` and no run is under way, and no job was made for
    the position, whose key is the prefix and the position.
    """
    return select(connection, UnwordedProject, WAITING, quiet_s, types, BY_RULE, key_prefix)


def listed_items(connection: Conn, project_id: str, artifact_type: str) -> list[ListedItem]:
    """The present items of a type by number."""
    return select(connection, ListedItem, LISTED, project_id, artifact_type)
