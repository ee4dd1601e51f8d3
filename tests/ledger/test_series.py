"""Statements that are alike by the hundred: read at the usual cost, asked about within bounds."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

from streams.ledger.merging import MAX_REVIEWS
from tests.ledger.story import Chunk, Story, a_run, judged, story

COUNT = 160
DEARER = 30  # at most, in the ledger, than one that is like no other; 19 when written, 125 before
NAMES = ("billing", "search", "orders", "invoices", "routing", "shipping", "accounts", "reports")
VERBS = ("stores", "caches", "reads", "writes", "signs", "checks", "sends", "drops")


def series(count: int = COUNT) -> list[str]:
    return [f"Service node{i} must keep all of its records for node{i} alone" for i in range(count)]


def ordinary(count: int = COUNT) -> list[str]:
    """As long, and no two alike."""
    made = []
    for i in range(count):
        name, verb = NAMES[i % 8], VERBS[i // 8 % 8]
        made.append(f"The {name}{i} unit {verb}{i} what{i} its{i} peer{i} asks{i} for at{i} night")
    return made


def run_of(titles: list[str]) -> Any:
    return a_run(*(Chunk(f"chk_{i}", [judged(title)]) for i, title in enumerate(titles)))


def calls_of(titles: list[str]) -> int:
    """The calls of functions that the ledger makes for them: what it costs on any machine."""
    told, counted = run_of(titles), 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event == "call"

    sys.setprofile(count)
    try:
        story(told)
    finally:
        sys.setprofile(None)
    return counted


def open_reviews(told: Story) -> Counter[str]:
    found: Counter[str] = Counter()
    for pair in told.view.merge_candidates.values():
        found.update((pair.atom_a_id, pair.atom_b_id))
    return found


def test_no_statement_of_a_series_has_more_open_questions_than_are_useful() -> None:
    told = story(run_of(series()))
    assert len(told.view.atoms) == COUNT
    asked = open_reviews(told)
    assert asked and max(asked.values()) == MAX_REVIEWS
    assert len(told.view.merge_candidates) <= MAX_REVIEWS * COUNT // 2


def test_what_is_not_asked_is_said_with_the_nearest_of_the_series() -> None:
    told = story(run_of(series()))
    asked = open_reviews(told)
    said = {
        change.target_id: change
        for record in told.log
        for change in record.envelope.event.changes  # type: ignore[attr-defined]
        if (change.op, change.reason) == ("review_item_raised", "series")
    }
    unasked = [atom for atom in told.view.atoms if not asked[atom.rpartition("|")[2]]]
    assert unasked
    for key in unasked:
        change = said[key.rpartition("|")[2]]
        assert asked[change.other_id or ""] == MAX_REVIEWS
        assert change.detail == f"{MAX_REVIEWS} as alike are not asked about"


def test_a_statement_that_is_asked_about_by_no_other_keeps_all_its_questions() -> None:
    titles = series(MAX_REVIEWS + 1)
    told = story(run_of(titles))
    assert set(open_reviews(told).values()) == {MAX_REVIEWS}


def test_a_statement_of_a_series_is_read_against_a_few_others_only() -> None:
    story(run_of(series(8)))  # what is made once
    assert calls_of(series()) < DEARER * calls_of(ordinary())
