"""What the command line, the feeder and the API ask of the tables. No query writes.

Every function takes a connection whose search path is the tables' schema (`reading`), and answers
with plain rows. Times that are measurements (``first_atom_ms`` …) are computed here from raw
stamps, so that no table has to wait for another topic.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from psycopg import Connection
from psycopg.rows import dict_row

import infra.postgres
from infra.errors import Refusal
from schemas.events.hygiene import VERSIONS
from schemas.events.ledger import AtomRecord
from schemas.worth import worth

Conn = Connection[tuple[Any, ...]]
Row = dict[str, Any]
Order = Literal["worth", "age"]

FIRST_ATOM_MS, PRD_V0_MS, FEATURES_V0_MS = 3_000, 30_000, 30_000  # contract of spec 12 §4
TARGETS_MS = {"first_atom": FIRST_ATOM_MS, "prd_v0": PRD_V0_MS, "features_v0": FEATURES_V0_MS}
FIRST_VERSION = """
    SELECT min(v.published_at) AS at FROM artifact_versions v
    JOIN ingestion_runs o ON o.run_id = v.run_id
    WHERE o.project_id = r.project_id AND o.trigger_key = r.trigger_key
        AND v.artifact_type = '{}'
"""
RUN_COLUMNS = (
    "r.run_id, r.lane, r.trigger, r.trigger_key, r.root, r.engine, r.coverage_target, r.status,"
    " r.stop_reason, r.limits, r.versions, r.sources_processed, r.sources_skipped,"
    " r.chunks_processed, r.chunks_skipped, r.chunks_poison, r.atoms_created, r.atoms_merged,"
    " r.atoms_obsoleted, r.atoms_rejected, r.contradictions_found, r.tokens, r.cost_usd,"
    " coalesce(cardinality(r.removals_held), 0) AS removals_held,"
    " r.batch_count, r.last_successful_chunk_id, r.started_at, r.finished_at, r.stop_detail,"
    " r.withdrawn_batches, r.unfinished_sources, r.resumed_from"
)
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
EVIDENCE_JSON = """
    SELECT json_agg(json_build_object(
        'evidence_id', e.evidence_id, 'path', s.path, 'source_id', e.source_id,
        'sanitized_hash', e.sanitized_hash, 'chunk_id', e.chunk_id,
        'char_start', e.char_start, 'char_end', e.char_end,
        'line_start', e.line_start, 'line_end', e.line_end,
        'snippet', e.snippet, 'evidence_type', e.evidence_type, 'stale', e.stale,
        'speaker', e.speaker, 'speaker_role', e.speaker_role, 'said_at', e.said_at)
        ORDER BY e.stale, s.path, e.char_start, e.evidence_id)
    FROM ledger_evidence e LEFT JOIN sources s USING (source_id) WHERE e.atom_id = a.atom_id
