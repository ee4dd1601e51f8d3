"""The loop of generation ends for every reason it may end for, and says which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from schemas.events.artifact_loops import LoopRecord
from schemas.generation import Decision
from streams.reduce.artifacts.loop import REFUSED, run_loop

GO_ON = Decision(should_continue=True, confidence=0.1, gaps_remaining=("storage",))


@dataclass
class Told:
    """A maker that brings what it is told, step by step; then the last answer again and again."""

    steps: Sequence[str | None]
    decisions: Sequence[Decision] = (GO_ON,)
    seen: list[int] = field(default_factory=list)
    asked: int = 0

    def make(self, earlier: Sequence[str]) -> str | None:
        self.seen.append(len(earlier))
        self.asked += 1
        return self.steps[min(self.asked, len(self.steps)) - 1]

    def text_of(self, item: str) -> str:
        return item

    def id_of(self, item: str) -> str:
        return f"art {item}"

    def list_inputs(self, item: str) -> list[str]:
        return item.split()

    def assess(self, earlier: Sequence[str]) -> Decision:
        return self.decisions[min(len(earlier), len(self.decisions)) - 1]


def went(maker: Told) -> tuple[list[str], LoopRecord]:
    loop = run_loop("feature_generation", maker)
    made: list[str] = []
    while True:
        try:
            made.append(next(loop))
        except StopIteration as ended:
            return made, ended.value


ONE = "The relay keeps every order in a durable queue"
OTHER = "Operators read the metrics of each warehouse gateway"


@pytest.mark.parametrize(
    "again",
    [ONE, "the relay keeps EVERY order in a durable queue!"],
    ids=["same", "alike"],
)
def test_a_repeat_ends_the_loop_and_is_not_handed_on(again):
    made, record = went(Told([ONE, OTHER, again]))
    assert (made, record.stop_reason) == ([ONE, OTHER], "duplicate_detected")


def test_confidence_above_nine_tenths_ends_it_and_nine_tenths_do_not():
    nearly = Decision(should_continue=True, confidence=0.9)
    sure = Decision(should_continue=True, confidence=0.91)
    made, record = went(Told([ONE, OTHER], [nearly, sure]))
    assert (len(made), record.stop_reason) == (2, "coverage_confident")


def test_confidence_is_looked_at_before_the_wish_to_stop():
    both = Decision(should_continue=False, confidence=0.95)
    assert went(Told([ONE], [both]))[1].stop_reason == "coverage_confident"


def test_the_decision_not_to_go_on_ends_it():
    made, record = went(Told([ONE], [Decision(False, 0.5, gaps_remaining=("queue",))]))
    assert (len(made), record.stop_reason) == (1, "should_continue_false")
    assert record.gaps_remaining == ["queue"]


def test_nothing_left_to_make_ends_it():
    made, record = went(Told([ONE, None]))
    assert (len(made), record.stop_reason) == (1, "should_continue_false")


def test_three_refusals_in_a_row_end_it():
    made, record = went(Told([ONE, REFUSED, REFUSED, REFUSED]))
    assert (len(made), record.stop_reason, record.errors) == (1, "error_threshold", 3)


def test_an_item_between_refusals_starts_their_count_anew():
    steps = [REFUSED, REFUSED, ONE, REFUSED, REFUSED, OTHER, None]
    made, record = went(Told(steps))
    assert (made, record.errors) == ([ONE, OTHER], 4)
    assert record.stop_reason == "should_continue_false"


def test_each_item_is_handed_on_before_the_next_is_asked_for():
    maker = Told([ONE, OTHER, None])
    loop = run_loop("insight_generation", maker)
    assert next(loop) == ONE
    assert maker.seen == [0]


def test_the_decision_after_each_item_is_kept_whole():
    decisions = [
        Decision(True, 0.2, "a queue is told of", ("metrics", "storage")),
        Decision(False, 0.7, "storage is left", ("storage",)),
    ]
    _, record = went(Told([ONE, REFUSED, OTHER], decisions))
    kept = [one.model_dump(exclude={"artifact_id", "input_ids"}) for one in record.continuations]
    assert kept == [
        {
            "should_continue": one.should_continue,
            "confidence": one.confidence,
            "coverage_assessment": one.coverage_assessment,
            "gaps_remaining": list(one.gaps_remaining),
        }
        for one in decisions
    ]
    assert [one.artifact_id for one in record.continuations] == [
        f"art {ONE}",
        f"art {OTHER}",
    ]
    assert record.continuations[0].input_ids == str(ONE).split()


def test_calls_count_items_asked_for_and_decisions():
    _, record = went(Told([ONE, REFUSED, OTHER, REFUSED, REFUSED, REFUSED]))
    assert (record.items, record.calls, record.calls_ratio) == (2, 8, round(8 / 6, 6))
