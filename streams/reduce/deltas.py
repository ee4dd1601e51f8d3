"""What changed in the ledger between two settled positions, for reports that tell it.

Counted as the ledger is folded and closed at each settled position, so that a report made later,
when the ledger may be far ahead, tells what it was at its own position.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from schemas.envelope import Part
from schemas.events.ledger import AtomRecord, ChangeOp, LedgerChanged
from schemas.worth import worth

MOST = 12  # atoms of a position that are named; the others are counted
MOST_POSITIONS = 40
Counted = Literal["added", "merged", "replaced", "removed", "opened", "closed"]
_COUNTED: Mapping[ChangeOp, Counted] = {
    "atom_created": "added",
    "atom_merged": "merged",
    "atom_superseded": "replaced",
    "atom_obsoleted": "removed",
    "atom_dismissed": "removed",
    "contradiction_opened": "opened",
    "contradiction_closed": "closed",
}


class Delta(Part):
    """What changed up to ``ledger_seq``: how often, and the most valuable atoms that came."""

    ledger_seq: int = 0
    counts: dict[str, int] = {}
    added: dict[str, float] = {}


class Changes(Part):
    """The changes of the last positions, oldest first, and their atoms that are live."""

    deltas: list[Delta] = []
    atoms: list[AtomRecord] = []

    def since(self, ledger_seq: int) -> tuple[dict[str, int], list[AtomRecord]]:
        """Counts and new atoms after ``ledger_seq``, the most valuable first."""
        told = [one for one in self.deltas if one.ledger_seq > ledger_seq]
        counts: Counter[str] = Counter()
        for one in told:
            counts.update(one.counts)
        worths = {key: value for one in told for key, value in one.added.items()}
        atoms = [atom for atom in self.atoms if atom.atom_id in worths]
        atoms.sort(key=lambda atom: (-worths[atom.atom_id], atom.atom_id))
        return dict(counts), atoms[:MOST]


def add_changes(delta: Delta, changed: LedgerChanged) -> Delta:
    counts = Counter(delta.counts)
    counts.update(_COUNTED[one.op] for one in changed.changes if one.op in _COUNTED)
    created = {one.target_id for one in changed.changes if one.op == "atom_created"}
    worths = {atom.atom_id: worth(atom) for atom in changed.atoms if atom.atom_id in created}
    return Delta(
        ledger_seq=changed.ledger_seq, counts=dict(counts), added=_best(delta.added | worths)
    )


def gather_changes(deltas: Iterable[Delta], live: Mapping[str, AtomRecord]) -> Changes:
    """The changes of the last positions with those of their atoms that are in ``live``."""
    last = list(deltas)[-MOST_POSITIONS:]
    ids = sorted({key for one in last for key in one.added if key in live})
    return Changes(deltas=last, atoms=[live[key] for key in ids])


def _best(worths: Mapping[str, float]) -> dict[str, float]:
    ranked = sorted(worths.items(), key=lambda one: (-one[1], one[0]))
    return dict(ranked[:MOST])
