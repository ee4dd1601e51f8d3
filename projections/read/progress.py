"""How far a trigger has come, and whether it is settled: what `cairn ingest --wait` looks at.

Settled means more than that the runs have ended: the ledger has their last turns, the PRD stands
at a position behind them, and the tables hold every record that led there, whatever its topic. What
has no row in the tables (a model's answer about a pair, a record they refused) is not waited for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from projections.read.dead_letters import list_undecided
from projections.read.owed import count_owed_chunks
from projections.read.page import take
from projections.read.runs import TARGETS_MS, list_runs
from projections.read.session import Conn, Row, rows
from schemas.ids import run_id as derive_run_id

PRD = "prd"
ENDED = ("stopped", "failed", "cancelled")
BEYOND_LIMIT = '[{"code": "beyond_chunk_limit"}]'  # the finding of what a chunk had too many of
# Triggers that may not be settled: the newest one, and those with a lane whose run has not ended.
TO_LOOK_AT = """
    SELECT t.trigger_key FROM ingestion_triggers t WHERE t.project_id = %s AND (
        t.requested_at = (SELECT max(n.requested_at) FROM ingestion_triggers n
            WHERE n.project_id = t.project_id)
        OR (SELECT count(*) FROM ingestion_runs r WHERE r.project_id = t.project_id
            AND r.trigger_key = t.trigger_key AND r.status IN ('stopped', 'failed', 'cancelled'))
            < cardinality(t.lanes))
"""
RUN_SHOWN = {"run_id", "lane", "status", "stop_reason", *(f"{name}_ms" for name in TARGETS_MS)}


@dataclass(frozen=True, slots=True)
class TriggerProgress:
    """``listed`` sources, of which ``ready`` are answered for (``skipped`` of them skipped).

    ``chunks_total`` counts what was found to read so far, ``chunks_done`` readings in the ledger
    and chunks that said what was read before. ``by_rules``: see `owed_chunks`.
    ``runs``: what `RUN_SHOWN` names. ``prd_version`` is 0 before the first. ``undecided`` says what
    of the project no stage could decide.
    """

    listed: int
    ready: int
    skipped: int
    skip_reasons: dict[str, int]
    chunks_total: int
    chunks_done: int
    atoms: int
    by_rules: dict[str, int]
    runs: list[Row]
    prd_version: int
    settled: bool
    undecided: list[str] = field(default_factory=list)
    atoms_beyond_limit: int = 0


def read_trigger_progress(connection: Conn, project_id: str, trigger_key: str) -> TriggerProgress:
    """Where the trigger stands, read in one snapshot."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        sources = _sources(connection, project_id, trigger_key)
        lanes = _lanes(connection, project_id, trigger_key)
        run_ids = [derive_run_id(project_id, trigger_key, lane) for lane in lanes]
        known_runs = list(take(partial(list_runs, connection, project_id, trigger_key)))
        run_ids += [run.run_id for run in known_runs if run.resumed_from]
        work = rows(
            connection,
            "SELECT (SELECT count(*) FROM ledger_change_sets WHERE run_id = ANY(%s)"
            "   AND kind = 'chunk') + (SELECT count(*) FROM chunks"
            "   WHERE project_id = %s AND reanchored_run_id = ANY(%s)) AS chunks_done,"
            " (SELECT count(*) FROM ledger_atoms WHERE first_run_id = ANY(%s)) AS atoms,"
            " (SELECT coalesce(max(version), 0) FROM artifacts WHERE project_id = %s"
            "   AND artifact_type = %s) AS prd_version,"
            " (SELECT count(*) FROM ledger_rejections WHERE run_id = ANY(%s)"
            "   AND findings @> %s::jsonb) AS beyond_limit",
            *(run_ids, project_id, run_ids, run_ids, project_id, PRD, run_ids, BEYOND_LIMIT),
        )[0]
        ended_early = any(run.status in ("cancelled", "failed") for run in known_runs)
        by_rules = count_owed_chunks(connection, project_id)
        undecided = list_undecided(connection, project_id)
        # What the projector has left out will not come: nobody waits for it.
        is_left_out = any(each.stage == "projector" for each in undecided)
        all_ready = sources["listing_whole"] and sources["ready"] >= sources["listed"]
        settled = (
            bool(run_ids)
            and (all_ready or ended_early or is_left_out)
            and (not sources["texts_missing"] or is_left_out)
            and len(known_runs) == len(run_ids)
            and all(run.status in ENDED for run in known_runs)
            and _ledger_settled(connection, project_id, run_ids)
        )
    return TriggerProgress(
        listed=sources["listed"],
        ready=sources["ready"],
        skipped=sum(sources["skip_reasons"].values()),
        skip_reasons=sources["skip_reasons"],
        chunks_total=max(sources["chunks"], work["chunks_done"]),  # copies are read for originals
        chunks_done=work["chunks_done"],
        atoms=work["atoms"],
        by_rules=by_rules,
        runs=[run.model_dump(include=RUN_SHOWN) for run in known_runs],
        prd_version=work["prd_version"],
        settled=settled,
        undecided=[str(each) for each in undecided],
        atoms_beyond_limit=work["beyond_limit"],
    )


def is_settled(connection: Conn, project_id: str) -> bool:
    """Whether all that was asked to be read is settled; not as long as nothing was asked."""
    keys = [row["trigger_key"] for row in rows(connection, TO_LOOK_AT, project_id)]
    return bool(keys) and all(
        read_trigger_progress(connection, project_id, key).settled for key in keys
    )


