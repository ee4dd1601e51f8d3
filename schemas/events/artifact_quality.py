"""How a run of the quality gate over an artifact ended, and what it took out."""

from __future__ import annotations

from typing import Literal

from schemas.envelope import Part

QualityTier = Literal["incomplete", "basic", "intermediate", "advanced"]
QualityMode = Literal["full", "light"]


class SectionCritique(Part):
    """What one section lacks, in a sentence."""

    section_id: str
    critique: str


class DimensionScore(Part):
    """One dimension of a quality run: a tier from 0 to 3, and the scores it is the mean of.

    ``critiques`` say of each of the ``failing_sections`` what it lacks.
    """

    name: str
    tier: int
    completeness: float
    consistency: float
    evidence_coverage: float
    clarity: float
    critique: str = ""
    failing_sections: list[str] = []
    critiques: list[SectionCritique] = []


RemovalReason = Literal["repeats_another", "draft_and_vague", "removed_by_model"]


class RemovedStatement(Part):
    """A statement that a run of the quality gate has taken out of its section, and why.

    Its atoms stay in the ledger.
    """

    section_id: str
    text: str
    atom_ids: list[str]
    reason: RemovalReason


class QualityRun(Part):
    """How one run of the quality gate over one version ended. ``engine`` says who judged.

    ``dimensions`` are those of the last evaluation, made of what the reviser left; ``removed`` is
    what it has taken out. ``final_tier`` is None for a run that ended before one.
    """

    quality_run_id: str
    artifact_id: str
    artifact_version: int
    mode: QualityMode
    status: Literal["passed", "needs_attention", "failed", "cancelled"]
    iteration: int
    max_iterations: int
    final_tier: QualityTier | None = None
    dimensions: list[DimensionScore] = []
    revised_sections: list[str] = []
    removed: list[RemovedStatement] = []
    engine: str
    model: str | None = None
    cost_usd: float = 0.0
    tokens: int = 0
    error: str = ""
