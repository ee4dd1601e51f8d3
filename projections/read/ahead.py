"""What is written ahead of the end of a run (spec 04 §9), and when each kind of work was done."""

from __future__ import annotations

from projections.read.queries import Conn, Row, add_places, rows

PHASES = {
    "prd": "prd_generation",
    "insight": "insight_generation",
    "epic": "epic_generation",
    "feature": "feature_generation",
}


def speculative(connection: Conn, project_id: str, artifact_type: str) -> list[Row]:
    """The artifacts of a type with the sections that no settled position has answered yet.

    Each with ``sections`` as in the artifacts themselves, ``input_ledger_seq`` of the youngest.
    What a settled position has answered is over, also before it has been told what became of it.
    """
    found = rows(
        connection,
        "SELECT artifact_id, (array_agg(title ORDER BY input_ledger_seq DESC))[1] AS title,"
        " true AS speculative, max(input_ledger_seq) AS input_ledger_seq,"
        " json_agg(content ORDER BY section_id) AS sections"
        " FROM speculative_sections WHERE project_id = %s AND artifact_type = %s"
        " AND outcome IS NULL AND input_ledger_seq > (SELECT coalesce(max(p.input_ledger_seq), 0)"
        "   FROM artifact_positions p WHERE p.project_id = %s)"
        " GROUP BY artifact_id ORDER BY min(generated_at), artifact_id",
        *(project_id, artifact_type, project_id),
    )
    add_places(connection, [section for one in found for section in one["sections"]])
    return found


def phases(connection: Conn, project_id: str) -> dict[str, list[Row]]:
    """When each run read and wrote, by run id; intervals may overlap, and are meant to.

    ``results``: batches committed, sections written ahead and versions published. The end of a
    phase of writing is its last result so far.
    """
    found = rows(
        connection,
        "SELECT r.run_id, 'ingestion' AS phase, r.started_at, r.finished_at,"
        " (SELECT count(*) FROM ingestion_batches b WHERE b.run_id = r.run_id"
        "   AND b.committed_at IS NOT NULL) AS results"
        " FROM ingestion_runs r WHERE r.project_id = %s"
        " UNION ALL SELECT w.run_id, w.artifact_type, min(w.at), max(w.at), count(*) FROM ("
        "  SELECT run_id, artifact_type, generated_at AS at FROM speculative_sections"
        "   WHERE project_id = %s"
        "  UNION ALL SELECT run_id, artifact_type, published_at FROM artifact_versions"
        "   WHERE project_id = %s) w GROUP BY w.run_id, w.artifact_type"
        " ORDER BY run_id, started_at, phase",
        *(project_id, project_id, project_id),
    )
    by_run: dict[str, list[Row]] = {}
    for row in found:
        row["phase"] = PHASES.get(row["phase"], row["phase"])
        by_run.setdefault(row.pop("run_id"), []).append(row)
    return by_run
