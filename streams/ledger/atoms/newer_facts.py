"""Facts of a numbered list: of two that say different things of one subject the newer holds.

The place in the list decides, so that it does not matter which of them is read first.
"""

from __future__ import annotations

from schemas.events.ledger import AtomRecord
from streams.ledger.atoms.evidence import ACTIVE_CONFIDENCE
from streams.ledger.atoms.lifecycle import NEWER_FACT, retire
from streams.ledger.turns.draft import ChangeSetDraft
from streams.ledger.turns.fact_frames import frames_of
from streams.ledger.turns.indexes import is_live


def settle_newer_facts(draft: ChangeSetDraft, atom_id: str) -> None:
    """Of all facts about what the atom's are about only the newest stays live."""
    rows = [row for row in draft.rows_of(atom_id) if row.serial is not None and not row.stale]
    for row in rows:
        for frame in frames_of(row):
            _settle(draft, row.source_id, frame)


def _settle(draft: ChangeSetDraft, source_id: str, frame: str) -> None:
    told = _list_told(draft, source_id, frame)
    if not told:
        return
    newest = draft.get_atom(told[-1][1])
    if newest.status == "superseded" and newest.status_reason == NEWER_FACT:
        status = "active" if newest.confidence >= ACTIVE_CONFIDENCE else "draft"
        draft.note("status_set", newest.atom_id, None, NEWER_FACT, status)
        newest = draft.put_atom(newest, status=status, status_reason=NEWER_FACT, superseded_by=None)
    for _, atom_id in told[:-1]:
        older = draft.get_atom(atom_id)
        if atom_id != newest.atom_id and is_live(older) and not _is_told_elsewhere(draft, older):
            draft.unlink(atom_id, newest.atom_id, "supersedes", NEWER_FACT)
            draft.link(newest.atom_id, atom_id, "supersedes", NEWER_FACT)
            retire(draft, older, "superseded", NEWER_FACT, by=newest)


def _list_told(draft: ChangeSetDraft, source_id: str, frame: str) -> list[tuple[int, str]]:
    """Number and atom of the fresh rows in a frame, oldest first."""
    prefix = f"{draft.project}|{source_id}|{frame}|"
    places = {tuple(key.split("|")[-2:]) for key, _ in draft.state.serials.with_prefix(prefix)}
    places |= {
        (row.atom_id, row.evidence_id)
        for row in draft.evidence.values()
        if row.serial is not None and row.source_id == source_id and frame in frames_of(row)
    }
    told = set()
    for atom_id, evidence_id in places:
        row = draft.evidence_row(atom_id, evidence_id)
        atom = draft.find_survivor(atom_id)
        if row and atom and not row.stale and row.serial is not None:
            told.add((row.serial, atom.atom_id))
    return sorted(told)


def _is_told_elsewhere(draft: ChangeSetDraft, atom: AtomRecord) -> bool:
    """Whether a text other than a list of facts says it too, which then disagrees with the list."""
    return any(not row.stale and row.serial is None for row in draft.rows_of(atom.atom_id))
