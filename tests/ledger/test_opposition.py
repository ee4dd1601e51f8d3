"""Which statements cannot both hold, why, and when that is sure."""

from __future__ import annotations

import pytest

from streams.ledger.opposition.opposition import opposition


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (
            "The gateway shall forward requests to the audit log.",
            "The gateway shall not forward requests to the audit log.",
            "polarity_mismatch",
        ),
        (
            "The report must be ready within 20 seconds.",
            "The report must be ready within 45 seconds.",
            "body_conflict",
        ),
        (
            "Replication between the two sites is synchronous.",
            "Replication between the two sites is asynchronous.",
            "body_conflict",
        ),
        ("Auth uses JWT tokens", "Auth uses session cookies", "body_conflict"),
        (
            "The answer takes no more than 5 seconds.",
            "The answer takes no more than 9 seconds.",
            "body_conflict",
        ),
    ],
)
def test_a_denial_another_number_and_an_opposite_are_contradictions(
    one: str, other: str, kind: str
):
    found = opposition(one, other)
    assert (found.is_contradiction, found.kind) == (True, kind)
    assert found.explanation


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gateway logs each request.", "Invoices are sent by post."),
        ("A clerk enters the order.", "A clerk does not drive the truck."),
        ("The broker is fast.", "The broker is reliable."),
        ("Auth uses JWT tokens", "Auth uses signed JWT tokens"),
        (
            "The store ran on Oracle until version 2.0.",
            "The store runs on PostgreSQL.",
        ),
        (
            "Sessions are stored in Redis, superseded by decision 12.",
            "Sessions are not stored in Redis.",
        ),
    ],
)
def test_what_can_both_hold_or_held_before_is_none(one: str, other: str):
    assert not opposition(one, other).is_contradiction


def test_only_a_sure_one_is_of_high_severity():
    sure = opposition(
        "The gateway shall forward requests to the audit log.",
        "The gateway shall not forward requests to the audit log.",
    )
    doubtful = opposition(
        "A clerk enters the order of a new customer.",
        "A clerk does not enter the order by hand.",
    )
    assert (sure.severity, doubtful.severity != "high") == ("high", True)
    assert sure.score > doubtful.score


@pytest.mark.parametrize("kind", ["new", "northern"])
def test_a_denial_of_more_than_the_other_says_is_not_sure(kind: str):
    said = "The gateway retries failed requests."
    denied = f"The {kind} gateway does not retry failed requests."
    assert opposition(said, denied).severity == "medium"
    assert opposition(said, denied.replace(f"{kind} ", "")).severity == "high"


@pytest.mark.parametrize("filler", [" ", "\u00a0", "- ", "1 ", "not ", "1,000,", "only "])
def test_a_long_run_of_the_same_is_read_as_fast_as_a_text(filler: str):
    padding = filler * (1_900 // len(filler))
    assert not opposition(f"{padding}it stays", f"{padding}it stays").is_contradiction
