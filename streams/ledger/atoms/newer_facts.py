"""Facts of a numbered list: of two that say different things of one subject the newer holds.

The place in the list decides, so that it does not matter which of them is read first.
"""

from __future__ import annotations

from schemas.events.ledger import AtomRecord
from streams.ledger.atoms.evidence import ACTIVE_CONFIDENCE
from streams.ledger.atoms.lifecycle import NEWER_FACT, retire
from streams.ledger.turns.changes import Changes, add_link, end_link, note, put_atom
from streams.ledger.turns.current import CurrentLedger
from streams.ledger.turns.fact_frames import frames_of
from streams.ledger.turns.indexes import is_live


def settle_newer_facts(ledger: CurrentLedger, atom_id: str) -> Changes[None]:
    """Of all facts about what the atom's are about only the newest stays live."""
    rows = [row for row in ledger.rows_of(atom_id) if row.serial is not None and not row.stale]
    for row in rows:
        for frame in frames_of(row):
            yield from _settle(ledger, row.source_id, frame)


def _settle(ledger: CurrentLedger, source_id: str, frame: str) -> Changes[None]:
    told = _list_told(ledger, source_id, frame)
    if not told:
        return
    newest = ledger.get_atom(told[-1][1])
    if newest.status == "superseded" and newest.status_reason == NEWER_FACT:
        status = "active" if newest.confidence >= ACTIVE_CONFIDENCE else "draft"
        yield note("status_set", newest.atom_id, None, NEWER_FACT, status)
        newest = yield from put_atom(
            ledger, newest, status=status, status_reason=NEWER_FACT, superseded_by=None
        )
    for _, atom_id in told[:-1]:
        older = ledger.get_atom(atom_id)
        if atom_id != newest.atom_id and is_live(older) and not _is_told_elsewhere(ledger, older):
            yield from end_link(ledger, atom_id, newest.atom_id, "supersedes", NEWER_FACT)
            yield from add_link(ledger, newest.atom_id, atom_id, "supersedes", NEWER_FACT)
            yield from retire(ledger, older, "superseded", NEWER_FACT, by=newest)


def _list_told(ledger: CurrentLedger, source_id: str, frame: str) -> list[tuple[int, str]]:
    """Number and atom of the fresh rows in a frame, oldest first."""
    prefix = f"{ledger.project}|{source_id}|{frame}|"
    places = {tuple(key.split("|")[-2:]) for key, _ in ledger.state.serials.with_prefix(prefix)}
    places |= {
        (row.atom_id, row.evidence_id)
        for row in ledger.evidence.values()
        if row.serial is not None and row.source_id == source_id and frame in frames_of(row)
    }
    told = set()
    for atom_id, evidence_id in places:
        row = ledger.evidence_row(atom_id, evidence_id)
        atom = ledger.find_survivor(atom_id)
        if row and atom and not row.stale and row.serial is not None:
            told.add((row.serial, atom.atom_id))
    return sorted(told)


def _is_told_elsewhere(ledger: CurrentLedger, atom: AtomRecord) -> bool:
    """Whether a text other than a list of facts says it too, which then disagrees with the list."""
    return any(not row.stale and row.serial is None for row in ledger.rows_of(atom.atom_id))
