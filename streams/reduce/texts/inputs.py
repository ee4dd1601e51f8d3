"""What a PRD is written from: the chosen atoms of each section at one settled position.

Small enough to be kept with the position, so that the ledger may move on before a word is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from schemas.envelope import Part
from schemas.events.artifact_sections import Citation
from schemas.events.ledger import AtomRecord, ContradictionRecord
from schemas.ids import sha256_hex
from streams.cause import Cause
from streams.reduce.texts.deltas import Changes

ENOUGH_TO_SAY = 3  # statements to fulfil


class Pick(Part):
    """The atoms behind one statement, the leading one first.

    ``contradictions`` are all open ones of these atoms. ``paired`` says that the second atom
    contradicts the first; otherwise the others say the same as the first.
    """

    atoms: list[AtomRecord]
    contradictions: list[ContradictionRecord] = []
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
        contradictions = {
            f"{one.contradiction_id} {one.status} {one.severity} {one.updated_seq}"
            for pick in self.picks
            for one in pick.contradictions
        }
        return sha256_hex("\n".join([self.section_id, *sorted(atoms), *sorted(contradictions)]))


class ItemInput(Part):
    """The cluster behind one insight, feature or task, by section.

    Its key is the ``anchor``, the topic or area it is built around, and for an insight the
    ``category``; ``name`` is how the anchor is written. The area most of its atoms are in is left
    out of the key: it may shift with one atom more. ``standing``: the last preview had it.
    ``about`` are the other topics of its leading atoms, ``themes`` those that many of them share,
    with the way they are written. A feature that a source names has a ``state``, done or planned,
    and ``groups``: what its places call the group it is in, by key, the surest first. Of a task
    ``category`` is the anchor of its feature, and ``about`` the skills it asks for.
    """

    artifact_type: Literal["insight", "feature", "task"]
    area: str
    anchor: str
    name: str
    title: str
    category: str = ""
    sections: list[SectionInput]
    standing: bool = False
    about: list[str] = []
    themes: dict[str, str] = {}
    state: Literal["", "done", "planned"] = ""
    groups: dict[str, str] = {}

    @property
    def key(self) -> str:
        return f"{self.category}|{self.anchor}"

    @property
    def is_meagre(self) -> bool:
        """Whether it is a feature that no source names, with little to fulfil."""
        return (
            self.artifact_type == "feature"
            and not self.state
            and len(self.atoms_of("acceptance_criteria")) < ENOUGH_TO_SAY
        )

    @property
    def atoms(self) -> list[AtomRecord]:
        """All atoms of the cluster, each once, by id."""
        picks = [pick for section in self.sections for pick in section.picks]
        found = {atom.atom_id: atom for pick in picks for atom in pick.atoms}
        return [found[key] for key in sorted(found)]

    def atoms_of(self, section_id: str) -> list[AtomRecord]:
        """The atoms behind one section, in its order."""
        return [
            atom
            for section in self.sections
            if section.section_id == section_id
            for pick in section.picks
            for atom in pick.atoms
        ]


class ListInput(Part):
    """The clusters of one list, best first; ``eligible`` atoms of ``kinds`` could stand in it.

    ``left_out`` are the titles of what could have been an item and why it is none.
    """

    items: list[ItemInput] = []
    eligible: int = 0
    kinds: list[str] = []
    left_out: dict[str, str] = {}

    @property
    def is_named(self) -> bool:
        """Whether they are features that sources name."""
        return any(item.state for item in self.items)


class Backing(Part):
    """An atom that was read out of a person's words in a section, and the words it quotes.

    ``alone``: nothing else supports it.
    """

    section_id: str
    pick: Pick
    quotes: list[str]
    alone: bool

    @property
    def atom_id(self) -> str:
        return self.pick.lead.atom_id

    def supports(self, sentence: str) -> bool:
        squeezed = _squeeze(sentence)
        return any(_squeeze(quote) in squeezed for quote in self.quotes)


class Withdrawn(Part):
    """What became of an atom that is no longer live. ``successor``: the live atom in its place,
    None where there is none; ``is_merged`` when that one says the same.
    """

    successor: Citation | None = None
    is_merged: bool = False


class DuePosition(Part):
    """A position nobody has written for yet, with all that is needed to do it.

    ``run_id`` and ``lane`` are those of the run that ended; None for a person's decision, which is
    written under those of the run before. A ``speculative`` position lies inside a run and has no
    insights. ``withdrawn`` are the atoms, by id, that were live at the settled position before.
    An ``undecidable`` position could not be looked at: nothing is written from it.
    """

    cause: Cause
    ledger_seq: int
    run_id: str | None
    lane: Literal["preview", "deep"] | None
    speculative: bool = False
    undecidable: bool = False
    sections: list[SectionInput]
    features: ListInput = ListInput()
    insights: ListInput = ListInput()
    tasks: ListInput = ListInput()
    changes: Changes = Changes()
    backings: list[Backing] = []
    withdrawn: dict[str, Withdrawn] = {}

    @property
    def prd(self) -> list[SectionInput]:
        """All that its PRD rests on: the chosen atoms, and those behind people's sentences."""
        return ground_backings(self.sections, self.backings)

    @property
    def inputs(self) -> list[SectionInput]:
        """All that its artifacts are written from."""
        lists = (self.features, self.insights, self.tasks)
        return [
            *self.prd,
            *(section for one in lists for item in one.items for section in item.sections),
        ]


def ground_backings(
    inputs: Sequence[SectionInput], backings: Iterable[Backing]
) -> list[SectionInput]:
    """The inputs, and the atoms behind people's sentences as further ones."""
    own = [
        SectionInput(section_id=backing.section_id, picks=[backing.pick]) for backing in backings
    ]
    return [*inputs, *own]


class Grounds:
    """The atoms, open contradictions and texts of artifacts that a text may rest on, by id."""

    def __init__(
        self,
        atoms: Iterable[AtomRecord],
        contradictions: Iterable[ContradictionRecord] = (),
        artifacts: Mapping[str, str] | None = None,
    ) -> None:
        self.atoms = {atom.atom_id: atom for atom in atoms}
        self.artifacts = dict(artifacts or {})
        self._contradictions: dict[str, dict[str, ContradictionRecord]] = {}
        for contradiction in contradictions:
            for atom_id in (contradiction.atom_a_id, contradiction.atom_b_id):
                self._contradictions.setdefault(atom_id, {})[contradiction.contradiction_id] = (
                    contradiction
                )

    @classmethod
    def of(cls, sections: Iterable[SectionInput]) -> Grounds:
        picks = [pick for section in sections for pick in section.picks]
        return cls(
            (atom for pick in picks for atom in pick.atoms),
            (contradiction for pick in picks for contradiction in pick.contradictions),
        )

    def contradictions_of(self, atom_ids: Iterable[str]) -> list[ContradictionRecord]:
        """The open contradictions that touch any of the atoms, each once, by id."""
        found = {
            key: one
            for atom_id in atom_ids
            for key, one in self._contradictions.get(atom_id, {}).items()
        }
        return [found[key] for key in sorted(found)]


def _squeeze(text: str) -> str:
    return " ".join(text.split())
