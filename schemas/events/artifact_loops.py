"""How a loop that generates artifacts went, and why it stopped."""

from __future__ import annotations

from typing import Literal

from schemas.envelope import Part

StopReason = Literal[
    "duplicate_detected",
    "coverage_confident",
    "should_continue_false",
    "error_threshold",
    "hard_ceiling",
    "budget_exceeded",
    "cancelled",
]


class ContinuationRecord(Part):
    """Whether a loop goes on after the item ``artifact_id``, and all the item was made from.

    ``input_ids`` is the whole input of the step, atoms and open contradictions, by id.
    """

    artifact_id: str
    input_ids: list[str] = []
    should_continue: bool
    confidence: float
    coverage_assessment: str = ""
    gaps_remaining: list[str] = []


class LoopRecord(Part):
    """How one loop of generation went. ``calls`` counts items asked for and
    decisions to go on; ``calls_ratio`` is that for each item asked for. ``continuations`` has one
    entry for each item, in the order they were made. ``engine`` says who made them: ``heuristic``
    or ``model``.
    """

    phase: str
    engine: str = "heuristic"
    stop_reason: StopReason
    items: int
    errors: int
    calls: int
    calls_ratio: float
    gaps_remaining: list[str] = []
    continuations: list[ContinuationRecord] = []
