"""The loop of generation: one item, then whether to go on, until a rule says stop.

Pure and the same for rules and models: ``Maker`` makes an item or fails, and judges coverage. The
loop is a generator, so that whoever drives it keeps and shows each item before the next is asked
for. Time comes from outside: a step says how long it took, and one that took too long is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from schemas.events.artifact_parts import ContinuationRecord, LoopRecord, StopReason
from schemas.fingerprint import norm_text
from streams.ledger.similarity import jaccard, similarity, words

T = TypeVar("T")
SAME = 0.92
ALIKE = 0.5  # of the words; texts that share fewer are not compared further
CONFIDENT = 0.9
MAX_ERRORS = 3
STEP_TIMEOUT_S = 300.0
HARD_CEILING = 10_000


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What one request for an item brought: the item, or None and what went wrong."""

    item: T | None
    error: str = ""
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Continuation:
    """The decision whether to go on."""

    should_continue: bool
    confidence: float
    coverage_assessment: str = ""
    gaps_remaining: tuple[str, ...] = ()


class Maker(Protocol[T]):
    """Where items come from: rules or a model."""

    def make(self, earlier: Sequence[T]) -> Reply[T] | None:
        """The next item, in view of all ``earlier`` ones; None when there is nothing to make."""
        ...

    def text_of(self, item: T) -> str:
        """The description by which a repeat is recognised."""
        ...

    def id_of(self, item: T) -> str:
        """The id it will have as an artifact."""
        ...

    def list_inputs(self, item: T) -> Sequence[str]:
        """The ids of all that was given for making it."""
        ...

    def assess(self, earlier: Sequence[T]) -> Continuation:
        """Whether ``earlier`` cover what there is to say."""
        ...


def never() -> Literal["budget_exceeded", "cancelled"] | None:
    """Nothing from outside ends the loop."""
    return None


@dataclass(slots=True)
class _Course(Generic[T]):
    items: list[T] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    steps: int = 0
    calls: int = 0
    errors: int = 0
    decisions: list[ContinuationRecord] = field(default_factory=list)

    def repeats(self, text: str) -> bool:
        return repeats(text, self.texts)


def repeats(text: str, texts: Iterable[str]) -> bool:
    """Whether ``text`` says what one of ``texts`` says; all of them as ``norm_text`` makes them."""
    spoken = words(text)
    return any(
        text == known
        or (jaccard(spoken, words(known)) >= ALIKE and similarity(text, known) >= SAME)
        for known in texts
    )


def run_loop(
    phase: str,
    maker: Maker[T],
    *,
    ceiling: int = HARD_CEILING,
    step_timeout_s: float = STEP_TIMEOUT_S,
    interrupted: Callable[[], Literal["budget_exceeded", "cancelled"] | None] = never,
) -> Generator[T, None, LoopRecord]:
    """Yields each new item, and returns how the loop ended; a duplicate is not yielded."""
    course: _Course[T] = _Course()
    in_a_row = 0
    while True:
        stop: StopReason | None = interrupted()
        if stop:
            return _record(phase, course, stop)
        step = maker.make(course.items)
        if step is None:
            return _record(phase, course, "should_continue_false")
        course.steps += 1
        course.calls += 1
        if step.item is None or step.elapsed_s > step_timeout_s:
            course.errors += 1
            in_a_row += 1
            if in_a_row >= MAX_ERRORS:
                return _record(phase, course, "error_threshold")
            continue
        text = norm_text(maker.text_of(step.item))
        if course.repeats(text):
            return _record(phase, course, "duplicate_detected")
        in_a_row = 0
        course.items.append(step.item)
        course.texts.append(text)
        yield step.item
        decision = maker.assess(course.items)
        course.calls += 1
        course.decisions.append(_record_decision(maker, step.item, decision))
        if decision.confidence > CONFIDENT:
            return _record(phase, course, "coverage_confident")
        if not decision.should_continue:
            return _record(phase, course, "should_continue_false")
        if len(course.items) >= ceiling:
            return _record(phase, course, "hard_ceiling")


def _record_decision(maker: Maker[T], item: T, decision: Continuation) -> ContinuationRecord:
    return ContinuationRecord(
        artifact_id=maker.id_of(item),
        made_from=list(maker.list_inputs(item)),
        should_continue=decision.should_continue,
        confidence=decision.confidence,
        coverage_assessment=decision.coverage_assessment,
        gaps_remaining=list(decision.gaps_remaining),
    )


def _record(phase: str, course: _Course[T], stop: StopReason) -> LoopRecord:
    return LoopRecord(
        phase=phase,
        stop_reason=stop,
        items=len(course.items),
        errors=course.errors,
        calls=course.calls,
        calls_ratio=round(course.calls / max(course.steps, 1), 6),
        gaps_remaining=course.decisions[-1].gaps_remaining if course.decisions else [],
        continuations=course.decisions,
    )
