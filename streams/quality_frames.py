"""What clients that follow a run of the quality gate get to see, event by event.

Judgements that the writer makes in passing have no frames: nobody has asked for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from schemas.envelope import Event
from schemas.events.artifact_quality import QualityRun
from schemas.events.quality import (
    DimensionScored,
    IterationCompleted,
    QualityRunFinished,
    QualityRunStarted,
    SectionRevised,
)
from schemas.quality_gate import TIERS

Frame = tuple[str, dict[str, Any]]
QUALITY_EVENTS = (
    QualityRunStarted,
    DimensionScored,
    IterationCompleted,
    SectionRevised,
    QualityRunFinished,
)


def make_quality_frames(fact: Event) -> Iterator[Frame]:
    match fact:
        case QualityRunStarted():
            shown = fact.model_dump(include={"artifact_id", "mode", "dimensions"})
            yield "quality_started", {"run_id": fact.quality_run_id} | shown
            yield from _progress(1, fact.dimensions, "running")
        case DimensionScored():
            yield from _progress(fact.iteration, [fact.dimension.name], "complete")
            yield "dimension_score", _score(fact)
        case IterationCompleted():
            yield (
                "iteration_feedback",
                fact.model_dump(
                    include={"iteration", "passed", "failing_dimensions", "failing_sections"}
                ),
            )
        case SectionRevised():
            yield (
                "section_revised",
                {"iteration": fact.iteration, "section_id": fact.section.section_id},
            )
        case QualityRunFinished():
            yield from _end(fact.run)
        case _:
            return


def _progress(iteration: int, dimensions: list[str], status: str) -> Iterator[Frame]:
    for name in dimensions:
        shown = {"iteration": iteration, "dimension": name, "status": status}
        yield "assessment_progress", shown


def _score(fact: DimensionScored) -> dict[str, Any]:
    score = fact.dimension
    criteria = {"completeness", "consistency", "evidence_coverage", "clarity"}
    return {
        "iteration": fact.iteration,
        "dimension": score.name,
        "tier": score.tier,
        "tier_name": fact.tier_name,
        "criteria": score.model_dump(include=criteria),
        "critique": score.critique,
    }


def _end(run: QualityRun) -> Iterator[Frame]:
    if run.final_tier is not None:
        tier = {"tier": TIERS.index(run.final_tier), "tier_name": run.final_tier}
        yield "final_tier", tier | {"outcome": run.status}
    if run.status == "failed":
        yield "error", {"code": "quality_run_failed", "message": run.error}
    yield "done", {"run_id": run.quality_run_id, "outcome": run.status}
