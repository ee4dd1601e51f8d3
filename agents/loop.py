"""The loop of generation that a model drives: an item, whether to go on, until a rule says stop.

When it ends is for the rules that hold for every list (``schemas.generation``); the driver around
them gives each step its time and keeps each item before the next is asked for. What a caller does
when the loop has ended is its own affair.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from agents.models.errors import BudgetExceeded
from schemas.events.artifact_loops import LoopRecord, StopReason
from schemas.generation import (
    NOTHING_YET,
    Decision,
    LoopState,
    Rules,
    add_decision,
    add_error,
    add_item,
    begin_step,
    end_loop,
)

T = TypeVar("T")
S = TypeVar("S")

STEP_TIMEOUT_S = 300.0
FULL_ITEMS = 50


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
    then, or raises NotKept; ``tell_error`` is given the error and how many there were in a row.

    ``clock`` counts seconds, ``sleep`` waits for some.
    """

    keep: Callable[[T], Awaitable[None]]
    tell_error: Callable[[Exception, int], Awaitable[None]]
    is_cancelled: Callable[[], bool] = lambda: False
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


class StepTimeout(Exception):
    """A step took longer than it may; it was stopped."""


class NotKept(Exception):
    """An item was refused where it was to be kept: an error of the step."""


async def run_loop(
    phase: str,
    maker: ItemMaker[T],
    rules: Rules,
    world: Surroundings[T],
    begun: LoopState = NOTHING_YET,
) -> LoopRecord:
    """Make and keep items until a rule says stop; a repeated item is not kept.

    An item that was kept stays, whatever becomes of the decision after it. Other errors of ``keep``
    than NotKept are raised: then nobody knows whether the log has the item. ``begun`` knows the
    items that the list has already.
    """
    state, items = begun, list[T]()
    while True:
        if world.is_cancelled():
            return end_loop(phase, state, "cancelled")
        decision: Decision | None = None
        interruption: StopReason | None = None
        deadline = world.clock() + STEP_TIMEOUT_S
        before, state = state, begin_step(state)
        try:
            item = await _within(deadline, maker.make(items), world)
            if item is None:  # nobody was asked
                return end_loop(phase, before, "should_continue_false")
            if rules.repeats(maker.text_of(item), state.texts):
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
    except NotKept:
        raise
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
    summary: str = "",
) -> Earlier[T]:
    """All items in full up to 50; of more the summary and all titles, so that a request stays small
    and a repeat is still seen.
    """
    if len(items) <= FULL_ITEMS:
        return Earlier(full=tuple(items))
    return Earlier(summary=summary, titles=tuple(title_of(item) for item in items))
