"""Ingestion runs: how far, how fast, what waits, and when each kind of work was done.

Times that are measurements (``first_atom_ms`` …) are computed here from raw stamps, so that no
table has to wait for another topic.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, rows, select
from schemas.events.artifact_parts import PHASES

FIRST_ATOM_MS, PRD_V0_MS, FEATURES_V0_MS = 3_000, 30_000, 30_000
TARGETS_MS = {"first_atom": FIRST_ATOM_MS, "prd_v0": PRD_V0_MS, "features_v0": FEATURES_V0_MS}
FIRST_VERSION_THAT_SAYS_SOMETHING = """
    SELECT min(v.published_at) AS at FROM artifact_versions v
    JOIN ingestion_runs o ON o.run_id = v.run_id
    WHERE o.project_id = r.project_id AND o.trigger_key = r.trigger_key
        AND v.artifact_type = '{}'
        AND EXISTS (SELECT 1 FROM artifact_sections said WHERE said.statement_count > 0
            AND said.artifact_id = v.artifact_id AND said.version = v.version)
"""
# How many of its sources a run that has nothing under way still waits for.
WAITING_FOR_SOURCES = """
    CASE WHEN r.status <> 'running' OR EXISTS (SELECT 1 FROM ingestion_batches b
        WHERE b.run_id = r.run_id AND b.committed_at IS NULL AND NOT b.withdrawn) THEN 0
    ELSE (SELECT count(*) FROM (
        SELECT unchanged OR outcome IS NOT NULL AS ready FROM trigger_sources s
        WHERE s.project_id = r.project_id AND s.trigger_key = r.trigger_key
            AND s.position IS NOT NULL ORDER BY s.position LIMIT r.source_count) own
        WHERE NOT own.ready) END
"""
# How many removals a run holds back until somebody accepts them, the files are back, or a later
# complete listing has judged anew: as the queue of what waits has it, once the ledger has the end.
REMOVALS_HELD = """
    CASE WHEN coalesce(cardinality(r.removals_held), 0) = 0 THEN 0
    WHEN EXISTS (SELECT 1 FROM hitl_queue w WHERE w.project_id = r.project_id
        AND w.kind = 'removals_held' AND w.target_id = r.run_id)
    OR NOT EXISTS (SELECT 1 FROM ledger_change_sets e
        WHERE e.run_id = r.run_id AND e.kind = 'run_end') THEN cardinality(r.removals_held)
    ELSE 0 END
"""
RUN_COLUMNS = f"""
    r.run_id, r.lane, r.trigger, r.trigger_key, r.root, r.engine, r.coverage_target, r.status,
    r.stop_reason, r.limits, r.versions, r.sources_processed, r.sources_skipped,
    r.chunks_processed, r.chunks_skipped, r.chunks_poison, r.atoms_created, r.atoms_merged,
    r.atoms_obsoleted, r.atoms_rejected, r.contradictions_found, r.tokens, r.cost_usd,
    {REMOVALS_HELD} AS removals_held,
    r.batch_count, r.last_successful_chunk_id, r.started_at, r.finished_at, r.stop_detail,
    r.withdrawn_batches, r.unfinished_sources, r.resumed_from,
    floor(extract(epoch FROM s.first_atom_at - accepted.at) * 1000)::bigint AS first_atom_ms,
    {WAITING_FOR_SOURCES} AS waiting_for_sources,
    coalesce(r.status = 'running' AND EXISTS (SELECT 1 FROM run_requests a
        WHERE a.run_id = r.run_id AND a.kind = 'cancel'), false) AS cancel_requested,
    floor(extract(epoch FROM prd.at - accepted.at) * 1000)::bigint AS prd_v0_ms,
    floor(extract(epoch FROM features.at - accepted.at) * 1000)::bigint AS features_v0_ms
