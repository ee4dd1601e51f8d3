"""Single decisions as the log recorded them: choice of a chunk, rules, operations of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from psycopg.types.json import Jsonb

from projections.log_reader import Place
from projections.read.session import Conn, ReadModel, Row, rows
from schemas.envelope import Envelope
from schemas.events.atom import AtomReflected, Candidate, Finding
from schemas.fingerprint import atom_fingerprint
from schemas.ids import atom_id as derive_atom_id

FactAt = Callable[[Place], Envelope | None]
"""The fact at a place of the log, or None when it is no longer there."""


class TraceReason(ReadModel):
    """One decision. ``step`` says by whom: chosen, judged, ledger, published, source or run.

    ``what`` was done, ``because`` of which code or rule, ``detail`` for people; ``ledger_seq`` is
    its place in the ledger, where it has one.
    """

    step: str
    what: str
    because: str
    detail: str = ""
    about: str = ""
    ledger_seq: int | None = None
    run_id: str | None = None
    batch_no: int | None = None
    event_id: str | None = None


CHANGE_SET = (
    "ledger_seq, run_id, batch_no, chunk_id, outcome, reason, changes, caused_by_event_id, event_id"
)
ADDING = frozenset({"atom_created", "evidence_added", "evidence_refreshed"})


def list_changes(connection: Conn, known_id: str) -> Iterator[tuple[Row, Row]]:
    """The operations that name the id, with their change sets, in ledger order."""
    named = [Jsonb([{key: known_id}]) for key in ("target_id", "other_id")]
    for row in rows(
        connection,
        f"SELECT {CHANGE_SET} FROM ledger_change_sets"
        " WHERE changes @> %s OR changes @> %s ORDER BY project_id, ledger_seq",
        *named,
    ):
        for change in row["changes"]:
            if known_id in (change["target_id"], change["other_id"]):
                yield row, change


def describe_operation(row: Row, change: Row) -> TraceReason:
    other = change["other_id"]
    detail = " ".join(part for part in (change["detail"], f"({other})" if other else "") if part)
    return TraceReason(
        step="ledger",
        what=change["op"],
        because=change["reason"],
        detail=detail,
        about=change["target_id"],
        **place_of(row),
    )


def place_of(row: Row) -> Row:
    """Where a decision stands in the ledger, as fields of a reason."""
    return {
        "ledger_seq": row["ledger_seq"],
        "run_id": row["run_id"],
        "batch_no": row["batch_no"],
        "event_id": str(row["event_id"]),
    }


def list_choices(connection: Conn, chunk_id: str, run_id: str | None) -> Iterator[TraceReason]:
    """The batches that took the chunk, with the rule and the chunk's own reason and score."""
    for row in rows(
        connection,
        "SELECT run_id, batch_no, basis_seq, hint, withdrawn, planned_event_id"
        " FROM ingestion_batches WHERE hint->'selected_chunk_ids' ? %s"
        " AND run_id = coalesce(%s, run_id) ORDER BY run_id, batch_no",
        *(chunk_id, run_id),
    ):
        hint = row["hint"]
        chunk = next((c for c in hint["candidate_chunks"] if c["chunk_id"] == chunk_id), None)
        score = (
            f"{chunk['reason_code']}, score {chunk['expected_value_score']:.2f},"
            f" rank {chunk['priority_rank']}, "
            if chunk
            else ""
        )
        yield TraceReason(
            step="chosen",
            what="batch withdrawn" if row["withdrawn"] else "chunk chosen",
            because=hint["decision_rule"],
            detail=f"{score}from the ledger as of {row['basis_seq']}",
            about=chunk_id,
            ledger_seq=None,
            run_id=row["run_id"],
            batch_no=row["batch_no"],
            event_id=text(row["planned_event_id"]),
        )


def list_judgements(
    connection: Conn, row: Row, atom_id: str, fact_at: FactAt
) -> Iterator[TraceReason]:
    """What reflection found about the candidates that became this atom, from the record itself."""
    placed = rows(
        connection,
        'SELECT project_id, topic, partition, "offset" FROM event_places WHERE event_id = %s::uuid',
        row["caused_by_event_id"],
    )
    if not placed:
        return
    project, *place = placed[0].values()
    fact = fact_at(Place(*place))
    if fact is None or not isinstance(fact.event, AtomReflected):
        return
    for judged in (*fact.event.accepted, *fact.event.adjudicate):
        candidate = judged.candidate
        if atom_id not in _atoms_of(project, candidate):
            continue
        change = f"{judged.confidence_before:.2f} → {judged.confidence_after:.2f}"
        for finding in judged.findings:
            yield _as_rule(
                finding, f"candidate {judged.status}", change, candidate.candidate_id, row
            )
        for refused in judged.rejected_rows:
            for finding in refused.findings:
                yield _as_rule(
                    finding, "row refused", refused.row.snippet, candidate.candidate_id, row
                )


def _atoms_of(project: str, candidate: Candidate) -> tuple[str, str]:
    """The ids of the atom that a candidate names: by its fingerprint, and by its exact words."""
    names = ("kind", "title", "body", "polarity", "severity", "impact", "tags")
    fingerprint = atom_fingerprint(*(getattr(candidate, name) for name in names))
    name = (project, candidate.kind, fingerprint)
    return derive_atom_id(*name), derive_atom_id(*name, candidate.title, candidate.body)


def _as_rule(finding: Finding, what: str, change: str, about: str, row: Row) -> TraceReason:
    detail = "; ".join(part for part in (finding.detail, change) if part)
    because = f"{finding.rule} {finding.code}"
    event_id = row["caused_by_event_id"]
    return TraceReason(
        step="judged",
        what=what,
        because=because,
        detail=detail,
        about=about,
        ledger_seq=None,
        run_id=row["run_id"],
        batch_no=row["batch_no"],
        event_id=event_id,
    )


def list_refusals(connection: Conn, column: str, value: str) -> Iterator[TraceReason]:
    for row in rows(
        connection,
        "SELECT run_id, batch_no, candidate_id, title, rejected, findings, rejected_rows"
        f" FROM ledger_rejections WHERE {column} = %s ORDER BY run_id, candidate_id",
        value,
    ):
        what = "candidate refused" if row["rejected"] == "candidate" else "rows refused"
        findings = list(row["findings"]) if row["rejected"] == "candidate" else []
        findings += [finding for refused in row["rejected_rows"] for finding in refused["findings"]]
        for finding in findings:
            yield TraceReason(
                step="judged",
                what=what,
                because=f"{finding['rule']} {finding['code']}",
                detail="; ".join(part for part in (row["title"], finding["detail"]) if part),
                about=row["candidate_id"],
                ledger_seq=None,
                run_id=row["run_id"],
                batch_no=row["batch_no"],
            )


def text(value: Any) -> str | None:
    return None if value is None else str(value)
