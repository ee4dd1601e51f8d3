"""Evidence rows and the figures of an atom that follow from them.

The figures are kept by steps, not by counting all rows again: an atom may have thousands. An
evidence id is made from the atom that the candidate's own fingerprint names and is kept when a
merge moves the row, so a quote read again is known wherever it is now.

``evidence_count`` counts all rows, ``stale_evidence_count`` the stale ones among them;
``direct_evidence_count`` and ``source_count`` speak of fresh rows only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.confirmations import CONFIRMED_BY
from schemas.events.atom import ORIGIN, CandidateRow, Judged, Reading
from schemas.events.ledger import AtomRecord, EvidenceRow, EvidenceState
from schemas.ids import evidence_id
from streams.ledger.atoms.document_status import holds
from streams.ledger.turns.changes import Changes, Support, note
from streams.ledger.turns.current import CurrentLedger

TWO_ROWS_KINDS = frozenset({"decision", "requirement"})
ACTIVE_CONFIDENCE = 0.60
MAX_MERGED_CONFIDENCE = 0.99


def add_rows(
    ledger: CurrentLedger,
    atom: AtomRecord,
    own_id: str,
    reading: Reading,
    judged: Judged,
) -> Changes[tuple[AtomRecord, list[str]]]:
    """The atom with the rows it did not have fresh yet, and their ids.

    ``own_id`` is the atom id of the candidate's fingerprint, which differs after a merge.
    """
    added: list[str] = []
    told = judged.candidate.attributes
    for row in judged.rows:
        key = evidence_id(own_id, reading.chunk_id, row.char_start, row.char_end)
        evidence_row = ledger.evidence_row(atom.atom_id, key)
        if evidence_row is None:
            fresh = _evidence(atom.atom_id, key, reading, row, ledger.turn.run_id, told)
            yield note("evidence_added", atom.atom_id, key, "new_row")
            atom = yield from count_rows(ledger, atom, fresh, evidence=1, fresh=1)
        elif evidence_row.stale:
            read = {"confirmed_by": told.get(CONFIRMED_BY, "")}
            fresh = evidence_row.model_copy(update={"stale": False, "stale_since_seq": None} | read)
            yield note("evidence_refreshed", atom.atom_id, key, "read_again")
            atom = yield from count_rows(ledger, atom, fresh, fresh=1)
        else:
            continue
        yield fresh
        added.append(key)
    return atom, added


def stale_row(ledger: CurrentLedger, atom: AtomRecord, row: EvidenceRow) -> Changes[AtomRecord]:
    """The atom after one of its fresh rows has become stale."""
    yield row.model_copy(update={"stale": True, "stale_since_seq": ledger.seq})
    return (yield from count_rows(ledger, atom, row, fresh=-1))


def move_rows(
    ledger: CurrentLedger, loser: AtomRecord, winner: AtomRecord
) -> Changes[tuple[AtomRecord, list[str]]]:
    """The winner with all rows of the loser, and their ids."""
    moved: list[str] = []
    for row in ledger.rows_of(loser.atom_id):
        yield row.model_copy(update={"atom_id": winner.atom_id})
        fresh = int(not row.stale)
        if fresh:
            yield Support(row.source_id, loser.atom_id, -1)
        winner = yield from count_rows(ledger, winner, row, evidence=1, fresh=fresh)
        moved.append(row.evidence_id)
    return winner, moved


def count_rows(
    ledger: CurrentLedger, atom: AtomRecord, row: EvidenceRow, *, evidence: int = 0, fresh: int = 0
) -> Changes[AtomRecord]:
    """The atom's figures after ``evidence`` more rows like ``row``, ``fresh`` of them fresh."""
    supported = bool(ledger.supports(row.source_id, atom.atom_id))
    yield Support(row.source_id, atom.atom_id, fresh)
    supports = bool(ledger.supports(row.source_id, atom.atom_id))
    count = atom.evidence_count + evidence
    stale = atom.stale_evidence_count + evidence - fresh
    confirming = {CONFIRMED_BY: row.confirmed_by} if fresh > 0 and _confirms(row) else {}
    return atom.model_copy(
        update={
            "evidence_count": count,
            "stale_evidence_count": stale,
            "direct_evidence_count": atom.direct_evidence_count
            + (fresh if row.evidence_type == "direct" else 0),
            "source_count": atom.source_count + supports - supported,
            "evidence_state": evidence_state(count, stale),
            "attributes": atom.attributes | confirming,
        }
    )


