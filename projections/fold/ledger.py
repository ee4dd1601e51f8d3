"""The ledger's tables: upserts of what a change set holds, since it carries every record whole."""

from __future__ import annotations

from typing import Any

from projections.fold.people import fold_answer
from projections.fold.sources import fields
from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.atom import AtomAdjudicated, AtomReflected, Judged, Reading
from schemas.events.ledger import AtomRecord, LedgerChanged, Turn
from schemas.fingerprint import norm_text
from schemas.worth import worth


def ledger_changed(rows: Rows, fact: Envelope, event: LedgerChanged) -> None:
    """The change set and everything it touched. Its place in the project's order was checked."""
    rows.add(fact, "ledger_change_sets", _change_set(fact, event))
    for atom in event.atoms:
        _atom(rows, fact, event, atom)
    for evidence in event.evidence:
        rows.add(fact, "ledger_evidence", fields(evidence))
    for mention in event.mentions:
        rows.add(fact, "ledger_atom_entities", fields(mention))
    for link in event.links:
        rows.add(fact, "ledger_links", fields(link))
    for op in event.merge_ops:
        placed = {"ledger_seq": event.ledger_seq, "occurred_at": fact.occurred_at}
        rows.add(fact, "ledger_merge_ops", fields(op) | placed)
    for candidate in event.merge_candidates:
        rows.add(fact, "ledger_merge_candidates", fields(candidate))
    for contradiction in event.contradictions:
        rows.add(fact, "ledger_contradictions", fields(contradiction))
        past = {"ledger_seq": event.ledger_seq, "record": contradiction}
        key = {"contradiction_id": contradiction.contradiction_id}
        rows.add(fact, "ledger_contradiction_history", key | past)
    for document in event.document_roles:
        rows.add(fact, "ledger_document_roles", fields(document))
    if event.summary is not None:
        summary = event.summary
        digest = {"state_version": summary.state_version, "ledger_seq": summary.ledger_seq}
        rows.add(
            fact,
            "project_working_summary",
            {"project_id": fact.project_id, "summary": summary} | digest,
        )
    if event.turn is not None:
        _turn(rows, fact, event, event.turn)
    if event.hitl is not None:
        fold_answer(rows, fact, event, event.hitl)


def _change_set(fact: Envelope, event: LedgerChanged) -> dict[str, Any]:
    turn = event.turn
    return {
        "project_id": fact.project_id,
        "ledger_seq": event.ledger_seq,
        "event_id": fact.event_id,
        "caused_by_event_id": event.caused_by_event_id,
        "prev_hash": event.prev_hash,
        "run_id": turn.run_id if turn else None,
        "batch_no": turn.batch_no if turn else None,
        "position": turn.position if turn else None,
        "kind": turn.kind if turn else None,
        "lane": turn.lane if turn else None,
        "chunk_id": turn.chunk_id if turn else None,
        "outcome": turn.outcome if turn else None,
        "tokens": turn.tokens if turn else None,
        "cost_usd": turn.cost_usd if turn else None,
        "reason": event.reason,
        "changes": event.changes,
        "occurred_at": fact.occurred_at,
        "recorded_at": fact.recorded_at,
    }


def _atom(rows: Rows, fact: Envelope, event: LedgerChanged, atom: AtomRecord) -> None:
    rows.add(fact, "ledger_atoms", atom_columns(atom))
    rows.add(
        fact,
        "ledger_atom_history",
        {
            "atom_id": atom.atom_id,
            "ledger_seq": event.ledger_seq,
            "revision": atom.revision,
            "record": atom,
            "worth": worth(atom),
        },
    )


def atom_columns(atom: AtomRecord) -> dict[str, Any]:
    """Its row, with what lists are ordered by and what search finds it by."""
    return fields(atom) | {"worth": worth(atom), "names": _names(atom)}


def _names(atom: AtomRecord) -> list[str]:
    """What an entity is called, as texts are compared; other kinds are not called by name."""
    if atom.kind != "entity":
        return []
    called = (atom.title, *atom.attributes.get("aliases", "").split("\n"))
    return sorted({norm_text(name) for name in called} - {""})


def _turn(rows: Rows, fact: Envelope, event: LedgerChanged, turn: Turn) -> None:
    """The reading of a chunk has its outcome, and a run its first atom."""
    if turn.chunk_id is not None and turn.outcome in ("extracted", "poison"):
        read = {"read_outcome": turn.outcome, "read_engine": turn.engine, "read_error": turn.error}
        rows.add(fact, "chunks", {"chunk_id": turn.chunk_id} | read)
    if any(change.op == "atom_created" for change in event.changes):
        rows.add(
            fact,
            "run_stamps",
            {"run_id": turn.run_id, "first_atom_at": fact.recorded_at},
        )


def atom_reflected(rows: Rows, fact: Envelope, event: AtomReflected) -> None:
    """Only what reflection refused: what it let through, the ledger answers for."""
    for judged in event.rejected:
        rows.add(fact, "ledger_rejections", _rejection(event.reading, judged, "candidate"))
    for judged in (*event.accepted, *event.adjudicate):
        if judged.rejected_rows:
            rows.add(fact, "ledger_rejections", _rejection(event.reading, judged, "rows"))


def atom_adjudicated(rows: Rows, fact: Envelope, event: AtomAdjudicated) -> None:
    """A borderline candidate that its verdict refuses."""
    if event.judged.status == "rejected":
        rows.add(fact, "ledger_rejections", _rejection(event.reading, event.judged, "candidate"))


def _rejection(reading: Reading, judged: Judged, rejected: str) -> dict[str, Any]:
    return {
        "run_id": reading.run_id,
        "candidate_id": judged.candidate.candidate_id,
        "batch_no": reading.batch_no,
        "lane": reading.lane,
        "chunk_id": reading.chunk_id,
        "source_id": reading.source_id,
        "rejected": rejected,
        "kind": judged.candidate.kind,
        "title": judged.candidate.title,
        "findings": judged.findings,
        "rejected_rows": judged.rejected_rows,
        "candidate": judged.candidate,
    }


FOLDS: dict[type[Event], Any] = {
    LedgerChanged: ledger_changed,
    AtomReflected: atom_reflected,
    AtomAdjudicated: atom_adjudicated,
}
