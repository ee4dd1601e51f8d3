"""What a feature has besides its statements: priority, effort, skills, risks."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import get_args

from schemas.events.artifact_items import FeatureFields, InsightCategory, InsightFields, Priority
from schemas.events.ledger import AtomRecord
from schemas.features import DONE
from streams.reduce.features.wordings import sources_of
from streams.reduce.texts.inputs import Grounds, ItemInput

URGENCY: Mapping[str, float] = {"must": 1.0, "should": 0.6, "could": 0.3, "wont": 0.0}
_DECIDED = 0.7
_NEUTRAL = 0.6
NOT_ESTIMATED = 0
_EFFORT = ((6, 13), (4, 8), (3, 5), (2, 3))  # statements to fulfil → points
LEAST_EFFORT = 2
SKILLS: Mapping[str, str] = {
    "user_needs": "design",
    "architecture_decisions": "architecture",
    "data_model": "data modelling",
    "integrations": "integration",
    "security": "security",
    "non_functional": "performance",
    "deployment_constraints": "operations",
    "operations": "operations",
    "testing": "testing",
    "delivery": "release management",
}


def feature_fields(item: ItemInput) -> FeatureFields:
    """By rule from the cluster; the plan adds effort, dates, epic and dependencies.

    What exists has no priority any more: it gets the neutral one.
    """
    atoms = item.atoms
    binding = [atom for atom in atoms if atom.kind in ("requirement", "decision")]
    risks = [atom for atom in atoms if atom.kind == "risk"]
    asked = [_urgency(atom) for atom in binding] if item.state != DONE else []
    urgency = fmean(asked) if asked else _NEUTRAL
    active = fmean(atom.status == "active" for atom in atoms)
    severe = any(atom.severity in ("high", "critical") for atom in risks)
    danger = 1.0 if severe else 0.5 if risks else 0.0
    contradictions = Grounds.of(item.sections).contradictions_of(atom.atom_id for atom in atoms)
    return FeatureFields(
        atom_ids=[atom.atom_id for atom in atoms],
        contradiction_ids_considered=[
            contradiction.contradiction_id for contradiction in contradictions
        ],
        priority=_priority(urgency),
        priority_score=round(0.6 * urgency + 0.2 * active + 0.2 * danger, 4),
        effort_points=NOT_ESTIMATED,
        required_skills=sorted({SKILLS.get(atom.area, "engineering") for atom in binding}),
        risk_atom_ids=[atom.atom_id for atom in risks],
    )


def estimate_effort(item: ItemInput) -> int:
    """Points by how much there is to fulfil."""
    binding = sum(atom.kind in ("requirement", "decision") for atom in item.atoms)
    return next((points for least, points in _EFFORT if binding >= least), LEAST_EFFORT)


def insight_fields(item: ItemInput) -> InsightFields:
    atoms = item.atoms
    sources = sorted(sources_of(atoms))
    (category,) = (one for one in get_args(InsightCategory) if one == item.category)
    return InsightFields(
        category=category,
        atom_ids=[atom.atom_id for atom in atoms],
        source_ids=sources,
        confidence=round(fmean(atom.confidence for atom in atoms), 4),
        cross_source=len(sources) >= 2,
    )


def _urgency(atom: AtomRecord) -> float:
    if atom.kind == "decision":
        return _DECIDED
    return URGENCY.get(atom.attributes.get("priority", "should"), 0.6)


def _priority(urgency: float) -> Priority:
    return "must" if urgency >= 0.8 else "should" if urgency >= 0.5 else "could"