def evidence_state(count: int, stale: int) -> EvidenceState:
    if not stale:
        return "fresh"
    return "stale" if stale >= count else "partial"


def merge_confidence(atom: AtomRecord, confidence: float, *, new_source: bool) -> float:
    """The atom's confidence after another candidate has said the same."""
    if new_source:
        merged = 1 - (1 - atom.confidence) * (1 - confidence)
        merged = min(merged, max(MAX_MERGED_CONFIDENCE, atom.confidence))
    else:
        merged = max(atom.confidence, confidence)
    return round(max(merged, atom.confidence_floor or 0.0), 6)


def take_back_confidence(confidence: float, before: float, after: float) -> float:
    """``confidence`` without the step from ``before`` to ``after``.

    What it gained since then stays: the doubt that was left is scaled back to what it was.
    """
    if after >= 1:
        return min(confidence, before)
    return round(1 - (1 - confidence) * (1 - before) / (1 - after), 6)


def two_rows_apart(rows: Sequence[EvidenceRow]) -> bool:
    """Whether two fresh rows that confirm their atom stand at spans that do not overlap.

    One of them has to be quoted: two conclusions, or two flagged sentences, confirm nothing.
    """
    fresh = [row for row in rows if not (row.stale or row.framing)]
    if not any(row.evidence_type == "direct" for row in fresh):
        return False
    first = min(fresh, key=lambda row: row.char_end, default=None)
    if first is None:
        return False
    here = (first.source_id, first.sanitized_hash)
    return any(
        (row.source_id, row.sanitized_hash) != here or row.char_start >= first.char_end
        for row in fresh
    )


def is_confirmed(ledger: CurrentLedger, atom: AtomRecord) -> bool:
    """Whether two fresh rows say it, or one that is quoted and whose place confirms it."""
    rows = ledger.rows_of(atom.atom_id)
    return two_rows_apart(rows) or any(not row.stale and _confirms(row) for row in rows)


def with_confirmation(ledger: CurrentLedger, atom: AtomRecord) -> AtomRecord:
    """The atom as its fresh rows confirm it: by no document that says it no more."""
    if CONFIRMED_BY not in atom.attributes:
        return atom
    rows = ledger.rows_of(atom.atom_id)
    by = {row.confirmed_by for row in rows if not row.stale and _confirms(row)}
    if atom.attributes[CONFIRMED_BY] in by:
        return atom
    attributes = {key: it for key, it in atom.attributes.items() if key != CONFIRMED_BY}
    return atom.model_copy(
        update={"attributes": attributes | ({CONFIRMED_BY: min(by)} if by else {})}
    )


def _confirms(row: EvidenceRow) -> bool:
    return bool(row.confirmed_by) and row.evidence_type == "direct" and not row.framing


def status_by_rows(ledger: CurrentLedger, atom: AtomRecord) -> dict[str, Any]:
    """The status a decision or requirement is due by its rows, as fields to change; else nothing.

    Only upwards: rows that became stale count against an atom when its source is settled. What its
    documents do not hold stays a draft.
    """
    if atom.kind not in TWO_ROWS_KINDS or atom.status != "draft" or not holds(atom):
        return {}
    if atom.confidence < ACTIVE_CONFIDENCE or not is_confirmed(ledger, atom):
        return {}
    two = two_rows_apart(ledger.rows_of(atom.atom_id))
    return {"status": "active", "status_reason": "two_rows" if two else "accepted"}


def _evidence(
    atom_id: str, key: str, reading: Reading, row: CandidateRow, run_id: str, told: dict[str, str]
) -> EvidenceRow:
    return EvidenceRow(
        evidence_id=key,
        atom_id=atom_id,
        source_id=reading.source_id,
        sanitized_hash=reading.sanitized_hash,
        chunk_id=reading.chunk_id,
        structure_path=reading.structure_path,
        char_start=row.char_start,
        char_end=row.char_end,
        line_start=row.line_start,
        line_end=row.line_end,
        snippet=row.snippet,
        evidence_type=row.evidence_type,
        impact_indicator=row.impact_indicator,
        framing=row.framing,
        run_id=run_id,
        speaker=row.speaker,
        speaker_role=row.speaker_role,
        stated_at=row.stated_at,
        serial=row.serial,
        origin=told.get(ORIGIN, ""),
        confirmed_by=told.get(CONFIRMED_BY, ""),
    )
