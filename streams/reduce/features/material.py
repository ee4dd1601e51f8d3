"""What insights and features are made of at one position: the ledger as lists see it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.events.ledger import AtomRecord
from streams.reduce.prd.selection import Atoms, ProjectShortlist
from streams.reduce.texts.inputs import Pick, SectionInput
from streams.reduce.texts.topics import ProjectTopics, Topic
from streams.reduce.texts.wording import pair_text

MIN_ATOMS = 2
MAX_SHARE = 0.03  # of the live atoms; what more of them speak of tells nothing apart
ALWAYS_SHARED = 25


@dataclass(slots=True)
class Material:
    """What clusters are made of at one position."""

    shortlist: ProjectShortlist
    topics: ProjectTopics
    atoms: Atoms

    def best(self, atom_ids: Iterable[str], kinds: frozenset[str]) -> list[AtomRecord]:
        """The readable atoms of these kinds, those to be seen first at the front."""
        atoms = [
            atom
            for atom_id in atom_ids
            if self.topics.scores.get(atom_id, 0.0) > 0.0
            and (atom := self.atoms[atom_id]).kind in kinds
        ]
        return sorted(atoms, key=lambda atom: (-self.topics.scores[atom.atom_id], atom.atom_id))

    def find_shared_topics(self, minimum: int = MIN_ATOMS) -> list[Topic]:
        most = max(ALWAYS_SHARED, int(MAX_SHARE * len(self.topics.scores)))
        return list(self.topics.find_shared(minimum, most))

    def section(self, section_id: str, atoms: Iterable[AtomRecord]) -> SectionInput:
        return SectionInput(section_id=section_id, picks=[Pick(atoms=[atom]) for atom in atoms])

    def collect_contradictions(self, atoms: Iterable[AtomRecord]) -> SectionInput:
        """Both sides of the open contradictions of these atoms, each atom once."""
        picks: list[Pick] = []
        used: set[str] = set()
        for atom in atoms:
            for contradiction in self.shortlist.contradictions_of(atom.atom_id):
                sides = (contradiction.atom_a_id, contradiction.atom_b_id)
                pair = [self.atoms[side] for side in sides]
                if used.isdisjoint(sides) and pair_text(*pair):
                    used.update(sides)
                    contradictions = self.shortlist.contradictions_of(*sides)
                    picks.append(Pick(atoms=pair, contradictions=contradictions, paired=True))
        return SectionInput(section_id="open_questions", picks=picks)

    def is_contradicted(self, atom: AtomRecord) -> bool:
        return atom.atom_id in self.shortlist.contradictions and bool(
            self.shortlist.contradictions_of(atom.atom_id)
        )
