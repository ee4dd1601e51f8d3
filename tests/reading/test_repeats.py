"""What counts as said again in one passage: never the opposite, never the next of a series."""

from __future__ import annotations

import pytest

from agents.offline.judge.repeats import key_of_wording, measure_repeated

NEED = "The nightly job must copy the ledger from the Oslo vault to the Bergen vault"


@pytest.mark.parametrize(
    "other",
    [
        "As said, the nightly job must copy the ledger from the Oslo vault to the Bergen vault.",
        "The nightly job must copy the whole ledger from the Oslo vault to the Bergen vault.",
        "The nightly job must copy the ledger from the Oslo vault.",
    ],
)
def test_a_sentence_with_the_same_words_in_their_order_says_it_again(other: str):
    assert measure_repeated(NEED, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (NEED, NEED.replace("Oslo", "x").replace("Bergen", "Oslo").replace("x", "Bergen")),
        (NEED, NEED.replace("must", "must not")),
        (NEED, NEED.replace("must", "may")),
        (NEED, NEED.replace("nightly", "weekly")),
        (f"{NEED} in 30 minutes", f"{NEED} in 50 minutes"),
        (f"{NEED} for AUD-114", f"{NEED} for AUD-115"),
        (f"{NEED} with --check", f"{NEED} with --force"),
        ("As an operator, I want to choose where the depot stores labels",
         "As a consumer, I want to choose where the depot stores labels"),
        ("The clerk must not open the seal of a parcel",
         "The clerk must not read or otherwise depend on the label of a parcel"),
        (f"{NEED}", f"{NEED} and then it must also print labels, weigh parcels, seal doors, "
         "count drivers and close every hall of the northern depot"),
        ("The primary store must follow the replica store",
         "The replica store must follow the primary store"),
    ],
)  # fmt: skip
def test_other_roles_numbers_names_or_force_do_not_say_it_again(one: str, other: str):
    assert not measure_repeated(one, other)
    assert not measure_repeated(other, one)


@pytest.mark.parametrize("other", [f"{NEED}:", f"Is it so that {NEED}?"])
def test_what_announces_or_asks_says_nothing_again(other: str):
    assert not measure_repeated(NEED, other)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("The TOOL prints all.", "the tool prints all", True),
        ("The **tool** prints all", "The tool prints all", True),
        ("Print all with -v", "Print all with -V", False),
        ("Exit when code != 0", "Exit when code == 0", False),
        ("It holds 4 GB", "It holds 4 Gb", False),
    ],
)
def test_wordings_are_one_but_for_letters_that_carry_meaning(one: str, other: str, is_one: bool):
    assert (key_of_wording(one) == key_of_wording(other)) is is_one
