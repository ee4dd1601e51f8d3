"""The rules by which a list ends that is made item by item, whoever makes it: rules or a model.

They are pure and looked at in a fixed order. How alike two texts are is handed in, since it is the
ledger's measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from schemas.events.artifact_loops import ContinuationRecord, LoopRecord, StopReason
from schemas.fingerprint import norm_text

SAME = 0.92  # as alike as two statements that the ledger merges by itself
CONFIDENT = 0.9
MAX_ERRORS = 3
HARD_CEILING = 10_000

Similarity = Callable[[str, str], float]
"""0 to 1 for two texts as ``norm_text`` makes them."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to go on. ``confidence`` is that all there is to say is said."""

    should_continue: bool
    confidence: float
    coverage_assessment: str = ""
    gaps_remaining: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoopState:
    """What the rules know of a loop. ``texts`` are those of all items of the list; the loop itself
    has made ``items`` of them.
    """

    texts: tuple[str, ...] = ()
    continuations: tuple[ContinuationRecord, ...] = ()
    items: int = 0
    steps: int = 0
    calls: int = 0
    errors: int = 0
    errors_in_a_row: int = 0


NOTHING_YET = LoopState()


@dataclass(frozen=True, slots=True)
class Rules:
    """``ceiling``: the items after which a loop ends whatever is said about going on."""

    similarity: Similarity
    ceiling: int = HARD_CEILING

    def repeats(self, text: str, texts: Iterable[str]) -> bool:
        """Whether a text says what one of ``texts`` says, which are as ``norm_text`` makes them."""
        normal = norm_text(text)
        return any(normal == other or self.similarity(normal, other) >= SAME for other in texts)

    def find_stop(
        self, state: LoopState, decision: Decision | None, interruption: StopReason | None = None
    ) -> StopReason | None:
        """The first reason to stop after a step, in their fixed order; a repeated item came before.

        ``decision`` is that of the step, None where it has failed; ``interruption`` is
        ``budget_exceeded`` or ``cancelled``.
        """
        if decision is not None and decision.confidence > CONFIDENT:
            return "coverage_confident"
        if decision is not None and not decision.should_continue:
            return "should_continue_false"
        if state.errors_in_a_row >= MAX_ERRORS:
            return "error_threshold"
        if state.items >= self.ceiling:
            return "hard_ceiling"
        return interruption


def add_known(texts: Iterable[str]) -> LoopState:
    """The state of a loop whose list has items with these texts already."""
    return LoopState(texts=tuple(map(norm_text, texts)))


def begin_step(state: LoopState) -> LoopState:
    """An item is asked for."""
    return replace(state, steps=state.steps + 1, calls=state.calls + 1)


def add_error(state: LoopState) -> LoopState:
    return replace(state, errors=state.errors + 1, errors_in_a_row=state.errors_in_a_row + 1)


def add_item(state: LoopState, text: str) -> LoopState:
    """An item was kept; it is asked whether to go on."""
    texts = (*state.texts, norm_text(text))
    return replace(state, texts=texts, items=state.items + 1, calls=state.calls + 1)


def add_decision(
    state: LoopState, decision: Decision, artifact_id: str, input_ids: Sequence[str]
) -> LoopState:
    """The step has succeeded: errors before it count no more."""
    record = ContinuationRecord(
        artifact_id=artifact_id,
        input_ids=list(input_ids),
        should_continue=decision.should_continue,
        confidence=decision.confidence,
        coverage_assessment=decision.coverage_assessment,
        gaps_remaining=list(decision.gaps_remaining),
    )
    return replace(state, continuations=(*state.continuations, record), errors_in_a_row=0)


def end_loop(phase: str, state: LoopState, stop: StopReason) -> LoopRecord:
    """``calls_ratio``: calls for each item that was asked for; 1 would be without decisions."""
    last = state.continuations[-1:]
    return LoopRecord(
        phase=phase,
        stop_reason=stop,
        items=state.items,
        errors=state.errors,
        calls=state.calls,
        calls_ratio=round(state.calls / max(state.steps, 1), 6),
        gaps_remaining=last[0].gaps_remaining if last else [],
        continuations=list(state.continuations),
    )
