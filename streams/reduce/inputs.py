"""What a PRD is written from: the chosen atoms of each section at one settled position.

Small enough to be kept with the position, so that the ledger may move on before a word is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from schemas.envelope import Part
from schemas.events.ledger import AtomRecord, ContradictionRecord
from schemas.ids import sha256_hex
from streams.cause import Cause


class Pick(Part):
    """The atoms behind one statement, the leading one first.

    ``conflicts`` are all open contradictions of these atoms. ``paired`` says that the second atom
    contradicts the first; otherwise the others say the same as the first.
    """

    atoms: list[AtomRecord]
    conflicts: list[ContradictionRecord] = []
    paired: bool = False

    @property
    def lead(self) -> AtomRecord:
        return self.atoms[0]


class SectionInput(Part):
    section_id: str
    picks: list[Pick] = []

    @property
    def input_hash(self) -> str:
        """Equal as long as the same revisions of atoms and contradictions are behind it."""
        atoms = {f"{atom.atom_id} {atom.revision}" for pick in self.picks for atom in pick.atoms}
        conflicts = {
            f"{one.contradiction_id} {one.status} {one.severity} {one.updated_seq}"
            for pick in self.picks
            for one in pick.conflicts
        }
        return sha256_hex("\n".join([self.section_id, *sorted(atoms), *sorted(conflicts)]))


class DuePosition(Part):
    """A settled position nobody has written for yet, with all that is needed to do it."""

    cause: Cause
    ledger_seq: int
    run_id: str
    lane: Literal["preview", "deep"]
    sections: list[SectionInput]


class Grounds:
    """The atoms and open contradictions that a text may rest on, by id."""

    def __init__(
        self, atoms: Iterable[AtomRecord], conflicts: Iterable[ContradictionRecord] = ()
    ) -> None:
        self.atoms = {atom.atom_id: atom for atom in atoms}
        self._conflicts: dict[str, dict[str, ContradictionRecord]] = {}
        for one in conflicts:
            for atom_id in (one.atom_a_id, one.atom_b_id):
                self._conflicts.setdefault(atom_id, {})[one.contradiction_id] = one

    @classmethod
    def of(cls, sections: Iterable[SectionInput]) -> Grounds:
        picks = [pick for section in sections for pick in section.picks]
        return cls(
            (atom for pick in picks for atom in pick.atoms),
            (one for pick in picks for one in pick.conflicts),
        )

    def conflicts_of(self, atom_ids: Iterable[str]) -> list[ContradictionRecord]:
        """The open contradictions that touch any of the atoms, each once, by id."""
        found = {
            key: one
            for atom_id in atom_ids
            for key, one in self._conflicts.get(atom_id, {}).items()
        }
        return [found[key] for key in sorted(found)]