"""
ATOM_COLUMNS = ", ".join(f"a.{name}" for name in ("project_id", *AtomRecord.model_fields))


@contextmanager
def reading(conninfo: str) -> Iterator[Conn]:
    """A connection for questions, each in a transaction of its own. Raises DatabaseUnavailable."""
    with infra.postgres.connect(conninfo, autocommit=True) as connection:
        connection.execute("SET search_path TO cairn")
        connection.execute("SET timezone TO 'UTC'")
        yield connection


def rows(connection: Conn, query: str, *parameters: Any) -> list[Row]:
    """All rows of a query, each as a dict."""
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), parameters).fetchall()


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


def last_accepted(connection: Conn, project_id: str) -> dict[str, str]:
    """``raw_sha256`` of each source whose last revision stage 0 answered under today's versions.

    Sources that are gone or were given up (``poison``) are left out: they have to be sent again.
    """
    now = VERSIONS
    found = connection.execute(
        "SELECT source_id, raw_sha256 FROM sources WHERE project_id = %s"
        " AND state IN ('sanitized', 'skipped') AND gate_skip_reason IS DISTINCT FROM 'poison'"
        " AND (hygiene_version, redactor_version, annotator_version, chunk_version)"
        " = (%s, %s, %s, %s)",
        (project_id, now.hygiene, now.redactor, now.annotator, now.chunk),
    )
    return {source_id: raw_sha256 for source_id, raw_sha256 in found}


def removals_held(connection: Conn, project_id: str, run_id: str) -> Row | None:
    """The run with its ``root`` and the sources it holds back; None when there is no such run."""
    found = rows(
        connection,
        "SELECT run_id, root, coalesce(removals_held, '{}') AS removals_held FROM ingestion_runs"
        " WHERE project_id = %s AND run_id = %s",
        *(project_id, run_id),
    )
    return found[0] if found else None


def answered(connection: Conn, project_id: str, trigger_key: str) -> set[str]:
    """The sources that stage 0 has answered for under this trigger."""
    found = connection.execute(
        "SELECT source_id FROM trigger_sources"
        " WHERE project_id = %s AND trigger_key = %s AND outcome IS NOT NULL",
        (project_id, trigger_key),
    )
    return {source_id for (source_id,) in found}


def atoms(
    connection: Conn,
    project_id: str,
    *,
    kind: str | None = None,
    status: str | None = None,
    source: str | None = None,
    order: Order = "worth",
    limit: int | None = None,
) -> list[Row]:
    """Atoms with their evidence, those to be seen first at the front; live ones unless ``status``.

    ``order`` ``age`` is that in which the ledger met them. ``status`` may be ``all``. ``source`` is
    a glob over paths (``docs/*``); an atom is in when one of its evidence rows is from a source
    that fits.
    """
    conditions, parameters = ["a.project_id = %s"], [project_id]
    if kind:
        conditions.append("a.kind = %s")
        parameters.append(kind)
    if status is None:
        conditions.append("a.status IN ('active', 'draft')")
    elif status != "all":
        conditions.append("a.status = %s")
        parameters.append(status)
    if source:
        conditions.append(
            "EXISTS (SELECT 1 FROM ledger_evidence e JOIN sources s USING (source_id)"
            " WHERE e.atom_id = a.atom_id AND s.path LIKE %s)"
        )
        parameters.append(like_of(source))
    found = rows(
        connection,
        f"SELECT {ATOM_COLUMNS} FROM ledger_atoms a WHERE {' AND '.join(conditions)}",
        *parameters,
    )
    shown = ordered(found, order)[:limit]
    quoted = rows(
        connection,
        f"SELECT a.atom_id, ({EVIDENCE_JSON}) AS evidence FROM ledger_atoms a"
        " WHERE a.atom_id = ANY(%s)",
        [atom["atom_id"] for atom in shown],
    )
    evidence = {row["atom_id"]: row["evidence"] or [] for row in quoted}
    return [atom | {"evidence": evidence[atom["atom_id"]]} for atom in shown]


def ordered(atoms: list[Row], order: Order) -> list[Row]:
    """Rows with the columns of an atom in this order; ties by age."""
    by_age = sorted(atoms, key=lambda atom: (atom["first_seq"], atom["atom_id"]))
    if order == "age":
        return by_age
    return sorted(by_age, key=lambda atom: -worth(_record_of(atom)))


def _record_of(atom: Row) -> AtomRecord:
    return AtomRecord.model_validate({name: atom[name] for name in AtomRecord.model_fields})


def like_of(glob: str) -> str:
    """A LIKE pattern for a glob with ``*`` and ``?``; ``*`` also passes slashes."""
    escaped = glob.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return escaped.replace("*", "%").replace("?", "_")


def runs(connection: Conn, project_id: str, trigger_key: str | None = None) -> list[Row]:
    """Runs, oldest first, with how long first atom, PRD and feature took from the first content."""
    found = rows(
        connection,
        f"""SELECT {RUN_COLUMNS},
            floor(extract(epoch FROM s.first_atom_at - accepted.at) * 1000)::bigint
                AS first_atom_ms,
            {WAITING_FOR_SOURCES} AS waiting_for_sources,
            r.status = 'running' AND EXISTS (SELECT 1 FROM run_requests a
                WHERE a.run_id = r.run_id AND a.kind = 'cancel') AS cancel_requested,
            floor(extract(epoch FROM prd.at - accepted.at) * 1000)::bigint AS prd_v0_ms,
            floor(extract(epoch FROM features.at - accepted.at) * 1000)::bigint AS features_v0_ms
        FROM ingestion_runs r
        LEFT JOIN run_stamps s USING (run_id)
        LEFT JOIN trigger_stamps t
            ON t.project_id = r.project_id AND t.trigger_key = r.trigger_key
        LEFT JOIN ingestion_triggers q
            ON q.project_id = r.project_id AND q.trigger_key = r.trigger_key
        CROSS JOIN LATERAL (SELECT coalesce(t.first_source_at, q.requested_at) AS at) accepted
        LEFT JOIN LATERAL ({FIRST_VERSION.format("prd")}) prd ON true
        LEFT JOIN LATERAL ({FIRST_VERSION.format("feature")}) features ON true
        WHERE r.project_id = %s AND r.trigger_key = coalesce(%s, r.trigger_key)
        ORDER BY r.started_at, r.lane DESC, r.run_id""",
        *(project_id, trigger_key),
    )
    for run in found:
        run["target_missed"] = [
            name for name, limit in TARGETS_MS.items() if (run[f"{name}_ms"] or 0) > limit
        ]
    return found


def run(connection: Conn, run_id: str) -> Row:
    """Project, status and stop reason of a run. Raises Refusal when there is none of that id."""
    found = rows(
        connection,
        "SELECT run_id, project_id, status, stop_reason FROM ingestion_runs WHERE run_id = %s",
        run_id,
    )
    if not found:
        raise Refusal(f"There is no run {run_id}: see `cairn runs`.")
    return found[0]


def contradictions(connection: Conn, project_id: str, status: str | None = "open") -> list[Row]:
    """Contradictions with both statements, the gravest first; ``status`` None: all."""
    return rows(
        connection,
        "SELECT c.contradiction_id, c.contradiction_type, c.severity, c.status, c.explanation,"
        " c.detected_by, c.atom_a_id, a.title AS title_a, a.confidence AS confidence_a,"
        " c.atom_b_id, b.title AS title_b, b.confidence AS confidence_b, c.opened_seq,"
        " c.updated_seq, c.reopened, c.resolution_kind, c.rationale, c.decided_by"
        " FROM ledger_contradictions c"
        " LEFT JOIN ledger_atoms a ON a.atom_id = c.atom_a_id"
        " LEFT JOIN ledger_atoms b ON b.atom_id = c.atom_b_id"
        " WHERE c.project_id = %s AND c.status = coalesce(%s, c.status)"
        " ORDER BY array_position(ARRAY['high', 'medium', 'low'], c.severity), c.opened_seq,"
        " c.contradiction_id",
        *(project_id, status),
    )


def merges(connection: Conn, project_id: str) -> list[Row]:
    """Merge operations in ledger order, then the pairs that wait for a person."""
    done = rows(
        connection,
        "SELECT 'done' AS state, m.op, m.similarity, m.winner_atom_id AS atom_a_id,"
        " w.title AS title_a, m.loser_atom_id AS atom_b_id, l.title AS title_b,"
        " m.confidence_before, m.confidence_after, m.evidence_added, m.reason, m.actor,"
        " m.ledger_seq, m.merge_op_id AS id"
        " FROM ledger_merge_ops m LEFT JOIN ledger_atoms w ON w.atom_id = m.winner_atom_id"
        " LEFT JOIN ledger_atoms l ON l.atom_id = m.loser_atom_id"
        " WHERE m.project_id = %s ORDER BY m.ledger_seq, m.merge_op_id",
        project_id,
    )
    waiting = rows(
        connection,
        "SELECT m.state, 'merge_review' AS op, m.similarity, m.atom_a_id, a.title AS title_a,"
        " m.atom_b_id, b.title AS title_b, m.differing_tokens, m.opened_seq AS ledger_seq,"
        " m.merge_candidate_id AS id"
        " FROM ledger_merge_candidates m LEFT JOIN ledger_atoms a ON a.atom_id = m.atom_a_id"
        " LEFT JOIN ledger_atoms b ON b.atom_id = m.atom_b_id"
        " WHERE m.project_id = %s ORDER BY m.opened_seq, m.merge_candidate_id",
        project_id,
    )
    return done + waiting


def dead_letters(connection: Conn, dead_letter_id: str | None = None) -> list[Row]:
    """What was given up, with place and reason; the value itself only for one that is named."""
    value = ", value, origin_key" if dead_letter_id else ""
    return rows(
        connection,
        "SELECT dead_letter_id, project_id, stage, origin_topic, origin_partition, origin_offset,"
        f" error_class, error, attempts, recorded_at{value} FROM dead_letters"
        " WHERE dead_letter_id = coalesce(%s, dead_letter_id)"
        " ORDER BY origin_topic, origin_partition, origin_offset, stage",
        dead_letter_id,
    )


def artifact(connection: Conn, project_id: str, artifact_type: str) -> Row:
    """The project's artifact of a type that has one live instance. Raises Refusal without one."""
    found = rows(
        connection,
        "SELECT artifact_id, number, title, artifact_state, version, content AS sections,"
        " content_hash, rendered_markdown, lane, engine, model, run_id, input_ledger_seq,"
        " blocked_by, created_at, updated_at FROM artifacts"
        " WHERE project_id = %s AND artifact_type = %s AND version IS NOT NULL"
        " ORDER BY number, artifact_id LIMIT 1",
        *(project_id, artifact_type),
    )
    if not found:
        raise Refusal(
            f"There is no {artifact_type} yet: one is written when a run ends, see `cairn runs`."
        )
    return found[0]


def has_artifact(connection: Conn, project_id: str, artifact_type: str) -> bool:
    """Whether a version of the type has been published."""
    found = connection.execute(
        "SELECT 1 FROM artifacts WHERE project_id = %s AND artifact_type = %s"
        " AND version IS NOT NULL LIMIT 1",
        (project_id, artifact_type),
    )
    return found.fetchone() is not None


def items(connection: Conn, project_id: str, artifact_type: str) -> list[Row]:
    """The present insights, epics or features by number; those that say nothing more are left out.

    Every citation comes with the ``places`` its atom was read from, as path and line; an item with
    its ``features`` as number and title, if it is an epic.
    """
    found = rows(
        connection,
        "SELECT artifact_id, number, title, artifact_state, version, content AS sections, fields,"
        " plan, quality_tier, blocked_by, upstream_artifact_ids, lane, engine, run_id,"
        " input_ledger_seq, content_hash, created_at, updated_at,"
        " (SELECT coalesce(array_agg(f.number || ' ' || f.title ORDER BY f.number), '{}')"
        "   FROM artifacts f WHERE a.fields->'feature_ids' ? f.artifact_id) AS features"
        " FROM artifacts a WHERE project_id = %s AND artifact_type = %s AND number <> ''"
        " ORDER BY number, artifact_id",
        *(project_id, artifact_type),
    )
    add_places(connection, [section for item in found for section in item["sections"]])
    return found


def gone_items(connection: Conn, project_id: str, artifact_type: str) -> list[Row]:
    """The insights, epics or features that say nothing any more, with ``why``."""
    return rows(
        connection,
        "SELECT artifact_id, title, content->0->>'gap' AS why, input_ledger_seq FROM artifacts"
        " WHERE project_id = %s AND artifact_type = %s AND number = ''"
        " ORDER BY input_ledger_seq, title, artifact_id",
        *(project_id, artifact_type),
    )


def add_places(connection: Conn, sections: list[Row]) -> None:
    """Every citation of the sections gets the ``places`` its atom was read from."""
    citations = [
        citation
        for section in sections
        for statement in section["statements"]
        for citation in statement["citations"]
    ]
    places = _places(connection, sorted({one["atom_id"] for one in citations}))
    for one in citations:
        one["places"] = places.get(one["atom_id"], [])


def _places(connection: Conn, atom_ids: list[str]) -> dict[str, list[str]]:
    """``path:line`` of the evidence of each atom, fresh evidence first."""
    found: dict[str, list[str]] = {}
    for atom_id, place in connection.execute(
        "SELECT e.atom_id, s.path || ':' || e.line_start FROM ledger_evidence e"
        " JOIN sources s USING (source_id) WHERE e.atom_id = ANY(%s)"
        " ORDER BY e.atom_id, e.stale, s.path, e.char_start, e.evidence_id",
        (atom_ids,),
    ):
        found.setdefault(atom_id, []).append(place)
    return found


def chunk_text(connection: Conn, chunk_id: str) -> str | None:
    """The text of a chunk, cut out of its source's sanitized text; None when it is not there."""
    found = connection.execute(
        "SELECT substr(string_agg(t.text, '' ORDER BY t.part_index), c.anchor_start + 1,"
        " c.anchor_end - c.anchor_start) FROM chunks c"
        " JOIN source_texts t USING (source_id, sanitized_hash)"
        " WHERE c.chunk_id = %s GROUP BY c.anchor_start, c.anchor_end",
        (chunk_id,),
    ).fetchone()
    return str(found[0]) if found else None
