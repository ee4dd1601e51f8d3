"""Runs of the quality gate, their events, and what a run reads."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from infra.platform.errors import NotFound
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, Row, rows, select
from schemas.events.artifact_quality import DimensionScore, RemovedStatement
from schemas.events.artifact_sections import Section
from schemas.events.ledger import AtomRecord, ContradictionRecord

REVISED = "revised_by_quality_gate"  # the reason of a version that the gate has made
RUNS = Listing(
    "quality runs",
    "q.quality_run_id, q.project_id, q.artifact_id, a.artifact_type, a.number, a.title,"
    " q.artifact_version, q.input_ledger_seq, q.mode, q.status, q.iteration, q.max_iterations,"
    " q.final_tier, q.dimension_tiers, q.dimensions, q.revised_sections, q.removed,"
    " q.engine, q.model, q.cost_usd, q.tokens, q.started_at, q.finished_at, q.error",
    "quality_runs q LEFT JOIN artifacts a USING (artifact_id)",
    {"coalesce(q.started_at, q.finished_at)": "timestamptz", "q.quality_run_id": "text"},
)
ONE = f"SELECT {RUNS.columns} FROM {RUNS.tables} WHERE q.quality_run_id = %s"
LATEST = f"""
    SELECT {RUNS.columns} FROM {RUNS.tables} WHERE q.project_id = %s AND a.artifact_type = 'prd'
    ORDER BY q.started_at DESC NULLS LAST, q.quality_run_id LIMIT 1
"""
LAST_REMOVALS = """
    SELECT removed FROM quality_runs
    WHERE artifact_id = %s AND removed <> '[]' AND finished_at IS NOT NULL
    ORDER BY finished_at DESC, quality_run_id LIMIT 1
"""
EVENTS = """
    SELECT quality_run_id, seq, event_type, payload, occurred_at FROM quality_run_events
    WHERE quality_run_id = %s ORDER BY seq
"""
NAMED = """
    SELECT artifact_id, artifact_type, number, title, version, content AS sections
    FROM artifacts WHERE project_id = %s AND version IS NOT NULL
        AND (artifact_id = %s OR lower(number) = lower(%s)
            OR (artifact_type = 'prd' AND lower(%s) = 'prd'))
    ORDER BY artifact_id LIMIT 1
"""
VERSION = "SELECT content FROM artifact_versions WHERE artifact_id = %s AND version = %s"
POSITION = """
    SELECT coalesce(max(input_ledger_seq), 0) FROM artifact_positions WHERE project_id = %s
"""
ATOMS = """
    SELECT DISTINCT ON (atom_id) record FROM ledger_atom_history
    WHERE atom_id = ANY(%s) AND ledger_seq <= %s ORDER BY atom_id, ledger_seq DESC
"""
DISPUTES = f"""
    SELECT {", ".join(ContradictionRecord.model_fields)} FROM ledger_contradictions
    WHERE opened_seq <= %s AND status IN ('open', 'escalated')
        AND (atom_a_id = ANY(%s) OR atom_b_id = ANY(%s))
    ORDER BY contradiction_id
"""

CITED = """
    SELECT artifact_id, artifact_type, coalesce(number, '') AS number, title, content AS sections,
        coalesce(fields, '{}') || coalesce(plan, '{}') AS own
    FROM artifacts WHERE artifact_id = ANY(%s) AND version IS NOT NULL ORDER BY artifact_id
"""
UNJUDGED = """
    SELECT a.project_id, a.artifact_id, a.version FROM projects
    JOIN artifacts a ON a.project_id = projects.project_id AND a.artifact_type = 'prd'
    JOIN artifact_versions v ON v.artifact_id = a.artifact_id AND v.version = a.version
    WHERE v.published_at <= now() - interval '1 second' * %s AND v.reason <> %s
        AND NOT EXISTS (SELECT 1 FROM orchestration_jobs j
            WHERE j.project_id = a.project_id AND j.job_type = 'quality_run'
            AND j.idempotency_key = %s || a.artifact_id || '|' || a.version)
        AND NOT EXISTS (SELECT 1 FROM orchestration_jobs j WHERE j.project_id = a.project_id
            AND j.job_type = 'synthesis' AND j.status IN ('queued', 'leased', 'failed'))
    ORDER BY a.artifact_id
