"""The loop of generation that a model drives: an item, whether to go on, until a rule says stop.

The rules are pure and checked in a fixed order; the driver around them gives each step its time and
keeps each item before the next is asked for. How alike two texts are is handed in, since it is the
ledger's measure. What a caller does when the loop has ended is its own affair.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from agents.models.errors import BudgetExceeded
from schemas.events.artifact_parts import ContinuationRecord, LoopRecord, StopReason
from schemas.fingerprint import norm_text

T = TypeVar("T")
S = TypeVar("S")

SAME = 0.92  # as alike as two statements that the ledger merges by itself
CONFIDENT = 0.9
MAX_ERRORS = 3
STEP_TIMEOUT_S = 300.0
HARD_CEILING = 10_000
FULL_ITEMS = 50

Similarity = Callable[[str, str], float]
"""0 to 1 for two texts as ``norm_text`` makes them."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the model says about going on. ``confidence`` is that all there is to say is said."""

    should_continue: bool
    confidence: float
    coverage_assessment: str = ""
    gaps_remaining: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoopState:
    """What the rules know of a loop: ``texts`` are those of the items that were kept."""

    texts: tuple[str, ...] = ()
    continuations: tuple[ContinuationRecord, ...] = ()
    steps: int = 0
    calls: int = 0
    errors: int = 0
    errors_in_a_row: int = 0


NOTHING_YET = LoopState()


@dataclass(frozen=True, slots=True)
class Rules:
    """``ceiling``: the items after which a loop ends whatever the model says."""

    similarity: Similarity
    ceiling: int = HARD_CEILING
    step_timeout_s: float = STEP_TIMEOUT_S

    def repeats(self, state: LoopState, text: str) -> bool:
        """Whether an item with this text is one of those that there are already."""
        said = norm_text(text)
        return any(said == known or self.similarity(said, known) >= SAME for known in state.texts)

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
        if len(state.texts) >= self.ceiling:
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
    """An item was kept; the model is asked whether to go on."""
    return replace(state, texts=(*state.texts, norm_text(text)), calls=state.calls + 1)


def add_decision(
    state: LoopState, decision: Decision, artifact_id: str, made_from: Sequence[str]
) -> LoopState:
    """The step has succeeded: errors before it count no more."""
    record = ContinuationRecord(
        artifact_id=artifact_id,
        made_from=list(made_from),
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
        items=len(state.texts),
        errors=state.errors,
        calls=state.calls,
        calls_ratio=round(state.calls / max(state.steps, 1), 6),
        gaps_remaining=last[0].gaps_remaining if last else [],
        continuations=list(state.continuations),
    )


class ItemMaker(Protocol[T]):
    """Asks a model for items. What it raises is an error of the step; None: there is none left."""

    async def make(self, earlier: Sequence[T]) -> T | None: ...

    async def decide(self, earlier: Sequence[T]) -> Decision: ...

    def text_of(self, item: T) -> str:
        """The description by which a repeat is recognised."""
        ...

    def id_of(self, item: T) -> str: ...

    def list_inputs(self, item: T) -> Sequence[str]:
        """The ids of all that was given for making it."""
        ...


@dataclass(frozen=True)  # a generic class with slots cannot be given its type in Python 3.11
class Surroundings(Generic[T]):
    """What a loop is given of the world. ``keep`` returns when the item is on the log, and shows it
    then; ``tell_error`` is given the error and how many there were in a row.

    ``clock`` counts seconds, ``sleep`` waits for some.
    """

    keep: Callable[[T], Awaitable[None]]
    tell_error: Callable[[Exception, int], Awaitable[None]]
    is_cancelled: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


class StepTimeout(Exception):
    """A step took longer than it may; it was stopped."""


async def run_loop(
    phase: str,
    maker: ItemMaker[T],
    rules: Rules,
    world: Surroundings[T],
    begun: LoopState = NOTHING_YET,
) -> LoopRecord:
    """Make and keep items until a rule says stop; a repeated item is not kept.

    An item that was kept stays, whatever becomes of the decision after it. Errors of ``keep`` are
    raised: then nobody knows whether the log has the item. ``begun`` knows the items that the list
    has already.
    """
    state, items = begun, list[T]()
    while True:
        if world.is_cancelled():
            return end_loop(phase, state, "cancelled")
        decision: Decision | None = None
        interruption: StopReason | None = None
        deadline = world.clock() + rules.step_timeout_s
        state = begin_step(state)
        try:
            item = await _within(deadline, maker.make(items), world)
            if item is None:
                return end_loop(phase, state, "should_continue_false")
            if rules.repeats(state, maker.text_of(item)):
                return end_loop(phase, state, "duplicate_detected")
            state = await _keep(state, item, items, maker, world)
            decision = await _within(deadline, maker.decide(items), world)
            state = add_decision(state, decision, maker.id_of(item), maker.list_inputs(item))
        except BudgetExceeded:
            interruption = "budget_exceeded"
        except KeepFailed as failure:
            raise failure.reason from None
        except Exception as error:
            state = add_error(state)
            await world.tell_error(error, state.errors_in_a_row)
        stop = rules.find_stop(state, decision, interruption)
        if stop:
            return end_loop(phase, state, stop)


class KeepFailed(Exception):
    """The log did not take an item; ``reason`` says why."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(str(reason))
        self.reason = reason


async def _keep(
    state: LoopState, item: T, items: list[T], maker: ItemMaker[T], world: Surroundings[T]
) -> LoopState:
    try:
        await world.keep(item)
    except Exception as error:
        raise KeepFailed(error) from error
    items.append(item)
    return add_item(state, maker.text_of(item))


async def _within(deadline: float, work: Awaitable[S], world: Surroundings[T]) -> S:
    """The result of ``work``; it is stopped at the deadline, and StepTimeout raised."""
    asked = asyncio.ensure_future(work)
    alarm = asyncio.ensure_future(world.sleep(max(deadline - world.clock(), 0)))
    try:
        await asyncio.wait((asked, alarm), return_when=asyncio.FIRST_COMPLETED)
        if asked.done():
            return asked.result()
        raise StepTimeout("The model took longer than a step may.")
    finally:
        for task in (asked, alarm):
            task.cancel()
        await asyncio.gather(asked, alarm, return_exceptions=True)


@dataclass(frozen=True)
class Earlier(Generic[T]):
    """What a model is shown of the items before: ``full`` ones, or a summary and all titles."""

    full: tuple[T, ...] = ()
    summary: str = ""
    titles: tuple[str, ...] = ()


def show_earlier(
    items: Sequence[T],
    title_of: Callable[[T], str],
    summarise: Callable[[Sequence[T]], str] = lambda items: f"{len(items)} items so far.",
) -> Earlier[T]:
    """All items in full up to 50; of more a summary and all titles, so that a request stays small
    and a repeat is still seen.
    """
    if len(items) <= FULL_ITEMS:
        return Earlier(full=tuple(items))
    return Earlier(summary=summarise(items), titles=tuple(title_of(item) for item in items))