"""
RUNS = Listing(
    "runs",
    RUN_COLUMNS,
    f"""ingestion_runs r
    LEFT JOIN run_stamps s USING (run_id)
    LEFT JOIN trigger_stamps t
        ON t.project_id = r.project_id AND t.trigger_key = r.trigger_key
    LEFT JOIN ingestion_triggers q
        ON q.project_id = r.project_id AND q.trigger_key = r.trigger_key
    CROSS JOIN LATERAL (SELECT coalesce(t.first_source_at, q.requested_at) AS at) accepted
    LEFT JOIN LATERAL ({FIRST_VERSION_THAT_SAYS_SOMETHING.format("prd")}) prd ON true
    LEFT JOIN LATERAL ({FIRST_VERSION_THAT_SAYS_SOMETHING.format("feature")}) features ON true""",
    {
        "coalesce(r.started_at, 'infinity')": "timestamptz",
        "(coalesce(r.lane, 'preview') <> 'preview')": "boolean",
        "r.run_id": "text",
    },
)


class Run(ReadModel):
    """A run with what it did so far; what it has not told yet is None.

    The times in milliseconds are from the first content to the first atom, and to the first version
    of PRD and features that has a statement;
    ``target_missed`` names those that took too long.
    """

    run_id: str
    lane: str | None
    trigger: str | None
    trigger_key: str | None
    root: str | None
    engine: str | None
    coverage_target: str | None
    status: str | None
    stop_reason: str | None
    limits: dict[str, Any] | None
    versions: dict[str, Any] | None
    sources_processed: int | None
    sources_skipped: int | None
    chunks_processed: int | None
    chunks_skipped: int | None
    chunks_poison: int | None
    atoms_created: int | None
    atoms_merged: int | None
    atoms_obsoleted: int | None
    atoms_rejected: int | None
    contradictions_found: int | None
    tokens: int | None
    cost_usd: float | None
    removals_held: int
    batch_count: int | None
    last_successful_chunk_id: str | None
    started_at: datetime | None
    finished_at: datetime | None
    stop_detail: str | None
    withdrawn_batches: list[int] | None
    unfinished_sources: list[str] | None
    resumed_from: str | None
    first_atom_ms: int | None
    waiting_for_sources: int
    cancel_requested: bool
    prd_v0_ms: int | None
    features_v0_ms: int | None
    target_missed: list[str]


class RunStatus(ReadModel):
    run_id: str
    project_id: str
    status: str | None
    stop_reason: str | None


class HeldRemovals(ReadModel):
    """The sources of ``root`` whose removal a run blocked, because too many were gone."""

    run_id: str
    root: str | None
    removals_held: list[str]


class Phase(ReadModel):
    """A kind of work of a run; ``results`` are batches, sections written ahead and versions."""

    phase: str
    started_at: datetime | None
    finished_at: datetime | None
    results: int


def list_runs(
    connection: Conn,
    project_id: str,
    trigger_key: str | None = None,
    *,
    run_id: str | None = None,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[Run]:
    """A page of runs, oldest first unless said. Raises Refusal for a bad cursor."""
    conditions: list[Condition] = [("r.project_id = %s", project_id)]
    if run_id is not None:
        conditions.append(("r.run_id = %s", run_id))
    if trigger_key is not None:
        conditions.append(("r.trigger_key = %s", trigger_key))
    records, following = page_of(
        connection, RUNS, conditions, cursor, limit, backwards=newest_first
    )
    return Page(items=[_run(row) for row in records], next_cursor=following)


def _run(row: Row) -> Run:
    missed = [name for name, limit in TARGETS_MS.items() if (row[f"{name}_ms"] or 0) > limit]
    return Run(**row, target_missed=missed)


def read_run(connection: Conn, run_id: str) -> RunStatus:
    """Whether a run goes on. Raises Refusal when there is none of that id."""
    query = "SELECT run_id, project_id, status, stop_reason FROM ingestion_runs WHERE run_id = %s"
    items = select(connection, RunStatus, query, run_id)
    if not items:
        raise NotFound(f"There is no run {run_id}.", code="unknown_run")
    return items[0]


def find_held_removals(connection: Conn, project_id: str, run_id: str) -> HeldRemovals | None:
    """The removals that the run blocked; None when there is no such run."""
    query = (
        "SELECT run_id, root, coalesce(removals_held, '{}') AS removals_held FROM ingestion_runs"
        " WHERE project_id = %s AND run_id = %s"
    )
    return next(iter(select(connection, HeldRemovals, query, project_id, run_id)), None)


def list_phases(
    connection: Conn, project_id: str, run_id: str | None = None
) -> dict[str, list[Phase]]:
    """When each run read and wrote, by run id; or one run. Intervals may overlap, and are meant to.

    The end of a phase of writing is its last result so far.
    """
    of_run = "" if run_id is None else " AND run_id = %s"
    asked = (project_id,) if run_id is None else (project_id, run_id)
    records = rows(
        connection,
        "SELECT r.run_id, 'ingestion' AS phase, r.started_at, r.finished_at,"
        " (SELECT count(*) FROM ingestion_batches b WHERE b.run_id = r.run_id"
        "   AND b.committed_at IS NOT NULL) AS results"
        f" FROM ingestion_runs r WHERE r.project_id = %s{of_run}"
        " UNION ALL SELECT w.run_id, w.artifact_type, min(w.at), max(w.at), count(*) FROM ("
        "  SELECT run_id, artifact_type, generated_at AS at FROM speculative_sections"
        f"   WHERE project_id = %s{of_run}"
        "  UNION ALL SELECT run_id, artifact_type, published_at FROM artifact_versions"
        f"   WHERE project_id = %s{of_run}) w GROUP BY w.run_id, w.artifact_type"
        " ORDER BY run_id, started_at, phase",
        *(asked * 3),
    )
    by_run: dict[str, list[Phase]] = {}
    for row in records:
        row["phase"] = PHASES.get(row["phase"], row["phase"])
        by_run.setdefault(row.pop("run_id"), []).append(Phase(**row))
    return by_run
