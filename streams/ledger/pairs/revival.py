"""What follows when a person makes an atom live again: the reverse of ``lifecycle``."""

from __future__ import annotations

from schemas.events.ledger import AtomRecord
from streams.ledger.atoms.lifecycle import SIDE_GONE
from streams.ledger.pairs.contradictions import (
    ContradictionReason,
    find_contradictions,
    record_contradiction,
)
from streams.ledger.pairs.merging import ask_about, near_duplicates
from streams.ledger.turns.changes import Changes
from streams.ledger.turns.current import CurrentLedger


def come_back(ledger: CurrentLedger, atom: AtomRecord) -> Changes[None]:
    """Contradictions and merge reviews that ended with the atom open again.

    What came to the ledger meanwhile is compared too. No person's answer is touched, and nothing is
    merged: a person wanted the atom back.
    """
    for contradiction in ledger.contradictions_of(atom.atom_id):
        other_id = (
            contradiction.atom_b_id
            if contradiction.atom_a_id == atom.atom_id
            else contradiction.atom_a_id
        )
        other = ledger.live_atom(other_id)
        if other and contradiction.rationale == SIDE_GONE:
            reason = ContradictionReason.of(contradiction)
            yield from record_contradiction(ledger, atom, other, reason, gained_source=False)
    near = near_duplicates(ledger, atom)
    yield from find_contradictions(ledger, atom, near, gained_source=False)
    yield from ask_about(ledger, atom, near)
