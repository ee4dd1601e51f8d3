"""Dates and times of day in a text, as what they stand for.

A date is read as a day or as the days of its month. Without a year it is a day of any year. Two
numbers with slashes or hyphens before a year can be month and day in either order, and both are
kept; with points the day comes first.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import NamedTuple

from streams.ledger.figures.measure_tables import MONTHS, ZONES, join_patterns

DAY, DAY_OF_YEAR, CLOCK, ZONED = "day", "day of the year", "time of day", "time of day UTC"
_MONTH = r"(?P<month>[^\W\d_]{3,10})\b\.?"  # looked up: a list of all months is slow to try
_ZONE = rf"(?:\s?(?P<zone>{join_patterns(ZONES)}|[+-]\d\d:?\d\d))?(?!\w)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_DATES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"(?<![\w.-])(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?:(?=T\d)|(?![\w-]|\.\d))",
        r"(?<![\w.-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\w-])",
        r"(?<![\w.-])(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4}|\d\d)(?![\w-]|\.\d)",
        r"(?<![\w./-])(?P<either>\d{1,2})([-/])(?P<other>\d{1,2})\2(?P<year>\d{4}|\d\d)(?![\w/-])",
        rf"(?<![\w.]){_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+{_YEAR})?",
        rf"\b{_MONTH}\s+{_DAY}(?![\w.:]|\s?[ap]m\b)(?:,?\s+{_YEAR})?",
        rf"\b{_MONTH},?\s+{_YEAR}",
    )
)
_PARTS_OF_YEARS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?P<year>20\d\d)[\s/-]?(?P<part>[QH][1-4])\b",
        r"\b(?P<part>Q[1-4])(?:[\s/-]?(?P<year>20\d\d))?\b",
        r"\b(?P<part>H[12])[\s/-]?(?P<year>20\d\d)\b",
    )
)
_CLOCKS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:(?<![\w.:])|(?<=\dT))(?P<hour>\d\d?):(?P<minute>\d\d)"
        rf"(?::(?P<second>\d\d)(?:\.\d+)?)?"
        rf"(?:\s?(?P<half>[AaPp](?:[Mm]\b|\.[Mm]\.)))?(?:\s?Uhr)?{_ZONE}",
        rf"(?<![\w.:])(?P<hour>\d\d?)\s?(?P<half>[AaPp](?:[Mm]\b|\.[Mm]\.)){_ZONE}",
        r"(?<![\w.:])(?P<hour>\d\d?)(?:\.(?P<minute>\d\d))?\s?Uhr\b",
        r"(?i)\b(?P<noon>noon|midday|midnight|mitternacht)\b",
    )
)


Spans = tuple[tuple[str, Fraction, Fraction], ...]
_TELLS = re.compile(r"\d|(?i:noon|mid)|[Mm]itternacht")


class Moment(NamedTuple):
    """``readings``: dimension, first and last value."""

    start: int
    end: int
    readings: Spans
    is_sure: bool = True


def find_moments(text: str) -> Iterator[Moment]:
    """Dates, parts of years, times of day; some may overlap, the earlier found counts."""
    if not _TELLS.search(text):
        return
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if readings := _read_date(match.groupdict()):
                yield Moment(
                    match.start(), match.end(), readings, "either" not in match.groupdict()
                )
    for pattern in _PARTS_OF_YEARS:
        for match in pattern.finditer(text):
            yield Moment(*match.span(), _read_part(match["part"], int(match["year"] or 0)))
    for pattern in _CLOCKS:
        for match in pattern.finditer(text):
            if readings := _read_clock(match.groupdict()):
                yield Moment(match.start(), match.end(), readings)


def _read_date(parts: dict[str, str | None]) -> Spans:
    year = int(parts["year"] or 0)
    year += 2000 if 0 < year < 100 else 0
    if "either" in parts:
        one, other = int(parts["either"] or 0), int(parts["other"] or 0)
        return tuple(dict.fromkeys((*_days(year, one, other), *_days(year, other, one))))
    named = parts["month"] or ""
    month = int(named) if named.isdigit() else MONTHS.get(named.lower(), 0)
    return _days(year, month, int(parts.get("day") or 0))


def days_of_year(year: int) -> Spans:
    return ((DAY, _ordinal(year, 1, 1), _ordinal(year, 12, 31)),)


def _days(year: int, month: int, day: int) -> Spans:
    """The day, or all days of a month whose day is not given; of any year, if none is given."""
    in_any_year = (
        DAY_OF_YEAR,
        Fraction(month * 100 + (day or 1)),
        Fraction(month * 100 + (day or 31)),
    )
    try:
        first = _ordinal(year or 2000, month, day or 1)
    except ValueError:
        return ()
    if not year:
        return (in_any_year,)
    last = first if day else _ordinal(year, month, monthrange(year, month)[1])
    return ((DAY, first, last), in_any_year)


def _read_part(part: str, year: int) -> Spans:
    """The days of a quarter or of half a year."""
    months = 3 if part[0] == "Q" else 6
    last = months * int(part[1])
    first, *_ = _days(year, last - months + 1, 1)
    end, *_ = _days(year, last, 0)
    in_any_year = (DAY_OF_YEAR, Fraction((last - months + 1) * 100 + 1), Fraction(last * 100 + 31))
    return ((DAY, first[1], end[2]), in_any_year) if year else (in_any_year,)


def _ordinal(year: int, month: int, day: int) -> Fraction:
    return Fraction(date(year, month, day).toordinal())


def _read_clock(parts: dict[str, str | None]) -> Spans:
    if noon := parts.get("noon"):
        at = Fraction(0 if noon.lower().startswith("mid") and "day" not in noon.lower() else 43200)
        return ((CLOCK, at, at),)
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    half = (parts.get("half") or "").lower().replace(".", "")
    if hour > 24 or minute > 59 or second > 59 or (half and not 1 <= hour <= 12):
        return ()
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour % 24
    at = Fraction(hour * 3600 + minute * 60 + second)
    if zone := parts.get("zone"):
        there = (at - _offset(zone) * 60) % 86400
        return ((ZONED, there, there), (CLOCK, at, at))
    return ((CLOCK, at, at),)


def _offset(zone: str) -> int:
    """Minutes east of Greenwich."""
    if zone in ZONES:
        return ZONES[zone]
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes
