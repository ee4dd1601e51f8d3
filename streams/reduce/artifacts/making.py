"""The next item by rule: the next cluster, worded and held against the validator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.generation import CONFIDENT, Decision
from streams.reduce.artifacts.items import WrittenSections
from streams.reduce.artifacts.loop import REFUSED
from streams.reduce.artifacts.validator import errors
from streams.reduce.texts.inputs import Grounds, ItemInput, ListInput, SectionInput

PLENTY = 20  # features; after that a new one with little to say ends the list
SAME_STORY = 0.6  # of the atoms of two clusters; the second is passed over, not asked for in vain


@dataclass(frozen=True, slots=True)
class Made:
    """An item the loop let through: its cluster and how it was written."""

    item: ItemInput
    artifact_id: str
    attempt: WrittenSections

    @property
    def grounds(self) -> Grounds:
        return Grounds.of(self.item.sections)


@dataclass(slots=True)
class RuleMaker:
    """See ``loop.Maker``. What the validator refuses is told to ``refuse``."""

    given: ListInput
    artifact_id: Callable[[ItemInput], str]
    write: Callable[[str, Sequence[SectionInput], Grounds], WrittenSections]
    refuse: Callable[[Made], None]
    place: int = 0

    def make(self, earlier: Sequence[Made]) -> Made | Literal["refused"] | None:
        atom_sets = [_atoms(made.item) for made in earlier]
        while self.place < len(self.given.items):
            item = self.given.items[self.place]
            self.place += 1
            if not any(_overlap(_atoms(item), atom_set) >= SAME_STORY for atom_set in atom_sets):
                return self._write(item)
        return None

    def _write(self, item: ItemInput) -> Made | Literal["refused"]:
        artifact_id = self.artifact_id(item)
        made = Made(
            item, artifact_id, self.write(artifact_id, item.sections, Grounds.of(item.sections))
        )
        if errors(made.attempt.findings):
            self.refuse(made)
            return REFUSED
        return made

    def text_of(self, item: Made) -> str:
        """What it says; of a feature that a source names, the name, which tells it apart."""
        if item.item.state:
            return item.item.name
        return "\n".join(
            statement.text for section in item.attempt.sections for statement in section.statements
        )

    def id_of(self, item: Made) -> str:
        return item.artifact_id

    def list_inputs(self, item: Made) -> list[str]:
        atoms = [atom.atom_id for atom in item.item.atoms]
        contradictions = [
            contradiction.contradiction_id
            for contradiction in item.grounds.contradictions_of(atoms)
        ]
        return [*atoms, *contradictions]

    def assess(self, earlier: Sequence[Made]) -> Decision:
        atoms = [atom for made in earlier for atom in made.item.atoms]
        covered = {atom.atom_id for atom in atoms if atom.kind in self.given.kinds}
        share = min(1.0, len(covered) / max(self.given.eligible, 1))
        left = self.given.items[self.place :]
        telling = sum(not (made.item.standing and made.item.is_meagre) for made in earlier)
        if left and self.given.is_named:
            share = min(share, CONFIDENT)  # a name that is left is a feature that is missing
        meagre = bool(left) and telling >= PLENTY and _adds_little(left[0])
        return Decision(
            should_continue=bool(left) and not meagre,
            confidence=round(share, 4),
            coverage_assessment=f"{len(covered):,} of {self.given.eligible:,} statements that could"
            f" stand in the list do so, in {len(earlier):,} items",
            gaps_remaining=tuple(item.name for item in left[:3]),
        )


def _atoms(item: ItemInput) -> frozenset[str]:
    return frozenset(atom.atom_id for atom in item.atoms)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _adds_little(item: ItemInput) -> bool:
    return item.is_meagre and not item.standing
