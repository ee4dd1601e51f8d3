"""Whether the evidence rows of a ledger are named and moved as the ledger's writer does it.

A row's id is made from the atom that the words themselves name, the chunk and the span. It is kept
when that atom is merged into another, and words that are read again afterwards give rows of the
same name under the atom that stands for them now (03 §4). So a new row may be named by its atom or
by any that was merged into it and not split again; a known one keeps span and name, and goes to
another atom only by a merge, or the undoing of one, that lists it and leads there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from schemas import ids
from schemas.events.ledger import EvidenceRow, LedgerChanged

MERGES = frozenset({"auto_merge", "reviewed_merge"})


@dataclass(slots=True)
class RowCheck:
    """The rows of one project's ledger, change set by change set."""

    _losers: dict[str, set[str]] = field(default_factory=dict)
    _winners: dict[str, str] = field(default_factory=dict)
    _known: dict[str, tuple[str, str]] = field(default_factory=dict)  # id: named by, held by

    def see(self, event: LedgerChanged) -> Iterator[str]:
        """What does not hold of the rows of the next change set, each as a sentence."""
        moved = self._follow_merges(event)
        for row in event.evidence:
            earlier = self._known.get(row.evidence_id)
            if earlier is None:
                named_by = self._find_naming_atom(row)
            else:
                named_by = earlier[0] if _is_named_by(earlier[0], row) else None
            if named_by is None:
                yield f"{row.evidence_id} is not of its span"
            elif earlier and row.atom_id != moved.get(row.evidence_id, earlier[1]):
                yield f"{row.evidence_id} went from {earlier[1]} to {row.atom_id} without a merge"
            self._known[row.evidence_id] = (named_by or row.atom_id, row.atom_id)

    def _follow_merges(self, event: LedgerChanged) -> dict[str, str]:
        """Remember who stands for whom after the change set; where rows went, by their ids."""
        moved: dict[str, str] = {}
        for op in event.merge_ops:
            loser = op.loser_atom_id
            if loser is None or op.op not in MERGES | {"unmerge"}:
                continue
            if before := self._winners.pop(loser, None):
                self._losers[before].discard(loser)
            if op.op in MERGES:
                self._winners[loser] = op.winner_atom_id
                self._losers.setdefault(op.winner_atom_id, set()).add(loser)
            to = loser if op.op == "unmerge" else op.winner_atom_id
            moved |= dict.fromkeys(op.evidence_added, to)
        return moved

    def _find_naming_atom(self, row: EvidenceRow) -> str | None:
        """The row's atom, or one that was merged into it, if the row's id is made from it."""
        asked, waiting = {row.atom_id}, [row.atom_id]
        while waiting:
            atom_id = waiting.pop()
            if _is_named_by(atom_id, row):
                return atom_id
            fresh = self._losers.get(atom_id, set()) - asked
            asked |= fresh
            waiting += fresh
        return None


def _is_named_by(atom_id: str, row: EvidenceRow) -> bool:
    key = ids.evidence_id(atom_id, row.chunk_id, row.char_start, row.char_end)
    return key == row.evidence_id
