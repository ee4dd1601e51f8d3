"""What every run of the quality gate goes by: dimensions, tiers, modes, when it passes.

Who judges is another matter (``streams/reduce/prd/gate.py`` by rule). The writer of artifacts,
which judges in passing, and the gate's own graph (``agents/quality``) both go by this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from schemas.envelope import Event
from schemas.events.artifact_quality import (
    DimensionScore,
    QualityMode,
    QualityRun,
    QualityTier,
    RemovalReason,
)
from schemas.events.quality import (
    DimensionScored,
    IterationCompleted,
    QualityRunFinished,
    QualityRunStarted,
)

PASS = 2
TIERS: tuple[QualityTier, ...] = ("incomplete", "basic", "intermediate", "advanced")
MAX_ITERATIONS: Mapping[QualityMode, int] = {"full": 2, "light": 1}
# Dimension -> its sections; none named means all of them.
DIMENSIONS: Mapping[QualityMode, Mapping[str, tuple[str, ...]]] = {
    "full": {
        "Scoping": ("problem", "goals", "users", "scope", "functional_requirements"),
        "Solution Design": (
            "solution_overview",
            "architecture_decisions",
            "data_and_integrations",
        ),
        "Operational Design": (
            "non_functional_requirements",
            "deployment_and_operations",
            "risks",
        ),
        "Overall": (),
    },
    "light": {"Scoping": ("description", "acceptance_criteria"), "Overall": ()},
}
# Why the reviser has taken a statement out, in words.
REMOVALS: Mapping[RemovalReason, str] = {
    "repeats_another": "repeats another statement",
    "draft_and_vague": "rests on drafts alone and is vague",
    "removed_by_model": "left out by the model that worded the section anew",
}


def select_dimensions(mode: QualityMode, section_ids: Iterable[str]) -> list[str]:
    """The dimensions of a mode that an artifact with these sections has."""
    present = set(section_ids)
    return [name for name, ids in DIMENSIONS[mode].items() if not ids or present & set(ids)]


def passes(dimensions: Iterable[DimensionScore]) -> bool:
    """Whether every dimension has tier 2 at least."""
    return all(dimension.tier >= PASS for dimension in dimensions)


def final_tier(dimensions: Sequence[DimensionScore]) -> QualityTier:
    """The tier of Overall, which comes last, but not above the lowest of the others and one."""
    *others, overall = [dimension.tier for dimension in dimensions]
    return TIERS[min(overall, *(tier + 1 for tier in others)) if others else overall]


def list_failing_sections(dimensions: Iterable[DimensionScore]) -> list[str]:
    """The sections of failing dimensions that a reviser may change, each once."""
    failing = [dimension for dimension in dimensions if dimension.tier < PASS]
    return list(dict.fromkeys(name for dimension in failing for name in dimension.failing_sections))


def describe_evaluation(
    run_id: str, artifact_id: str, seq: int, iteration: int, dimensions: Sequence[DimensionScore]
) -> list[Event]:
    """The events of one evaluation, the first of them number ``seq`` of its run."""
    place = {"quality_run_id": run_id, "artifact_id": artifact_id, "iteration": iteration}
    scored = [
        DimensionScored.model_validate(
            place | {"seq": seq + at, "dimension": dimension, "tier_name": TIERS[dimension.tier]}
        )
        for at, dimension in enumerate(dimensions)
    ]
    completed = IterationCompleted.model_validate(
        place
        | {
            "seq": seq + len(scored),
            "passed": passes(dimensions),
            "failing_dimensions": [
                dimension.name for dimension in dimensions if dimension.tier < PASS
            ],
            "failing_sections": list_failing_sections(dimensions),
        }
    )
    return [*scored, completed]


def describe_judgement(run: QualityRun, input_ledger_seq: int) -> list[Event]:
    """The events of a run that was one evaluation, made in passing."""
    place = {"quality_run_id": run.quality_run_id, "artifact_id": run.artifact_id}
    started = QualityRunStarted.model_validate(
        place
        | {
            "seq": 1,
            "artifact_version": run.artifact_version,
            "input_ledger_seq": input_ledger_seq,
            "mode": run.mode,
            "max_iterations": run.max_iterations,
            "dimensions": [dimension.name for dimension in run.dimensions],
            "engine": run.engine,
            "model": run.model,
        }
    )
    judged = describe_evaluation(run.quality_run_id, run.artifact_id, 2, 1, run.dimensions)
    finished = QualityRunFinished.model_validate(place | {"seq": len(judged) + 2, "run": run})
    return [started, *judged, finished]
