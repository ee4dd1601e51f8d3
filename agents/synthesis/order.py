"""What a model is to word: sections, and the numbered atoms and artifacts it may rest them on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schemas.events.artifact_parts import ArtifactType
from schemas.events.artifact_sections import Section
from schemas.events.ledger import AtomRecord, ContradictionRecord

LISTS: tuple[ArtifactType, ...] = ("insight", "feature", "task")  # with a decision after each item
GROUPS: tuple[ArtifactType, ...] = ("epic",)
WORDED_TYPES: tuple[ArtifactType, ...] = ("prd", *LISTS, *GROUPS)
DOCUMENT_TYPES: tuple[ArtifactType, ...] = ("sprint_plan", "report")  # made from artifacts
# Of those the sections that are no mere list of tasks with their figures.
DOCUMENTS: Mapping[str, frozenset[str]] = {
    "sprint_plan": frozenset({"goal", "risks"}),
    "report": frozenset(
        {
            "goal",
            "goals",
            "new_since_the_last_report",
            "in_preparation",
            "sprints",
            "risks",
            "open_questions",
        }
    ),
}


@dataclass(frozen=True, slots=True)
class CitedArtifact:
    """An artifact that lines of a sprint plan or report rest on, and all that it says."""

    artifact_id: str
    artifact_type: str
    title: str
    text: str


Cited = AtomRecord | CitedArtifact


@dataclass(frozen=True, slots=True)
class Order:
    """Sections of one artifact as rules have worded them, with all that is behind them.

    ``atoms`` and ``artifacts`` are those that the sections cite, by id; ``contradictions`` the open
    ones that touch the atoms. ``earlier`` tells of the items of the list that there are already.
    ``critique`` says of a section, by its id, what it lacks.
    """

    artifact_type: ArtifactType
    artifact_id: str
    title: str
    sections: Sequence[Section]
    atoms: Mapping[str, AtomRecord]
    artifacts: Mapping[str, CitedArtifact] = field(default_factory=dict)
    contradictions: Sequence[ContradictionRecord] = ()
    earlier: str = ""
    critique: Mapping[str, str] = field(default_factory=dict)

    @property
    def numbered(self) -> dict[int, Cited]:
        """The atoms in the order in which the sections cite them, then the artifacts, from 1 on."""
        statements = [statement for section in self.sections for statement in section.statements]
        atoms = dict.fromkeys(it.atom_id for statement in statements for it in statement.citations)
        artifacts = dict.fromkeys(it for statement in statements for it in statement.artifact_ids)
        cited: list[Cited] = [self.atoms[atom_id] for atom_id in atoms if atom_id in self.atoms]
        cited += [
            self.artifacts[artifact_id]
            for artifact_id in artifacts
            if artifact_id in self.artifacts
        ]
        return dict(enumerate(cited, 1))

    @property
    def numbers(self) -> dict[str, int]:
        return {_id_of(cited): number for number, cited in self.numbered.items()}

    def numbers_of(self, section: Section) -> list[int]:
        """The numbers of the atoms and artifacts that were chosen for a section."""
        numbers = self.numbers
        cited = (
            cited_id
            for statement in section.statements
            for cited_id in (*(it.atom_id for it in statement.citations), *statement.artifact_ids)
        )
        return sorted({numbers[cited_id] for cited_id in cited if cited_id in numbers})


def _id_of(cited: Cited) -> str:
    return cited.atom_id if isinstance(cited, AtomRecord) else cited.artifact_id
