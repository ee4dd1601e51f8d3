"""Why a thing is as it is: every decision that was taken about an id, in the order it was taken.

The decisions are in the log already: the plan that chose a chunk, the rules that judged a
candidate, the operations of change sets, what was published and why. Here they are only looked up
and put in a row. What reflection said of a candidate that it let through is in no table; it is read
from its record, at the place the projection knows.

Decided against: a table of all findings. It would cost a row a candidate for a question that is
asked of single atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from infra.platform.errors import NotFound
from projections.read.decisions import (
    ADDING,
    CHANGE_SET,
    FactAt,
    TraceReason,
    describe_operation,
    list_changes,
    list_choices,
    list_judgements,
    list_refusals,
    place_of,
    text,
)
from projections.read.session import Conn, rows
from schemas.confirmations import describe_status


def list_reasons(connection: Conn, known_id: str, fact_at: FactAt) -> list[TraceReason]:
    """The decisions about an atom, chunk, candidate, source, contradiction, merge, run, artifact,
    or statement, oldest first. Raises Refusal when nothing is known of the id.
    """
    ask = QUESTIONS.get(known_id.partition("_")[0])
    reasons = list(ask(connection, known_id, fact_at)) if ask else []
    if not reasons:
        raise NotFound(
            f"Nothing was decided about {known_id}: give the id of an atom (atm_), chunk (chk_),"
            " candidate (cnd_), evidence row (evd_), source (src_), contradiction (ctr_), pair in"
            " review (mrg_), merge (mop_), run (run_), artifact (art_) or statement (stm_)."
        )
    return reasons


def _explain_atom(connection: Conn, atom_id: str, fact_at: FactAt) -> Iterator[TraceReason]:
    """Every operation on the atom; before the first of a reading: choice of the chunk and rules."""
    shown: set[str] = set()
    for row, change in list_changes(connection, atom_id):
        cause = row["caused_by_event_id"]
        if row["chunk_id"] and change["op"] in ADDING and cause not in shown:
            shown.add(cause)
            yield from list_choices(connection, row["chunk_id"], row["run_id"])
            yield from list_judgements(connection, row, atom_id, fact_at)
        yield describe_operation(row, change)
    for row in rows(
        connection,
        "SELECT contradiction_id, severity, status, explanation, rationale, updated_seq"
        " FROM ledger_contradictions WHERE %s IN (atom_a_id, atom_b_id)"
        " ORDER BY opened_seq, contradiction_id",
        atom_id,
    ):
        yield TraceReason(
            step="ledger",
            what=f"contradiction {row['status']}",
            because=f"severity_{row['severity']}",
            detail=row["rationale"] or row["explanation"],
            about=row["contradiction_id"],
            ledger_seq=row["updated_seq"],
        )


def _explain_chunk(connection: Conn, chunk_id: str, fact_at: FactAt) -> Iterator[TraceReason]:
    """Why a chunk was skipped or read, in which batch, and what its reading led to."""
    for row in rows(
        connection,
        "SELECT source_id, gate_skip_reason, skip_detail, created_event_id FROM chunks"
        " WHERE chunk_id = %s AND gate_skip_reason IS NOT NULL",
        chunk_id,
    ):
        yield TraceReason(
            step="source",
            what="chunk skipped",
            because=row["gate_skip_reason"],
            detail=row["skip_detail"] or "",
            about=row["source_id"],
            event_id=text(row["created_event_id"]),
        )
    yield from list_choices(connection, chunk_id, None)
    for row in rows(
        connection,
        f"SELECT {CHANGE_SET} FROM ledger_change_sets WHERE chunk_id = %s ORDER BY ledger_seq",
        chunk_id,
    ):
        yield TraceReason(
            step="ledger",
            what="turn applied",
            because=row["outcome"],
            detail=row["reason"],
            about=chunk_id,
            **place_of(row),
        )
        for change in row["changes"]:
            yield describe_operation(row, change)
    yield from list_refusals(connection, "chunk_id", chunk_id)


def _explain_candidate(
    connection: Conn, candidate_id: str, fact_at: FactAt
) -> Iterator[TraceReason]:
    """The rules that refused a candidate or rows of it, and what the ledger did with it."""
    yield from list_refusals(connection, "candidate_id", candidate_id)
    yield from _explain_target(connection, candidate_id, fact_at)


def _explain_target(connection: Conn, target_id: str, fact_at: FactAt) -> Iterator[TraceReason]:
    """Every operation of the ledger that names the id."""
    for row, change in list_changes(connection, target_id):
        yield describe_operation(row, change)


def _explain_merge(connection: Conn, merge_op_id: str, fact_at: FactAt) -> Iterator[TraceReason]:
    for row in rows(
        connection,
        "SELECT op, winner_atom_id, loser_atom_id, similarity, reason, actor, ledger_seq, run_id"
        " FROM ledger_merge_ops WHERE merge_op_id = %s",
        merge_op_id,
    ):
        detail = f"similarity {row['similarity']:.3f}, by {row['actor']}"
        detail += f", {row['loser_atom_id']} into it" if row["loser_atom_id"] else ""
        about = row["winner_atom_id"]
        yield TraceReason(
            step="ledger",
            what=row["op"],
            because=row["reason"],
            detail=detail,
            about=about,
            ledger_seq=row["ledger_seq"],
            run_id=row["run_id"],
        )


def _explain_source(connection: Conn, source_id: str, fact_at: FactAt) -> Iterator[TraceReason]:
    """What stage 0 answered for each revision, and what the ledger was told of it."""
    for row in rows(
        connection,
        "SELECT r.revision_seq, r.outcome, r.skip_reason, s.skip_detail, r.revised_event_id,"
        " r.trigger_key FROM source_revisions r JOIN sources s USING (source_id)"
        " WHERE r.source_id = %s ORDER BY r.revision_seq",
        source_id,
    ):
        yield TraceReason(
            step="source",
            what=f"revision {row['revision_seq']} {row['outcome']}",
            because=row["skip_reason"] or "read",
            detail=row["skip_detail"] or f"trigger {row['trigger_key']}",
            about=source_id,
            event_id=text(row["revised_event_id"]),
        )
    yield from _explain_target(connection, source_id, fact_at)


def _explain_run(connection: Conn, run_id: str, fact_at: FactAt) -> Iterator[TraceReason]:
    """Why the run began, what each batch was chosen by, and why it stopped."""
    for run in rows(
        connection,
        "SELECT trigger, trigger_key, lane, coverage_target, status, stop_reason, started_event_id"
        " FROM ingestion_runs WHERE run_id = %s",
        run_id,
    ):
        yield TraceReason(
            step="run",
            what=f"{run['lane']} run began",
            because=run["trigger"],
            detail=f"request {run['trigger_key']}, to cover {run['coverage_target']}",
            about=run_id,
            event_id=text(run["started_event_id"]),
        )
        for batch in rows(
            connection,
            "SELECT batch_no, basis_seq, hint, withdrawn, planned_event_id FROM ingestion_batches"
            " WHERE run_id = %s AND hint IS NOT NULL ORDER BY batch_no",
            run_id,
        ):
            chunks = len(batch["hint"]["selected_chunk_ids"])
            yield TraceReason(
                step="chosen",
                what="batch withdrawn" if batch["withdrawn"] else "batch chosen",
                because=batch["hint"]["decision_rule"],
                detail=f"{chunks} chunks from the ledger as of {batch['basis_seq']}",
                about=run_id,
                run_id=run_id,
                batch_no=batch["batch_no"],
                event_id=text(batch["planned_event_id"]),
            )
        if run["stop_reason"]:
            yield TraceReason(
                step="run",
                what=f"run {run['status']}",
                because=run["stop_reason"],
                detail="",
                about=run_id,
            )


def _explain_artifact(connection: Conn, artifact_id: str, fact_at: FactAt) -> Iterator[TraceReason]:
    """Why each version was written or refused, and why the state is what it is."""
    for row in rows(
        connection,
        "SELECT version, reason, recomputed_sections, input_ledger_seq, run_id, event_id"
        " FROM artifact_versions WHERE artifact_id = %s ORDER BY version",
        artifact_id,
    ):
        yield TraceReason(
            step="published",
            what=f"version {row['version']}",
            because=row["reason"],
            detail=f"written anew: {', '.join(row['recomputed_sections']) or 'nothing'}",
            about=artifact_id,
            ledger_seq=row["input_ledger_seq"],
            run_id=row["run_id"],
            event_id=text(row["event_id"]),
        )
    for row in rows(
        connection,
        "SELECT version, findings FROM artifact_rejections WHERE artifact_id = %s ORDER BY version",
        artifact_id,
    ):
        for finding in row["findings"]:
            yield TraceReason(
                step="published",
                what=f"version {row['version']} refused",
                because=finding["code"],
                detail=finding["detail"],
                about=finding["statement_id"],
            )
    for row in rows(
        connection,
        "SELECT artifact_state, reason_codes, blocked_by, input_ledger_seq FROM artifacts"
        " WHERE artifact_id = %s AND artifact_state IS NOT NULL",
        artifact_id,
    ):
        codes = ", ".join(row["reason_codes"] or [])
        blocked = ", ".join(row["blocked_by"] or [])
        yield TraceReason(
            step="published",
            what=f"state {row['artifact_state']}",
            because=codes or "minimum_not_met",
            detail=f"blocked by {blocked}" if blocked else "",
            about=artifact_id,
            ledger_seq=row["input_ledger_seq"],
        )


def _explain_statement(
    connection: Conn, statement_id: str, fact_at: FactAt
) -> Iterator[TraceReason]:
    """The versions in which a statement's section was written anew, and the atoms it rests on."""
    for row in rows(
        connection,
        "SELECT DISTINCT v.version, v.reason, c.section_id, v.input_ledger_seq, v.run_id,"
        " v.event_id, v.artifact_id FROM artifact_citations c"
        " JOIN artifact_versions v USING (artifact_id, version)"
        " WHERE c.statement_id = %s AND c.section_id = ANY(v.recomputed_sections)"
        " ORDER BY v.version",
        statement_id,
    ):
        yield TraceReason(
            step="published",
            what=f"section {row['section_id']} of version {row['version']}",
            because=row["reason"],
            detail="",
            about=row["artifact_id"],
            ledger_seq=row["input_ledger_seq"],
            run_id=row["run_id"],
            event_id=text(row["event_id"]),
        )
    for row in rows(
        connection,
        "SELECT a.atom_id, a.status, a.status_reason, a.attributes, a.verified_by, a.title,"
        " a.confidence"
        " FROM (SELECT DISTINCT atom_id FROM artifact_citations WHERE statement_id = %s) c"
        " JOIN ledger_atoms a USING (atom_id) ORDER BY a.atom_id",
        statement_id,
    ):
        yield TraceReason(
            step="ledger",
            what=f"cites an atom that is {row['status']}",
            because=describe_status(
                row["status"],
                row["status_reason"],
                row["attributes"],
                verified_by=row["verified_by"],
            )
            or row["status_reason"]
            or row["status"],
            detail=f"{row['title']} ({row['confidence']:.2f})",
            about=row["atom_id"],
        )


QUESTIONS: dict[str, Callable[[Conn, str, FactAt], Iterator[TraceReason]]] = {
    "atm": _explain_atom,
    "chk": _explain_chunk,
    "cnd": _explain_candidate,
    "evd": _explain_target,
    "src": _explain_source,
    "ctr": _explain_target,
    "mrg": _explain_target,
    "mop": _explain_merge,
    "run": _explain_run,
    "art": _explain_artifact,
    "stm": _explain_statement,
}
