"""The way of a fact as a person sees it: what there is at each step, what waits, what failed.

Several stages make one step (two lanes read, one of them adjudicates), so the steps are fewer than
the stages. Counts and dead letters are of a project. Stages read all projects, so what waits is of
the installation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from infra.platform.log_positions import GroupLag
from infra.platform.settings import Settings
from projections.read.pipeline import Count, PipelineCounts

StepName = Literal[
    "sources", "chunks", "candidates", "atoms", "ledger", "artifacts", "tables", "other"
]
# Consumer groups, without prefix, by the step that they make.
STAGES: Mapping[StepName, tuple[str, ...]] = {
    "sources": ("intake",),
    "chunks": ("hygiene",),
    "candidates": ("rekeyer", "run_control", "map_preview", "map_deep"),
    "atoms": ("reflect", "adjudicate"),
    "ledger": ("ledger", "judge"),
    "artifacts": ("reduce", "publish", "frame"),
    "tables": ("projector",),
}


@dataclass(frozen=True, slots=True)
class PipelineStep:
    """``counts``: the main one first. ``waiting``: records, of all projects; None: not known."""

    name: StepName
    stages: tuple[str, ...]
    counts: list[Count]
    waiting: int | None
    dead_letters: int


def build_pipeline(
    settings: Settings, counted: PipelineCounts, lag: Sequence[GroupLag] | None
) -> list[PipelineStep]:
    """The steps in the order of a fact; last, if there are any, dead letters of no step."""
    letters = dict(counted.dead_letters)
    steps = [
        PipelineStep(
            name,
            stages,
            counted.steps[name],
            None if lag is None else _count_waiting(settings, stages, lag),
            sum(letters.pop(stage, 0) for stage in stages),
        )
        for name, stages in STAGES.items()
    ]
    if letters:
        steps.append(PipelineStep("other", tuple(letters), [], None, sum(letters.values())))
    return steps


def _count_waiting(settings: Settings, stages: Sequence[str], lag: Sequence[GroupLag]) -> int:
    groups = {settings.group(stage) for stage in stages}
    return sum(each.lag for each in lag if each.group in groups)
