"""How a project stands, in a few numbers."""

from __future__ import annotations

from projections.read.session import Conn, ReadModel, rows

ATOMS = """
    SELECT kind, count(*) AS n FROM ledger_atoms
    WHERE project_id = %s AND status IN ('active', 'draft') GROUP BY kind ORDER BY n DESC, kind
"""
ARTIFACTS = """
    SELECT artifact_type, artifact_state, count(*) AS n FROM artifacts
    WHERE project_id = %s AND version IS NOT NULL AND (number <> '' OR artifact_type = 'prd')
    GROUP BY artifact_type, artifact_state ORDER BY artifact_type, artifact_state
"""
LAST_RUN = """
    SELECT lane, status FROM ingestion_runs
    WHERE project_id = %s AND status IS NOT NULL ORDER BY started_at DESC NULLS LAST, run_id LIMIT 1
"""
NUMBERS = """
    SELECT p.name,
        (SELECT count(*) FROM sources s WHERE s.project_id = p.project_id) AS sources,
        (SELECT count(*) FROM ingestion_runs r
            WHERE r.project_id = p.project_id AND r.status IS NOT NULL) AS runs,
        (SELECT count(*) FROM ledger_contradictions c
            WHERE c.project_id = p.project_id AND c.status IN ('open', 'escalated'))
            AS open_contradictions
    FROM projects p WHERE p.project_id = %s
"""


class ArtifactCount(ReadModel):
    artifact_type: str
    artifact_state: str
    n: int


class Overview(ReadModel):
    """``atoms_by_kind`` counts live ones; ``last_run`` names lane and state of the newest run."""

    name: str
    sources: int
    open_contradictions: int
    atoms_by_kind: dict[str, int]
    artifacts: list[ArtifactCount]
    runs: int
    last_run: str


def read_overview(connection: Conn, project_id: str) -> Overview:
    """The project of this id, which exists."""
    (numbers,) = rows(connection, NUMBERS, project_id)
    last = rows(connection, LAST_RUN, project_id)
    return Overview(
        **numbers,
        atoms_by_kind={row["kind"]: row["n"] for row in rows(connection, ATOMS, project_id)},
        artifacts=[ArtifactCount(**row) for row in rows(connection, ARTIFACTS, project_id)],
        last_run=f"{last[0]['lane']}, {last[0]['status']}" if last else "",
    )