def _lanes(connection: Conn, project_id: str, trigger_key: str) -> list[str]:
    records = rows(
        connection,
        "SELECT lanes FROM ingestion_triggers WHERE project_id = %s AND trigger_key = %s",
        *(project_id, trigger_key),
    )
    return list(records[0]["lanes"]) if records else []


def _sources(connection: Conn, project_id: str, trigger_key: str) -> dict[str, Any]:
    trigger = (project_id, trigger_key)
    counted = rows(
        connection,
        "SELECT count(*) FILTER (WHERE position IS NOT NULL) AS listed,"
        " count(*) FILTER (WHERE position IS NOT NULL AND (unchanged OR outcome IS NOT NULL))"
        "   AS ready,"
        " coalesce(sum(chunks_to_read) FILTER (WHERE outcome = 'sanitized' AND NOT EXISTS ("
        "   SELECT 1 FROM sources s WHERE s.source_id = t.source_id"
        "   AND s.duplicate_of IS NOT NULL)), 0) AS chunks,"
        " count(*) FILTER (WHERE outcome = 'sanitized' AND NOT EXISTS ("
        "   SELECT 1 FROM source_texts x WHERE x.source_id = t.source_id"
        "   AND x.sanitized_hash = t.sanitized_hash AND x.part_index = x.part_count - 1))"
        "   AS texts_missing"
        " FROM trigger_sources t WHERE project_id = %s AND trigger_key = %s",
        *trigger,
    )[0]
    reasons = connection.execute(
        "SELECT skip_reason, count(*) FROM trigger_sources WHERE project_id = %s"
        " AND trigger_key = %s AND outcome = 'skipped' GROUP BY skip_reason ORDER BY skip_reason",
        trigger,
    )
    (parts,) = rows(
        connection,
        "SELECT count(*) AS there, coalesce(max(part_count), 1) AS wanted FROM trigger_listings"
        " WHERE project_id = %s AND trigger_key = %s",
        *trigger,
    )
    return counted | {
        "skip_reasons": {reason: count for reason, count in reasons},
        "listing_whole": parts["there"] == parts["wanted"],
    }


def _ledger_settled(connection: Conn, project_id: str, run_ids: list[str]) -> bool:
    """All runs have their last turn, the causes of all turns are here, the PRD is behind them."""
    ends = rows(
        connection,
        "SELECT count(DISTINCT run_id) AS ended, max(ledger_seq) AS seq FROM ledger_change_sets"
        " WHERE run_id = ANY(%s) AND kind = 'run_end'",
        run_ids,
    )[0]
    if ends["ended"] < len(run_ids):
        return False
    causes = rows(
        connection,
        "SELECT count(*) AS missing, (SELECT count(*) FROM dead_letters"
        " WHERE project_id = %s AND stage = 'projector') AS refused"
        " FROM ledger_change_sets c WHERE c.run_id = ANY(%s)"
        " AND c.kind <> 'pairs' AND NOT EXISTS (SELECT 1 FROM event_places p"
        "   WHERE p.event_id = c.caused_by_event_id::uuid)",
        *(project_id, run_ids),
    )[0]
    return causes["missing"] <= causes["refused"] and _prd_settled(
        connection, project_id, ends["seq"]
    )


def _prd_settled(connection: Conn, project_id: str, seq: int) -> bool:
    positions = rows(
        connection,
        "SELECT p.outcome, p.version, p.artifact_state, p.input_ledger_seq,"
        " a.version AS present_version, a.artifact_state AS present_state,"
        " EXISTS (SELECT 1 FROM artifact_rejections r WHERE r.artifact_id = p.artifact_id"
        "   AND r.version = p.version + 1) AS rejection_there,"
        " EXISTS (SELECT 1 FROM artifact_versions v WHERE v.artifact_id = p.artifact_id"
        "   AND v.version = p.version) AS version_there"
        " FROM artifact_positions p LEFT JOIN artifacts a USING (artifact_id)"
        " WHERE p.project_id = %s AND p.artifact_type = %s"
        " ORDER BY p.artifact_seq DESC LIMIT 1",
        *(project_id, PRD),
    )
    if not positions or positions[0]["input_ledger_seq"] < seq:
        return False
    last = positions[0]
    match last["outcome"]:
        case "rejected":
            there = bool(last["rejection_there"])
        case "unchanged" | "undecidable" if last["version"] == 0:
            there = True
        case _:
            there = bool(last["version_there"]) and (last["version"], last["artifact_state"]) == (
                last["present_version"],
                last["present_state"],
            )
    return there and not _items_missing(connection, project_id)


def _items_missing(connection: Conn, project_id: str) -> bool:
    """Whether an item of a position is not in the tables yet as its last position left it."""
    return bool(
        rows(
            connection,
            "SELECT 1 FROM (SELECT DISTINCT ON (i.artifact_id) i.* FROM artifact_positions p"
            "  CROSS JOIN LATERAL jsonb_to_recordset(p.items)"
            "   AS i(artifact_id text, version int, artifact_state text, outcome text)"
            "  WHERE p.project_id = %s AND i.outcome <> 'rejected'"
            "  ORDER BY i.artifact_id, p.artifact_seq DESC) i"
            " LEFT JOIN artifacts a USING (artifact_id)"
            " LEFT JOIN artifact_versions v ON v.artifact_id = i.artifact_id"
            "  AND v.version = i.version"
            " WHERE (a.version, a.artifact_state) IS DISTINCT FROM (i.version, i.artifact_state)"
            "  OR v.version IS NULL LIMIT 1",
            project_id,
        )
    )
