"""An atom speaks in words that a source still says.

A merge keeps the winner's wording and takes the loser's evidence along. When the sources that said
it in the winner's words are gone, and one that said it in the loser's words stands, the two change
places: the loser is the live one, with all the evidence, and the winner was merged into it. What a
person has verified keeps the words the person has seen.
"""

from __future__ import annotations

from collections import Counter

from schemas.events.ledger import AtomRecord
from streams.ledger.pairs.merging import merge_into
from streams.ledger.pairs.revival import come_back
from streams.ledger.sources.reanchor import find_naming_atom
from streams.ledger.turns.changes import Changes, end_link, note
from streams.ledger.turns.current import CurrentLedger

GONE = "wording_gone"


def in_standing_words(ledger: CurrentLedger, atom: AtomRecord) -> Changes[AtomRecord]:
    """The live atom, or the one that takes its place since only its words are still said."""
    if atom.evidence_state != "partial" or atom.verified_by:
        return atom
    said = Counter(
        find_naming_atom(ledger, row) for row in ledger.rows_of(atom.atom_id) if not row.stale
    )
    if atom.atom_id in said:
        return atom
    best = min(said, key=lambda atom_id: (-said[atom_id], atom_id))
    return (yield from _in_its_place(ledger, atom, ledger.get_atom(best)))


def _in_its_place(ledger: CurrentLedger, atom: AtomRecord, heir: AtomRecord) -> Changes[AtomRecord]:
    assert heir.merged_into
    yield from end_link(ledger, heir.atom_id, heir.merged_into, "duplicates", GONE)
    yield note("status_set", heir.atom_id, atom.atom_id, GONE, atom.status)
    risen = heir.model_copy(
        update={
            "status": atom.status,
            "status_reason": "wording_stands",
            "merged_into": None,
            "previous_status": None,
        }
    )
    op = ledger.state.merges.get(f"{ledger.project}|{heir.atom_id}")
    merged = yield from merge_into(
        ledger,
        risen,
        atom,
        op.similarity if op else 1.0,
        confidence=atom.confidence,
        latest=atom.latest_provenance,
        reason=GONE,
    )
    yield from come_back(ledger, merged)
    return merged
