"""The loop in which rules make a list: one item, then whether to go on, until a rule says stop.

Pure: ``Maker`` makes an item or refuses one, and judges coverage. The loop is a generator, so that
whoever drives it takes each item before the next is made. When it ends is for the rules that hold
for every list (``schemas.generation``); a model's loop is ``agents.loop``.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Literal, Protocol, TypeVar

from schemas.events.artifact_loops import LoopRecord
from schemas.generation import (
    NOTHING_YET,
    Decision,
    Rules,
    add_decision,
    add_error,
    add_item,
    begin_step,
    end_loop,
)
from streams.ledger.likeness.similarity import jaccard, similarity, words

T = TypeVar("T")
ALIKE = 0.5  # of the words; texts that share fewer are not compared further
REFUSED: Literal["refused"] = "refused"


def compare(text: str, known: str) -> float:
    """How alike two texts are that ``norm_text`` has made; 0 where few of their words are."""
    alike = jaccard(words(text), words(known)) >= ALIKE
    return similarity(text, known) if alike else 0.0


RULES = Rules(compare)


class Maker(Protocol[T]):
    """The rules that make items."""

    def make(self, earlier: Sequence[T]) -> T | Literal["refused"] | None:
        """The next item, in view of all ``earlier`` ones; ``REFUSED`` where the next one may not be
        published; None when there is nothing to make.
        """
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

    def assess(self, earlier: Sequence[T]) -> Decision:
        """Whether ``earlier`` cover what there is to say."""
        ...


def run_loop(phase: str, maker: Maker[T]) -> Generator[T, None, LoopRecord]:
    """Yields each new item, and returns how the loop ended; a repeat is not yielded."""
    state, items = NOTHING_YET, list[T]()
    while True:
        made = maker.make(items)
        if made is None:
            return end_loop(phase, state, "should_continue_false")
        state, decision = begin_step(state), None
        if made == REFUSED:
            state = add_error(state)
        else:
            item: T = made
            text = maker.text_of(item)
            if RULES.repeats(text, state.texts):
                return end_loop(phase, state, "duplicate_detected")
            items.append(item)
            yield item
            decision = maker.assess(items)
            state = add_item(state, text)
            state = add_decision(state, decision, maker.id_of(item), maker.list_inputs(item))
        if stop := RULES.find_stop(state, decision):
            return end_loop(phase, state, stop)
