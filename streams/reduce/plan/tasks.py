"""Tasks one by one in the loop, and what a task has besides its statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.events.artifact_items import TaskFields
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_sections import Section
from schemas.generation import CONFIDENT, Decision
from streams.reduce.artifacts.items import WrittenSections
from streams.reduce.artifacts.making import Made
from streams.reduce.artifacts.validator import errors
from streams.reduce.texts.inputs import Grounds, ItemInput, ListInput, SectionInput

# Statements to fulfil → points; an action item is one.
_POINTS = ((7, 8), (4, 5), (2, 3))
_LEAST_POINTS = 2
_COMPLEX = 8
_MEDIUM = 5
_SEVERE = frozenset({"high", "critical"})
# Disciplines whose part of a feature others build on, and those that come last.
_FIRST = ("architecture", "data modelling")
_LAST = ("testing", "release management")


@dataclass(slots=True)
class TaskMaker:
    """See ``loop.Maker``. Decided against: passing over tasks that share atoms, as
    features are: the parts of one feature rest on the same decisions.
    """

    given: ListInput
    artifact_id: Callable[[ItemInput], str]
    write: Callable[[str, Sequence[SectionInput], Grounds], WrittenSections]
    refuse: Callable[[Made], None]
    place: int = 0

    def make(self, earlier: Sequence[Made]) -> Made | None:
        while self.place < len(self.given.items):
            item = self.given.items[self.place]
            self.place += 1
            artifact_id = self.artifact_id(item)
            written = self.write(artifact_id, item.sections, Grounds.of(item.sections))
            made = Made(item, artifact_id, written)
            if not errors(written.findings) and solutions_of(written.sections):
                return made
            self.refuse(made)
        return None

    def text_of(self, item: Made) -> str:
        return item.item.title

    def id_of(self, item: Made) -> str:
        return item.artifact_id

    def list_inputs(self, item: Made) -> list[str]:
        return [atom.atom_id for atom in item.item.atoms]

    def assess(self, earlier: Sequence[Made]) -> Decision:
        left = self.given.items[self.place :]
        share = len(earlier) / max(len(earlier) + len(left), 1)
        return Decision(
            should_continue=bool(left),
            confidence=round(min(share, CONFIDENT) if left else share, 4),
            coverage_assessment=f"{len(earlier):,} of {len(earlier) + len(left):,} tasks",
            gaps_remaining=tuple(item.title for item in left[:3]),
        )


def solutions_of(sections: Sequence[Section]) -> list[str]:
    """The technical approach as written."""
    return [
        statement.text
        for section in sections
        if section.section_id == "solutions"
        for statement in section.statements
    ]


def task_fields(made: Made, feature: ArtifactSnapshot | None) -> TaskFields:
    """By rule from the cluster; the plan adds sprint and assignee."""
    item = made.item
    risks = item.atoms_of("risks")
    points = estimate(item)
    upstream = feature.feature.atom_ids if feature and feature.feature else []
    return TaskFields(
        feature_id=feature.artifact_id if feature else None,
        upstream_title=feature.title if feature else "",
        upstream_atom_ids=upstream,
        atom_ids=[atom.atom_id for atom in item.atoms],
        risk_atom_ids=[atom.atom_id for atom in risks],
        solutions=solutions_of(made.attempt.sections),
        estimate_points=points,
        required_skills=list(item.about),
        domain=item.area,
        complexity=rate_complexity(points, severe=any(it.severity in _SEVERE for it in risks)),
    )


def estimate(item: ItemInput) -> int:
    """Points by how much there is to fulfil."""
    wanted = len(item.atoms_of("acceptance_criteria"))
    return next((points for least, points in _POINTS if wanted >= least), _LEAST_POINTS)


def rate_complexity(points: int, *, severe: bool) -> Literal["low", "medium", "high"]:
    if points >= _COMPLEX or (severe and points >= _MEDIUM):
        return "high"
    return "medium" if points >= _MEDIUM or severe else "low"


def comes_before(one: ItemInput, other: ItemInput) -> bool:
    """Whether ``one`` is a part of the same feature that ``other`` builds on or checks."""
    if not one.category or one.category != other.category or one is other:
        return False
    return _stage(one) < _stage(other)


def _stage(item: ItemInput) -> int:
    skill = item.about[0] if item.about else ""
    return 0 if skill in _FIRST else 2 if skill in _LAST else 1
