"""Statements that are alike by the hundred: read at the usual cost, asked about within bounds."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from schemas.events.ledger import Change, MergeCandidate
from streams.ledger.pairs.reviews import MAX_REVIEWS
from tests.ledger.story import PROJECT, Chunk, Story, a_run, judged, story
from tests.ledger.test_decisions_merges import reviewed

COUNT = 160
DEARER = 30  # at most, in the ledger, than one that is like no other; 19 when written, 125 before
NAMES = ("billing", "search", "orders", "invoices", "routing", "shipping", "accounts", "reports")
VERBS = ("stores", "caches", "reads", "writes", "signs", "checks", "sends", "drops")


def customers(count: int = COUNT) -> list[str]:
    syllables = [first + vowel for first in "bdfghklmnprstvw" for vowel in "aeiou"]
    return [syllable + last for last in "kxz" for syllable in syllables][:count]


def series(count: int = COUNT) -> list[str]:
    return [
        f"Customer {name} must keep all of its records for {name} alone"
        for name in customers(count)
    ]


def numbered(count: int = 12) -> list[str]:
    return [
        f"Finding SR-2031-{i:03} must be closed before the audit" for i in range(50, 50 + count)
    ]


def ordinary(count: int = COUNT) -> list[str]:
    """As long, and no two alike."""
    made = []
    for i in range(count):
        name, verb = NAMES[i % 8], VERBS[i // 8 % 8]
        made.append(f"The {name}{i} unit {verb}{i} what{i} its{i} peer{i} asks{i} for at{i} night")
    return made


def reworded(count: int = 12) -> list[str]:
    """Alike, each with another word taken out and another one put in."""
    text = "Every order of the shop is kept by the store until its invoice was paid in full"
    words = text.split()
    return [" ".join([*words[:at], *words[at + 1 :], "soon" * (at % 2)]) for at in range(count)]


def chunks_of(titles: list[str]) -> list[Chunk]:
    return [Chunk(f"chk_{title}", [judged(title)]) for title in titles]


def run_of(titles: list[str]) -> Any:
    return a_run(*chunks_of(titles))


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


def open_reviews(told: Story) -> list[MergeCandidate]:
    return [pair for pair in told.view.merge_candidates.values() if pair.state == "open"]


def notes_of(told: Story) -> list[Change]:
    changes = [change for each in told.change_sets for change in each.changes]
    return [it for it in changes if (it.op, it.reason) == ("review_item_raised", "series")]


@pytest.mark.parametrize(
    "titles",
    [
        numbered(),
        [f"Node {i} must run the scheduler of region {i}" for i in range(1, 13)],
        [f"RFC {i} must be read by all reviewers of the gateway" for i in (822, 2822, 5322)],
        [f"Version 2.{i} of the agent drops the old cache format" for i in range(12)],
        [f"The job must set `{it}_LIMIT` before the start" for it in ("CPU", "DISK", "HEAP")],
    ],
)
def test_records_that_differ_in_an_identifier_or_a_number_are_not_asked_about(titles: list[str]):
    told = story(run_of(titles))
    assert len(list(told.view.live_atoms(PROJECT))) == len(titles)
    assert not told.view.merge_candidates


def test_a_series_has_one_review_that_names_all_of_it() -> None:
    names = ("acme", "globex", "initech", "umbrella")
    told = story(run_of([f"Customer {name.title()} must be moved before March" for name in names]))
    (review,) = open_reviews(told)
    assert review.differing_tokens == list(names)
    assert [note.detail for note in notes_of(told)] == [
        "one of a series: acme, initech",
        "one of a series: acme, umbrella",
    ]


def test_a_series_as_long_as_you_like_has_one_review() -> None:
    told = story(run_of(series()))
    assert len(told.view.atoms) == COUNT
    assert len(open_reviews(told)) == 1


def test_a_series_whose_first_two_a_person_has_kept_apart_is_not_asked_about_again() -> None:
    told = story(run_of(series(2)))
    (review,) = open_reviews(told)
    reviewed(told, "reject", review)
    told.given(a_run(*chunks_of(series(6)[2:]), trigger="t2"))
    assert not open_reviews(told)
    assert len(list(told.view.live_atoms(PROJECT))) == 6


def test_alike_statements_that_are_no_series_share_a_few_reviews() -> None:
    told = story(run_of(reworded()))
    reviews = open_reviews(told)
    assert len(reviews) == MAX_REVIEWS
    assert any("are not asked about" in note.detail for note in notes_of(told))


def test_a_statement_of_a_series_is_read_against_a_few_others_only() -> None:
    story(run_of(series(8)))  # what is made once
    assert calls_of(series()) < DEARER * calls_of(ordinary())
