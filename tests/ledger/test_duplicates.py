"""How alike two texts are, and what merges without a person."""

from __future__ import annotations

import pytest

from streams.ledger.opposition.duplicates import likeness

LONG = (
    "The order store acknowledges each write after the leader and two followers hold it on disk,"
    " which keeps every order when one machine is lost at any time of the day"
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I had the same issue with the printer.", "I had the same problem with my printer."),
        ("You answered the question yourself.", "You have answered the question yourself."),
        (
            "Upgrade netty to 4.1.99\nThe old release has a known hole.",
            "Bump netty to 4.1.99\nFixes the hole.",
        ),
    ],
)
def test_the_same_in_other_words_is_a_duplicate(one: str, other: str):
    assert likeness(one, other).is_duplicate
    assert likeness(one, other) == likeness(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("You should restart it.", "You should never restart it."),
        ("The cache is cleared at night.", "Invoices are sent by post."),
        (
            "Upgrade netty to 4.1.99\nThe old release has a known hole.",
            "Print the queue length in the status page\nOperators ask for it.",
        ),
    ],
)
def test_statements_with_another_meaning_are_no_duplicates(one: str, other: str):
    assert not likeness(one, other).is_duplicate


def test_only_wording_may_differ_in_what_merges_by_itself():
    found = likeness(LONG, LONG.replace("which keeps", "and so it keeps"))
    assert (found.fate, found.score >= 0.92) == ("merge", True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on disk", "perhaps on disk"),
        ("acknowledges", "may acknowledge"),
        ("order store", "price store"),
        ("leader", "LeaderNode"),
        ("any time", "3 s"),
    ],
)
def test_a_difference_in_substance_waits_for_a_person(one: str, other: str):
    changed = LONG.replace(one, other)
    assert changed != LONG
    found = likeness(LONG, changed)
    assert (found.fate, found.score < 0.92) == ("review", True)


@pytest.mark.parametrize(
    ("one", "other"),
    [("two followers", "three followers"), ("on disk", "not on disk")],
)
def test_another_number_or_the_contrary_is_no_question(one: str, other: str):
    assert likeness(LONG, LONG.replace(one, other)).fate == "apart"
