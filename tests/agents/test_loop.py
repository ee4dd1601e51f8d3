"""Each reason to stop a loop of generation, out of a sequence of items that a script gives."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from agents.loop import (
    FULL_ITEMS,
    STEP_TIMEOUT_S,
    NotKept,
    StepTimeout,
    Surroundings,
    run_loop,
    show_earlier,
)
from agents.models.errors import AnswerMalformed, BudgetExceeded
from schemas.events.artifact_loops import LoopRecord
from schemas.generation import HARD_CEILING, Decision, LoopState, Rules, add_known
from streams.ledger.likeness.similarity import similarity

HANGS = object()
GO_ON = Decision(should_continue=True, confidence=0.5, gaps_remaining=("refunds",))
NOUNS = ["harbour", "invoice", "parcel", "ledger", "courier", "refund", "customs", "warehouse"]


def numbered() -> Iterator[str]:
    """Items without end, none like another."""
    for first in NOUNS:
        for second in NOUNS:
            for third in NOUNS:
                yield f"{first} {second[::-1]} {third * 2}"


@dataclass
class Script:
    """Answers of a model, one after the other; an exception is raised, HANGS never comes back.

    The clock of the loop goes on as far as the loop sleeps, at once.
    """

    items: Iterator[Any]
    decisions: Iterator[Any] | None = None
    kept: list[str] = field(default_factory=list)
    errors: list[tuple[str, int]] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)
    stopped: int = 0
    cancel_after: int | None = None
    now: float = 0.0

    async def make(self, earlier: Sequence[str]) -> str | None:
        self.seen.append(len(earlier))
        item: str | None = await self._answer(next(self.items))
        return item

    async def decide(self, earlier: Sequence[str]) -> Decision:
        assert self.kept == list(earlier), "an item is kept before anybody asks whether to go on"
        decision: Decision = await self._answer(next(self.decisions) if self.decisions else GO_ON)
        return decision

    async def _answer(self, answer: Any) -> Any:
        if answer is HANGS:
            try:
                await asyncio.Event().wait()
            finally:
                self.stopped += 1
        if isinstance(answer, Exception):
            raise answer
        return answer

    def text_of(self, item: str) -> str:
        return item

    def id_of(self, item: str) -> str:
        return f"art_{item[:3]}"

    def list_inputs(self, item: str) -> Sequence[str]:
        return ("atm_1",)

    async def keep(self, item: str) -> None:
        self.kept.append(item)

    async def tell_error(self, error: Exception, in_a_row: int) -> None:
        self.errors.append((type(error).__name__, in_a_row))

    async def sleep(self, seconds: float) -> None:
        for _ in range(10):  # whoever answers at all has answered by then
            await asyncio.sleep(0)
        self.now += seconds

    def run(self, ceiling: int = HARD_CEILING, known: Sequence[str] = ()) -> LoopRecord:
        world = Surroundings[str](
            self.keep,
            self.tell_error,
            is_cancelled=lambda: self.cancel_after == len(self.kept),
            clock=lambda: self.now,
            sleep=self.sleep,
        )
        rules = Rules(similarity, ceiling=ceiling)
        return asyncio.run(run_loop("feature_generation", self, rules, world, add_known(known)))


def failed() -> AnswerMalformed:
    return AnswerMalformed("The answer is no JSON.")


@pytest.mark.parametrize(
    "again",
    [
        "Parcels are tracked by courier!",  # the same fingerprint
        "Parcels are tracked by the courier of the whole northern harbour district today.",
    ],
)
def test_a_repeated_item_ends_the_loop_and_is_not_kept(again: str):
    first = "Parcels are tracked by courier."
    if "northern" in again:
        first = "Parcels are tracked by the courier of the whole northern harbour district, today"
    script = Script(iter([first, "Invoices are sent at night.", again]))

    record = script.run()

    assert record.stop_reason == "duplicate_detected"
    assert (record.items, len(script.kept)) == (2, 2)
    assert (record.calls, record.calls_ratio) == (5, round(5 / 3, 6))


def test_confidence_of_exactly_nine_tenths_goes_on_and_above_it_stops():
    decisions = [Decision(True, 0.90), Decision(True, 0.91)]
    record = Script(numbered(), iter(decisions)).run()

    assert (record.stop_reason, record.items) == ("coverage_confident", 2)
    assert [each.confidence for each in record.continuations] == [0.90, 0.91]
    assert record.continuations[0].input_ids == ["atm_1"]


def test_the_model_ends_the_loop_with_the_gaps_that_it_names():
    last = Decision(False, 0.6, "most of it", ("returns",))
    record = Script(numbered(), iter([GO_ON, last])).run()

    assert (record.stop_reason, record.items) == ("should_continue_false", 2)
    assert record.gaps_remaining == ["returns"]


def test_a_model_that_has_no_further_item_ends_the_loop():
    record = Script(iter(["harbour", None])).run()
    assert (record.stop_reason, record.items, record.calls) == ("should_continue_false", 1, 2)


def test_a_step_that_hangs_is_stopped_after_five_minutes_and_the_loop_goes_on():
    script = Script(iter([HANGS, "harbour", "invoice"]), iter([GO_ON, Decision(False, 0.5)]))

    record = script.run()

    assert STEP_TIMEOUT_S == 300
    assert script.errors == [(StepTimeout.__name__, 1)]
    assert (script.stopped, script.now >= 300) == (1, True)
    assert (record.stop_reason, record.items, record.errors) == ("should_continue_false", 2, 1)


def test_three_errors_in_a_row_end_the_loop():
    record = Script(iter(["harbour", failed(), failed(), failed()])).run()

    assert (record.stop_reason, record.items, record.errors) == ("error_threshold", 1, 3)


def test_a_success_in_between_counts_errors_anew():
    items = [failed(), failed(), "harbour", failed(), failed(), "invoice"]
    script = Script(iter(items), iter([GO_ON, Decision(False, 0.5)]))

    record = script.run()

    assert (record.stop_reason, record.errors) == ("should_continue_false", 4)
    assert [in_a_row for _, in_a_row in script.errors] == [1, 2, 1, 2]


def test_a_decision_that_fails_is_an_error_and_its_item_stays():
    script = Script(numbered(), iter([failed(), HANGS, failed()]))

    record = script.run()

    assert (record.stop_reason, record.items, len(script.kept)) == ("error_threshold", 3, 3)
    assert script.seen == [0, 1, 2]


def test_an_endless_model_ends_at_the_ceiling():
    record = Script(numbered()).run(ceiling=20)

    assert HARD_CEILING == 10_000
    assert (record.stop_reason, record.items) == ("hard_ceiling", 20)
    assert record.calls_ratio == 2.0


@pytest.mark.parametrize("where", ["item", "decision"])
def test_a_budget_that_is_used_up_ends_the_loop(where: str):
    over = BudgetExceeded("The budget of the project is used up.")
    items = ["harbour", over] if where == "item" else ["harbour", "invoice"]
    decisions = [GO_ON] if where == "item" else [GO_ON, over]
    script = Script(iter(items), iter(decisions))

    record = script.run()

    assert (record.stop_reason, record.errors) == ("budget_exceeded", 0)
    assert record.items == len(script.kept) == (1 if where == "item" else 2)


def test_a_loop_that_is_cancelled_keeps_what_it_has():
    script = Script(numbered(), cancel_after=2)
    record = script.run()
    assert (record.stop_reason, record.items, len(script.kept)) == ("cancelled", 2, 2)


def test_an_item_that_the_log_does_not_take_is_no_error_of_the_model():
    class Refusing(Script):
        async def keep(self, item: str) -> None:
            raise ConnectionError("broker away")

    with pytest.raises(ConnectionError, match="broker away"):
        Refusing(numbered()).run()


def test_items_that_the_list_had_are_known_and_not_counted():
    script = Script(iter(["harbour", "invoice", "Parcel."]))

    record = script.run(ceiling=3, known=["parcel", "ledger"])

    assert (record.stop_reason, record.items) == ("duplicate_detected", 2)


def test_an_item_that_is_refused_is_an_error_and_not_counted():
    class Choosy(Script):
        async def keep(self, item: str) -> None:
            if item != "harbour":
                raise NotKept
            await super().keep(item)

    script = Choosy(iter(["harbour", "invoice", "parcel", "ledger"]))

    record = script.run()

    assert (record.stop_reason, record.items, record.errors) == ("error_threshold", 1, 3)
    assert script.seen == [0, 1, 1, 1]


def test_reasons_are_found_in_their_order():
    rules = Rules(similarity, ceiling=1)
    state = LoopState(items=1, errors_in_a_row=3)
    both = Decision(should_continue=False, confidence=0.95)

    assert rules.find_stop(state, both, "cancelled") == "coverage_confident"
    assert rules.find_stop(state, Decision(False, 0.5), "cancelled") == "should_continue_false"
    assert rules.find_stop(state, GO_ON, "cancelled") == "error_threshold"
    calm = LoopState(items=1)
    assert rules.find_stop(calm, GO_ON, "budget_exceeded") == "hard_ceiling"
    assert rules.find_stop(LoopState(), GO_ON, "budget_exceeded") == "budget_exceeded"
    assert rules.find_stop(LoopState(), GO_ON) is None


def test_a_model_sees_items_in_full_up_to_fifty_and_then_their_titles():
    items = [f"item {number}" for number in range(FULL_ITEMS + 1)]

    few, many = (show_earlier(each, str.upper, "a few") for each in (items[:-1], items))

    assert (len(few.full), few.titles) == (50, ())
    assert (many.full, len(many.titles), many.titles[-1]) == ((), 51, "ITEM 50")
    assert (few.summary, many.summary) == ("", "a few")
