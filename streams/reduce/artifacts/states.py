"""``artifact_state``: how far an artifact may be relied on, and what it lacks.

A function of the sections and of the atoms behind them at one position; a move is told by comparing
with the state before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.events.artifact_parts import ArtifactSnapshot, ArtifactState
from schemas.events.artifact_sections import Section
from schemas.events.ledger import LIVE, ContradictionRecord
from streams.reduce.texts.approach import is_open
from streams.reduce.texts.inputs import Grounds
from streams.reduce.texts.sections import SECTIONS

MIN_LIVE_ATOMS = 5
MIN_BINDING_ATOMS = 2  # requirements and decisions
MIN_ACTIVE_ATOMS = 1
MIN_ITEM_ATOMS = {"insight": 2, "epic": 3, "feature": 2}
MIN_SECTION_ATOMS = {
    plan.section_id: 2 if plan.section_id.endswith("_requirements") else 1 for plan in SECTIONS
}


@dataclass(frozen=True, slots=True)
class DerivedState:
    """The state, why it is that and no further, and the contradictions that block ``stable``."""

    state: ArtifactState
    reason_codes: tuple[str, ...]
    blocked_by: tuple[str, ...]


def derive_lane(
    lane: Literal["preview", "deep"], before: ArtifactSnapshot | None, version: int
) -> Literal["preview", "deep"]:
    """The lane a version was validated in: what passed through the deep one did so for good."""
    if before is None or before.version != version:
        return lane
    deep = before.artifact_state == "stable" or before.quality_run_id is not None
    return "deep" if deep else lane


def section_has_minimum(section: Section) -> bool:
    """Whether a section of a PRD has atoms enough to be relied on as far as it goes."""
    return len(list_cited([section])) >= MIN_SECTION_ATOMS[section.section_id]


def derive_prd_state(
    sections: Sequence[Section],
    grounds: Grounds,
    lane: Literal["preview", "deep"],
    *,
    gate_passed: bool = False,
) -> DerivedState:
    """The state of a PRD that the validator let through, at the end of a run of ``lane``."""
    cited = list_cited(sections)
    blocked_by = tuple(
        contradiction.contradiction_id
        for contradiction in grounds.contradictions_of(cited)
        if contradiction.severity == "high"
    )
    if lacking := _below_minimum(sections, grounds, cited):
        return DerivedState("draft", lacking, blocked_by)
    hindrances = {
        "deep_run_not_finished": lane != "deep",
        "quality_gate_not_passed": lane == "deep" and not gate_passed,
        "blocking_contradiction": bool(blocked_by),
    }
    open_points = tuple(code for code, holds in hindrances.items() if holds)
    if open_points:
        return DerivedState("preview_stable", ("minimum_met", *open_points), blocked_by)
    return DerivedState("stable", ("deep_validation_complete", "quality_gate_passed"), blocked_by)


def derive_item_state(
    item: ArtifactSnapshot, grounds: Grounds, lane: Literal["preview", "deep"]
) -> DerivedState:
    """The state of an insight, epic or feature that the validator let through."""
    behind = item.epic.atom_ids if item.epic else list_cited(item.sections)
    live = [one for one in behind if one in grounds.atoms and grounds.atoms[one].status in LIVE]
    blocked_by = tuple(
        contradiction.contradiction_id
        for contradiction in grounds.contradictions_of(behind)
        if contradiction.severity == "high"
    )
    if len(live) < MIN_ITEM_ATOMS[item.artifact_type]:
        return DerivedState("draft", ("too_few_live_atoms",), blocked_by)
    if lane != "deep" or blocked_by:
        hindrance = "blocking_contradiction" if blocked_by else "deep_run_not_finished"
        return DerivedState("preview_stable", ("minimum_met", hindrance), blocked_by)
    return DerivedState("stable", ("deep_validation_complete",), ())


def derive_task_state(
    task: ArtifactSnapshot,
    feature: ArtifactSnapshot | None,
    grounds: Grounds,
    lane: Literal["preview", "deep"],
) -> DerivedState:
    """The state of a task that has an approach: never further than that of its feature."""
    cited = list_cited(task.sections)
    blocked_by = tuple(
        sorted(
            {
                contradiction_record.contradiction_id
                for contradiction_record in _severe(grounds, cited)
            }
            | set(feature.blocked_by if feature else ())
        )
    )
    if feature and feature.artifact_state == "draft":
        return DerivedState("draft", ("feature_is_draft",), blocked_by)
    if is_open(task.sections):
        return DerivedState("draft", ("approach_is_open",), blocked_by)
    if lane != "deep" or blocked_by or (feature and feature.artifact_state != "stable"):
        hindrance = "blocking_contradiction" if blocked_by else "deep_run_not_finished"
        return DerivedState("preview_stable", ("minimum_met", hindrance), blocked_by)
    return DerivedState("stable", ("deep_validation_complete",), ())


def derive_dependent_state(parts: Sequence[ArtifactSnapshot]) -> DerivedState:
    """The state of a plan or report that the validator let through: that of what it rests on."""
    blocked_by = tuple(sorted({one for part in parts for one in part.blocked_by}))
    if not parts:
        return DerivedState("draft", ("nothing_cited",), ())
    if any(part.artifact_state != "stable" for part in parts):
        return DerivedState("preview_stable", ("minimum_met",), blocked_by)
    return DerivedState("stable", ("deep_validation_complete",), ())


def _severe(grounds: Grounds, cited: Sequence[str]) -> list[ContradictionRecord]:
    return [
        contradiction
        for contradiction in grounds.contradictions_of(cited)
        if contradiction.severity == "high"
    ]


def list_cited(sections: Iterable[Section]) -> list[str]:
    return sorted(
        {
            citation.atom_id
            for section in sections
            for statement in section.statements
            for citation in statement.citations
        }
    )


def _below_minimum(
    sections: Sequence[Section], grounds: Grounds, cited: Sequence[str]
) -> tuple[str, ...]:
    live = [
        grounds.atoms[one]
        for one in cited
        if one in grounds.atoms and grounds.atoms[one].status in LIVE
    ]
    filled = {section.section_id for section in sections if section.statements}
    binding = sum(atom.kind in ("requirement", "decision") for atom in live)
    active = sum(atom.status == "active" for atom in live)
    missing = {
        "too_few_live_atoms": len(live) < MIN_LIVE_ATOMS,
        "too_few_requirements_or_decisions": binding < MIN_BINDING_ATOMS,
        "no_active_atom": active < MIN_ACTIVE_ATOMS,
        "problem_and_goals_missing": not filled & {"problem", "goals"},
        "functional_requirements_missing": "functional_requirements" not in filled,
    }
    return tuple(code for code, holds in missing.items() if holds)
