"""The figures of a text, each as what it stands for: `30 s` and `half a minute` are the same.

``quantities_of`` finds them with their places, ``equal`` says when two are surely the same, and
``exclude`` when both cannot hold. What can be read in two ways keeps both: `1 GB` is 10^9 bytes and
2^30 bytes, so it may be 1000 MB and may be 1024 MB, excludes neither, and surely equals only
another `1 GB`. `03/04/2025` is a day in March or in April. A month has 28 to 31 days and is a
twelfth of a year.

A number behind a noun that numbers things is a name (Node 1, RFC 822, version 2, #12): it has no
readings, equals only the same name, and excludes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from schemas.bounded_cache import MIB, bounded_cache
from streams.ledger.figures.measure_tables import NUMBERED, Limit
from streams.ledger.figures.prices import is_rate, price_for_any
from streams.ledger.figures.quantity_scan import scan
from streams.ledger.figures.readings import Reading

NEARLY = Fraction(1, 10)  # how far «about 30» may be from another figure
SIZES = frozenset(("data", "data/time"))
_LOWER, _UPPER = {"least", "above"}, {"most", "below"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure at ``text[start:end]``, its unit included; the likeliest of its readings first.

    ``limit``: what the words beside it make of it. ``noun``: what a name numbers, or what a rate
    counts. ``name`` is set for a name only. ``is_sure``: whether the first reading must be meant.
    ``text[left:right]`` is the figure together with the words that limit it.
    """

    start: int
    end: int
    readings: tuple[Reading, ...]
    limit: Limit = ""
    noun: str = ""
    name: str = ""
    is_sure: bool = True
    left: int = 0
    right: int = 0

    @property
    def is_name(self) -> bool:
        return not self.readings

    @property
    def is_value(self) -> bool:
        """Whether it can be what a statement gives: all figures, and names like a port's."""
        is_version = "." in self.name and self.noun not in NUMBERED.names
        return not self.is_name or is_version or self.noun in NUMBERED.values

    @property
    def is_scope(self) -> bool:
        """Whether it names what facts hold of: phase 1, node 2."""
        return self.is_name and self.noun in NUMBERED.scopes

    @property
    def dimension(self) -> str:
        """``time``, ``data``, ``money EUR``, ``day``, ``number``, …; ``name`` for a name."""
        return self.readings[0].dimension if self.readings else "name"


@bounded_cache(2 * MIB, 12)
def quantities_of(text: str) -> tuple[Quantity, ...]:
    """All figures of a text in their order; none overlaps another."""
    return tuple(Quantity(*found) for found in scan(text))


def equal(one: Quantity, other: Quantity) -> bool:
    """Whether two are surely the same value, or the same name; the limits beside them count."""
    if one.is_name or other.is_name:
        return one.is_name and other.is_name and (one.noun, one.name) == (other.noun, other.name)
    if one.limit != other.limit or not _count_alike(one, other):
        return False
    sure = one.is_sure and other.is_sure and one.readings[0] == other.readings[0]
    return sure or one.readings == other.readings


def may_be_equal(one: Quantity, other: Quantity) -> bool:
    """Whether two can be the same value in some reading, whatever limits stand beside them."""
    if one.is_name or other.is_name:
        return equal(one, other)
    pairs = _pair_readings(one, other)
    return _count_alike(one, other) and any(ours[1:] == theirs[1:] for ours, theirs in pairs)


def are_comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two are figures of one dimension that count the same, or names of one series."""
    if one.is_name or other.is_name:
        return one.is_name and other.is_name and one.noun == other.noun
    are_money = one.dimension.startswith("money ") and other.dimension.startswith("money ")
    return _count_alike(one, other) and (are_money or bool(_pair_readings(one, other)))


def exclude(one: Quantity, other: Quantity) -> bool:
    """Whether two can be compared and no reading lets both hold.

    Two limits of one kind are two claims about the same border: «at most 5» excludes «at most 9».
    A limit and a figure, or a lower and an upper limit, exclude each other when nothing is in both:
    «over 5» and «at most 5» do, «at least 5» and «at most 5» do not.
    Two names never do: which of them a statement gives is not seen by looking at them.
    """
    if one.is_name or not are_comparable(one, other):
        return False
    pairs = _pair_readings(one, other)
    return not any(_may_hold(one, ours, other, theirs) for ours, theirs in pairs)


def _may_hold(one: Quantity, ours: Reading, other: Quantity, theirs: Reading) -> bool:
    limits = {one.limit, other.limit}
    if limits <= _LOWER or limits <= _UPPER:
        return one.limit != other.limit or ours == theirs
    return _reaches(one, ours, other, theirs) and _reaches(other, theirs, one, ours)


def _reaches(one: Quantity, ours: Reading, other: Quantity, theirs: Reading) -> bool:
    """Whether the least that the one allows is not more than the greatest the other allows."""
    if one.limit in _UPPER or other.limit in _LOWER:
        return True
    low = ours.low - _slack(one, ours)
    high = theirs.high + _slack(other, theirs)
    return low < high or (low == high and one.limit != "above" and other.limit != "below")


def _slack(quantity: Quantity, reading: Reading) -> Fraction:
    return abs(reading.high) * NEARLY if quantity.limit == "about" else Fraction(0)


def _count_alike(one: Quantity, other: Quantity) -> bool:
    """Whether two rates count the same things, as far as both say which."""
    ours, theirs = one.noun.rstrip("s"), other.noun.rstrip("s")
    return ours.startswith(theirs) or theirs.startswith(ours)


def _pair_readings(one: Quantity, other: Quantity) -> list[tuple[Reading, Reading]]:
    """The readings of both in the likeliest dimension that both have.

    Sizes of data are both decimal or both binary: nobody means the one here and the other there.
    """
    if one.dimension.startswith("money ") and other.dimension.startswith("money "):
        one, other = _make_rate(one, other), _make_rate(other, one)
    dimensions = {reading.dimension for reading in other.readings}
    shared = next((each.dimension for each in one.readings if each.dimension in dimensions), None)
    left, right = ([it for it in each.readings if it.dimension == shared] for each in (one, other))
    if shared in SIZES and len(left) == len(right):
        return list(zip(left, right, strict=True))
    return list(product(left, right))


def _make_rate(one: Quantity, other: Quantity) -> Quantity:
    """A price without a time beside one with a time: it may be for any time that people pay for."""
    if is_rate(one.dimension) or not is_rate(other.dimension):
        return one
    return replace(one, readings=tuple(it for each in one.readings for it in price_for_any(each)))
