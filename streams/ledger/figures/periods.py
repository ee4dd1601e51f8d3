"""Spans of time and intervals in one word or in letters: `daily`, `1h30m`, `PT90S`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from streams.ledger.figures.measure_tables import EVERY, join_patterns
from streams.ledger.figures.moments import CLOCK
from streams.ledger.figures.numerals import DIGIT
from streams.ledger.figures.readings import INTERVAL, TIME, Found, point, span_of_time

_SECONDS = {
    "d": Fraction(86400),
    "h": Fraction(3600),
    "min": Fraction(60),
    "m": Fraction(60),
    "s": Fraction(1),
    "ms": Fraction(1, 1000),
}
_COMPACT = re.compile(r"(?<![\w.])(?:\d{1,12}(?:d|h|min|ms|m|s)\s?){2,}(?!\w)")
_COMPACT_PART = re.compile(r"(\d+)(d|h|min|ms|m|s)")
_HOURS = re.compile(r"(?<![\w.])(\d{1,2})h([0-5]\d)(?!\w)")
_ISO = re.compile(
    r"\bP(?=\d|T\d)(?:(?P<d>\d{1,12})D)?(?:T(?:(?P<h>\d{1,12})H)?(?:(?P<m>\d{1,12})M)?(?:(?P<s>\d{1,12})S)?)?(?!\w)"
)
_EVERY = re.compile(rf"\b(?:{join_patterns(EVERY)})\b", re.I)
_LETTERS = re.compile(r"[^\W\d_]+")
_FIRST_OF_EVERY = frozenset(each.split()[0] for each in EVERY)


def find_periods(text: str) -> Iterator[Found]:
    """`daily`, `1h30m`, `1h30` (a time of day too) and `PT90S`."""
    if not _FIRST_OF_EVERY.isdisjoint(_LETTERS.findall(text.lower())):
        for match in _EVERY.finditer(text):
            period = EVERY[" ".join(match.group().lower().split())]
            yield Found(*match.span(), (point(INTERVAL, period),))
    if not DIGIT.search(text):
        return
    for match in _COMPACT.finditer(text):
        parts = _COMPACT_PART.findall(match.group())
        yield span_of_time(*match.span(), sum(int(n) * _SECONDS[unit] for n, unit in parts))
    for match in _HOURS.finditer(text):
        seconds = Fraction(int(match[1]) * 3600 + int(match[2]) * 60)
        readings = (point(TIME, seconds), point(CLOCK, seconds % 86400))
        yield Found(*match.span(), readings, is_sure=False)
    for match in _ISO.finditer(text):
        given = {unit: int(n) for unit, n in match.groupdict().items() if n}
        yield span_of_time(*match.span(), sum(n * _SECONDS[unit] for unit, n in given.items()))
