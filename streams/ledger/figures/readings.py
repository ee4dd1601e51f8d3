"""What a figure in a text may stand for."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from streams.ledger.figures.measure_tables import Factor, Limit

NUMBER, TIME, SHARE, INTERVAL, PLACE = "number", "time", "share", "interval", "place"


class Reading(NamedTuple):
    """What a figure may stand for: a stretch of a dimension in its base unit, mostly one point."""

    dimension: str
    low: Fraction
    high: Fraction


class Found(NamedTuple):
    """A figure and its place, in the order of ``Quantity``'s fields."""

    start: int
    end: int
    readings: tuple[Reading, ...]
    limit: Limit = ""
    noun: str = ""
    name: str = ""
    is_sure: bool = True
    left: int = 0
    right: int = 0


def point(dimension: str, value: Fraction) -> Reading:
    return Reading(dimension, value, value)


def span_of_time(start: int, end: int, seconds: Fraction | int) -> Found:
    return Found(start, end, (point(TIME, Fraction(seconds)),))


def readings_of(
    low: Iterable[Fraction], high: Iterable[Fraction], factors: Iterable[Factor]
) -> tuple[Reading, ...]:
    """Every meaning of the number with every meaning of the unit; a share is a number too."""
    readings = [
        Reading(dimension, one * factor, other * factor)
        for dimension, factor in factors
        for one, other in zip(low, high, strict=False)
    ]
    as_numbers = [
        Reading(NUMBER, low / part, high / part)
        for dimension, low, high in readings
        if dimension == SHARE
        for part in (1, Fraction(1, 100))
    ]
    return tuple(dict.fromkeys(readings + as_numbers))


def is_sure_of(values: tuple[Fraction, ...], factors: tuple[Factor, ...]) -> bool:
    """Not for `1.000`, and not where a unit stands for several sizes; months count as sure."""
    if len(values) > 1 and values[0] < values[1]:
        return False
    if not factors:  # of no known measure
        return False
    first, last = factors[0][0], factors[-1][0]
    return len(factors) == 1 or first == NUMBER or first == TIME == last