"""


class UnjudgedPrd(ReadModel):
    """A version that the gate has not been asked about by itself."""

    project_id: str
    artifact_id: str
    version: int


class QualityRunRow(ReadModel):
    """A run with the scores of its last evaluation; what it has not told yet is None."""

    quality_run_id: str
    project_id: str
    artifact_id: str
    artifact_type: str | None
    number: str | None
    title: str | None
    artifact_version: int
    input_ledger_seq: int | None
    mode: str
    status: str
    iteration: int
    max_iterations: int
    final_tier: str | None
    dimension_tiers: dict[str, int]
    dimensions: list[DimensionScore]
    revised_sections: list[str]
    removed: list[RemovedStatement]
    engine: str
    model: str | None
    cost_usd: float
    tokens: int
    started_at: datetime | None
    finished_at: datetime | None
    error: str


class QualityRunEvent(ReadModel):
    quality_run_id: str
    seq: int
    event_type: str
    payload: dict[str, Any]
    occurred_at: datetime


class CitedDocument(ReadModel):
    """An artifact that lines of a sprint plan or report cite, as it is now. ``own`` is what its
    type has besides statements.
    """

    artifact_id: str
    artifact_type: str
    number: str
    title: str
    sections: list[Section]
    own: dict[str, Any]

    @property
    def statements(self) -> list[str]:
        return [statement.text for section in self.sections for statement in section.statements]

    @property
    def text(self) -> str:
        """All that it says, for comparing a line with it."""
        return "\n".join([self.number, self.title, json.dumps(self.own), *self.statements])


class AssessedArtifact(ReadModel):
    """What a run of the gate begins with: a version, and what it rests on at ``ledger_seq``."""

    artifact_id: str
    artifact_type: str
    number: str
    title: str
    version: int
    ledger_seq: int
    sections: list[Section]
    atoms: list[AtomRecord]
    contradictions: list[ContradictionRecord]
    documents: list[CitedDocument] = []


def list_quality_runs(
    connection: Conn,
    project_id: str,
    artifact_id: str | None = None,
    *,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[QualityRunRow]:
    """A page of runs, oldest first. Raises Refusal for a bad cursor."""
    conditions: list[Condition] = [("q.project_id = %s", project_id)]
    if artifact_id is not None:
        conditions.append(("q.artifact_id = %s", artifact_id))
    records, following = page_of(connection, RUNS, conditions, cursor, limit)
    return Page(items=[QualityRunRow(**row) for row in records], next_cursor=following)


def find_quality_run(connection: Conn, run_id: str) -> QualityRunRow | None:
    return next(iter(select(connection, QualityRunRow, ONE, run_id)), None)


def read_quality_run(connection: Conn, project_id: str, run_id: str | None) -> QualityRunRow:
    """The run of this id, or without one the latest over the PRD. Raises NotFound."""
    run = find_quality_run(connection, run_id) if run_id else None
    if run_id is None:
        run = next(iter(select(connection, QualityRunRow, LATEST, project_id)), None)
    if run is None or run.project_id != project_id:
        raise NotFound(
            f"There is no quality run {run_id}." if run_id else "No quality run over a PRD yet.",
            code="unknown_quality_run",
        )
    return run


def list_removed_by_gate(connection: Conn, artifact_id: str) -> list[RemovedStatement]:
    """What the last run of the gate that took something out of the artifact has taken out."""
    row = connection.execute(LAST_REMOVALS, (artifact_id,)).fetchone()
    return [RemovedStatement(**statement) for statement in row[0]] if row else []


def list_quality_events(connection: Conn, run_id: str) -> list[QualityRunEvent]:
    """The audit trail of a run, in its order."""
    return select(connection, QualityRunEvent, EVENTS, run_id)


def list_unjudged_prds(connection: Conn, key_prefix: str, quiet_s: float) -> list[UnjudgedPrd]:
    """The present version of each PRD that has stood for ``quiet_s``, that no job was made for,
    whose key is the prefix, artifact and version, that the gate itself has not made, and that no
    model is about to word.
    """
    return select(connection, UnjudgedPrd, UNJUDGED, quiet_s, REVISED, key_prefix)


def read_assessed(
    connection: Conn, project_id: str, name: str, pinned: tuple[int, int] | None = None
) -> AssessedArtifact:
    """The artifact called ``name`` (id, number, or `prd`) as it stands now.

    ``pinned``: version and position of the ledger at which a run has begun. Raises NotFound.
    """
    records = rows(connection, NAMED, project_id, name, name, name)
    if not records:
        raise NotFound(
            f"There is no artifact {name} yet: they are written when a run ends.",
            code="no_artifact_yet",
        )
    artifact = records[0]
    ((position,),) = connection.execute(POSITION, (project_id,)).fetchall()
    if pinned:
        artifact["version"], position = pinned
        ((artifact["sections"],),) = connection.execute(
            VERSION, (artifact["artifact_id"], artifact["version"])
        ).fetchall()
    return AssessedArtifact(
        **artifact, ledger_seq=position, **_grounds(connection, artifact, position)
    )


def _grounds(connection: Conn, artifact: Row, position: int) -> Row:
    cited = sorted(
        {
            citation["atom_id"]
            for section in artifact["sections"]
            for statement in section["statements"]
            for citation in statement["citations"]
        }
    )
    atoms = connection.execute(ATOMS, (cited, position)).fetchall()
    disputes = rows(connection, DISPUTES, position, cited, cited)
    documents = sorted(
        {
            artifact_id
            for section in artifact["sections"]
            for statement in section["statements"]
            for artifact_id in statement.get("artifact_ids", ())
        }
    )
    return {
        "atoms": [record for (record,) in atoms],
        "contradictions": disputes,
        "documents": rows(connection, CITED, documents) if documents else [],
    }
