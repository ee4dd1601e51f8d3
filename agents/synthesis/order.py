"""What a model is to word: sections, and the numbered atoms that it may rest them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schemas.events.artifact_parts import ArtifactType, Section
from schemas.events.ledger import AtomRecord, ContradictionRecord

LISTS: tuple[ArtifactType, ...] = ("insight", "feature", "task")  # with a decision after each item
GROUPS: tuple[ArtifactType, ...] = ("epic",)
WORDED_TYPES: tuple[ArtifactType, ...] = ("prd", *LISTS, *GROUPS)


@dataclass(frozen=True, slots=True)
class Order:
    """Sections of one artifact as rules have worded them, with all that is behind them.

    ``atoms`` are those that the sections cite, by id; ``contradictions`` the open ones that touch
    them. ``earlier`` tells of the items of the list that there are already. ``critique`` says of a
    section, by its id, what it lacks.
    """

    artifact_type: ArtifactType
    artifact_id: str
    title: str
    sections: Sequence[Section]
    atoms: Mapping[str, AtomRecord]
    contradictions: Sequence[ContradictionRecord] = ()
    earlier: str = ""
    critique: Mapping[str, str] = field(default_factory=dict)

    @property
    def numbered(self) -> dict[int, AtomRecord]:
        """The atoms in the order in which the sections cite them, counted from 1."""
        cited = dict.fromkeys(
            citation.atom_id
            for section in self.sections
            for statement in section.statements
            for citation in statement.citations
        )
        known = [self.atoms[one] for one in cited if one in self.atoms]
        return dict(enumerate(known, 1))

    @property
    def numbers(self) -> dict[str, int]:
        return {atom.atom_id: number for number, atom in self.numbered.items()}

    def numbers_of(self, section: Section) -> list[int]:
        """The numbers of the atoms that were chosen for a section."""
        numbers = self.numbers
        cited = (one.atom_id for said in section.statements for one in said.citations)
        return sorted({numbers[one] for one in cited if one in numbers})
