"""What a figure in a text may stand for."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from streams.ledger.measure_tables import Limit

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
