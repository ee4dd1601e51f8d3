"""Prices: which are the same however their currency, scale and time are written."""

from __future__ import annotations

import pytest

from streams.ledger.figures.prices import is_rate
from streams.ledger.figures.quantities import Quantity, equal, exclude, may_be_equal, quantities_of
from streams.ledger.opposition.duplicates import likeness
from streams.ledger.opposition.opposition import opposition


def only(text: str) -> Quantity:
    (found,) = quantities_of(text)
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("£120 p.a.", "£10 a month"),
        ("$40 monthly", "$40 a month"),
        ("€9 every month", "€108 per year"),
        ("$300/mo.", "$3,600/yr"),
        ("$2.4 million a year", "$200k a month"),
        ("$2.4m a year", "USD 2,400,000 per annum"),
        ("₹12 lakh a year", "INR 100,000 a month"),
        ("ZAR 500 a month", "6,000 ZAR a year"),
        ("$3,000 a quarter", "$1,000 a month"),
        ("$4/user/month", "$4 per user per month"),
        ("$4/month/user", "$4 a user a month"),
        ("7,200 GBP per annum", "£600 pcm"),
        ("1.200,00 € pro Jahr", "100 € im Monat"),
        ("90 € al mes", "€90 monthly"),
        ("$100 every two weeks", "$50 a week"),
        ("$5k-10k a month", "$5,000 to $10,000 a month"),
        ("between $5 and $10 a day", "$5-$10 daily"),
        ("Rs.500 a day", "₹500 per day"),
        ("99¢ a month", "$0.99 a month"),
        ("a yearly fee of $1,200", "$100 a month"),
    ],
)
def test_the_same_price_for_another_time_is_equal(one: str, other: str):
    ours, theirs = quantities_of(one)[-1], quantities_of(other)[-1]
    assert ours.dimension == theirs.dimension
    assert is_rate(ours.dimension)
    assert equal(ours, theirs)
    assert not exclude(ours, theirs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The room costs $2,500 a year.", "The room costs $30,000 a year."),
        ("The room costs £700 pcm.", "The room costs £750 pcm."),
        ("The room costs 55 XQX a day.", "The room costs 75 XQX a day."),
        ("The room costs XQX 55 a day.", "The room costs XQX 75 a day."),
        ("The room costs 600 TRY a month.", "The room costs 650 TRY a month."),
        ("The room costs $6 to $9 a month.", "The room costs $12 to $20 a month."),
        ("The room costs €9 each hour.", "The room costs €11 each hour."),
        ("The room costs ₹12 lakh a year.", "The room costs ₹15 lakh a year."),
        ("The room costs $2bn a year.", "The room costs $3bn a year."),
        ("Der Raum kostet 1.200 € jährlich.", "Der Raum kostet 1.500 € jährlich."),
        ("La sala cuesta 90 € al mes.", "La sala cuesta 95 € al mes."),
        ("The room costs $400 monthly.", "The room costs $450 a month."),
    ],
)
def test_two_prices_of_one_thing_contradict_and_do_not_merge(one: str, other: str):
    assert opposition(one, other).is_contradiction
    assert opposition(other, one).is_contradiction
    assert likeness(one, other).fate != "merge"


def test_a_price_without_a_time_may_be_for_any_time_but_not_any_price():
    plain, yearly = only("$1,200"), only("$100 a month")
    assert may_be_equal(plain, yearly) and not exclude(plain, yearly) and not equal(plain, yearly)
    assert exclude(only("$1,300"), yearly)
    assert exclude(only("€1,200"), yearly)


def test_a_month_has_no_fixed_number_of_days():
    monthly = only("$300 a month")
    assert not exclude(monthly, only("$10 a day")) and not equal(monthly, only("$10 a day"))
    assert exclude(monthly, only("$12 a day"))
    assert exclude(only("$280 a month"), monthly)


def test_a_word_that_is_a_currency_too_counts_behind_a_number_only():
    for text in ("the team won 5 games", "ALL 5 nodes", "try 5 times", "the Rand 5 report"):
        assert not only(text).dimension.startswith("money"), text
    assert only("a price of 5 ALL").dimension == "money ALL"
    assert only("a price of 5 rand").dimension == "money ZAR"


def test_the_article_is_no_unit_and_the_ampere_is():
    assert only("$2,000 a licence").dimension == "money USD"
    assert [it.dimension for it in quantities_of("5 a day")] == ["number/time"]
    assert only("a fuse of 5 A").dimension == "current"
