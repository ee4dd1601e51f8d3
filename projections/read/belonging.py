"""Which project a thing belongs to, by its id alone."""

from __future__ import annotations

from collections.abc import Collection

from infra.platform.errors import NotFound
from projections.read.projects import find_deleted
from projections.read.session import Conn, ReadModel, rows

TABLES = {
    "art": "SELECT project_id FROM artifacts WHERE artifact_id = %s",
    "atm": "SELECT project_id FROM ledger_atoms WHERE atom_id = %s",
    "chk": "SELECT project_id FROM chunks WHERE chunk_id = %s",
    "ctr": "SELECT project_id FROM ledger_contradictions WHERE contradiction_id = %s",
    "job": "SELECT project_id FROM orchestration_jobs WHERE job_id = %s",
    "onb": "SELECT project_id FROM onboarding_pipelines WHERE pipeline_id = %s",
    "qlr": "SELECT project_id FROM quality_runs WHERE quality_run_id = %s",
    "evd": "SELECT project_id FROM ledger_evidence WHERE evidence_id = %s",
    "mop": "SELECT project_id FROM ledger_merge_ops WHERE merge_op_id = %s",
    "hitl": "SELECT project_id FROM ledger_hitl_events WHERE hitl_event_id = %s",
    "mrg": "SELECT project_id FROM ledger_merge_candidates WHERE merge_candidate_id = %s",
    "run": "SELECT project_id FROM ingestion_runs WHERE run_id = %s",
    "src": "SELECT project_id FROM sources WHERE source_id = %s",
}
STATEMENT = "SELECT DISTINCT project_id FROM artifact_citations WHERE statement_id = %s"


class ProjectOfId(ReadModel):
    project_id: str


def find_belonging(
    connection: Conn, known_id: str, only: Collection[str] | None = None
) -> ProjectOfId:
    """The project of this id, among those of ``only``. Raises NotFound."""
    projects = _projects_of(connection, known_id)
    if len(projects) != 1 or (only is not None and projects[0] not in only):
        raise NotFound(f"There is nothing called {known_id}.", code="unknown_id")
    return ProjectOfId(project_id=projects[0])


def check_belongs(connection: Conn, project_id: str, known_id: str) -> None:
    """Raises NotFound unless the project has something of this id."""
    if _projects_of(connection, known_id) != [project_id]:
        raise NotFound(f"The project has nothing called {known_id}.", code="unknown_id")


def _projects_of(connection: Conn, known_id: str) -> list[str]:
    all_projects = _all_projects_of(connection, known_id)
    deleted = find_deleted(connection, all_projects) if all_projects else set()
    return [each for each in all_projects if each not in deleted]


def _all_projects_of(connection: Conn, known_id: str) -> list[str]:
    query = TABLES.get(known_id.partition("_")[0], STATEMENT)
    return [row["project_id"] for row in rows(connection, query, known_id)]
