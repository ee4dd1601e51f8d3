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
from streams.ledger.turns.draft import ChangeSetDraft


def come_back(draft: ChangeSetDraft, atom: AtomRecord) -> None:
    """Contradictions and merge reviews that ended with the atom open again.

    What came to the ledger meanwhile is compared too. No person's answer is touched, and nothing is
    merged: a person wanted the atom back.
    """
    for contradiction in draft.contradictions_of(atom.atom_id):
        other_id = (
            contradiction.atom_b_id
            if contradiction.atom_a_id == atom.atom_id
            else contradiction.atom_a_id
        )
        other = draft.live_atom(other_id)
        if other and contradiction.rationale == SIDE_GONE:
            reason = ContradictionReason.of(contradiction)
            record_contradiction(draft, atom, other, reason, gained_source=False)
    near = near_duplicates(draft, atom)
    find_contradictions(draft, atom, near, gained_source=False)
    ask_about(draft, atom, near)
