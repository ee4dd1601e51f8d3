"""Money before a number, and what a price is for: «$5k a month», «£3 per user p.a.».

24,000 a year is 2,000 a month: a price for months, quarters or years is read as one for a month
(``money EUR/month``), a price for weeks, days or hours as one for a second (``money EUR/time``). A
month has 28 to 31 days: beside a price for days, one for a month is a stretch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from streams.ledger.figures.measure_tables import (
    CODES,
    CODES_THAT_ARE_WORDS,
    CURRENCIES,
    EACH,
    PERIODS,
    SCALES,
    UNITS,
    Factor,
    find_currency,
    find_unit,
    join_patterns,
)
from streams.ledger.figures.readings import TIME, Reading

CHARS_BEFORE = 8  # the longest sign of a currency, and a blank
_SIGNS = join_patterns(each for each in CURRENCIES if not each.isalpha() or each.upper() in CODES)
_CODES = join_patterns([*(CODES - CODES_THAT_ARE_WORDS), "Rs", "Rp", "kr", "Kč", "RM", "RMB"])
_BEFORE = re.compile(rf"(?<!\w)(?:(?i:{_SIGNS})|{_CODES})[\s\u00a0\u202f]?$")
_SCALE = re.compile(rf"[\s\u00a0\u202f-]?(?P<scale>{join_patterns(SCALES)})\b\.?", re.I)
_LETTER = re.compile(r"(?:[\s\u00a0\u202f]?(?P<small>[kKmM])|(?P<great>[bBtT]))(?!\w)")
_LETTERS = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}
_TIMES = [name for name, readings in UNITS.items() if readings[0][0] == TIME]
_COUNTS = {
    **{"other": 2, "two": 2, "three": 3, "four": 4, "six": 6, "twelve": 12},
    **{"zwei": 2, "drei": 3, "vier": 4, "sechs": 6, "zwölf": 12},
}
_STRONG = r"(?:\s?/\s?|\s(?:per|pro|je|por|for\s(?:each|every|one))\s)"
_LINK = rf"(?:{_STRONG}|\s(?:an?|each|every|al|im|am|à|par)\s)"
_NOUN = r"[^\W\d_][\w-]*+"
_PERIOD = (
    rf"(?:(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})[\s-])?"
    rf"(?P<per>{join_patterns([*_TIMES, *PERIODS])})(?!\w)"
)
_WORD = join_patterns(EACH)
_FOR_TIME = re.compile(
    rf"(?:(?:{_LINK}|\s)(?P<noun>{_NOUN}(?:\s{_NOUN})?))??"
    rf"(?:{_LINK}{_PERIOD}|,?\s(?P<word>{_WORD})(?!\w))(?:{_STRONG}(?P<counted>{_NOUN}))?",
    re.I,
)
_COSTS = (
    r"(?:fees?|prices?|costs?|rates?|rents?|charges?|subscriptions?|salar(?:y|ies)|wages?|budgets?|"
    r"revenues?|spend(?:ing)?|turnover|licen[cs]es?|bills?|payments?|gebühr|preis|kosten|miete|"
    r"tarifa|precio|coste|costo|cuota)"
)
_ADJECTIVE = re.compile(
    rf"(?<!\w)(?P<word>{_WORD})\s(?:{_NOUN}\s)?{_COSTS}\b[^.;,!?\d]{{0,40}}$", re.I
)
_MONTH = find_unit("month")[0][1]  # seconds
_SHORTER = tuple(find_unit(unit)[0][1] for unit in ("hour", "day", "week"))
_LONGER = tuple(find_unit(unit)[0][1] for unit in ("month", "quarters", "year"))


class Rate(NamedTuple):
    """Where what is said of the time ends, what is counted, and the seconds it may be for."""

    end: int
    noun: str
    seconds: tuple[Fraction, ...]


def find_money_before(text: str, start: int) -> tuple[int, tuple[Factor, ...]]:
    """Where a currency right before a number begins, and what it is; the number's start if none."""
    ahead = max(0, start - CHARS_BEFORE)
    match = _BEFORE.search(text[ahead:start])
    money = find_currency(match.group().strip()) if match else ()
    return (ahead + match.start(), money) if match and money else (start, ())


def read_scale_of_money(text: str, end: int) -> tuple[int, int]:
    """Behind a number of money a letter is a scale: «$5m» is five millions; 0 where none is."""
    if match := _SCALE.match(text, end):
        return match.end(), SCALES[match["scale"].lower()]
    if match := _LETTER.match(text, end):
        return match.end(), _LETTERS[(match["small"] or match["great"]).lower()]
    return end, 0


def read_time_of_price(text: str, start: int, end: int) -> Rate | None:
    """What the price in ``text[start:end]`` is for, if that is a time."""
    if match := _FOR_TIME.match(text, end):
        noun = (match["noun"] or match["counted"] or "").lower()
        if match["word"]:
            return Rate(match.end(), noun, _seconds_of(EACH[_plain(match["word"])]))
        written = _plain(match["per"])
        seconds = _seconds_of(PERIODS.get(written) or match["per"])
        count = _count_of(match["count"])
        return Rate(match.end(), noun, tuple(count * each for each in seconds)) if count else None
    if match := _ADJECTIVE.search(text[max(0, start - 100) : start]):
        return Rate(end, "", _seconds_of(EACH[_plain(match["word"])]))
    return None


def is_rate(dimension: str) -> bool:
    return dimension.endswith(("/time", "/month"))


def price_for(reading: Reading, seconds: tuple[Fraction, ...]) -> Iterator[Reading]:
    """What an amount of money is, when it is paid for a time of one of these lengths."""
    dimension, low, high = reading
    if len(seconds) > 1:
        months = seconds[0] / _MONTH
        yield Reading(f"{dimension}/month", low / months, high / months)
    yield Reading(f"{dimension}/time", low / max(seconds), high / min(seconds))


def price_for_any(reading: Reading) -> Iterator[Reading]:
    """What an amount of money is, when nobody says for which time it is paid."""
    dimension, low, high = reading
    for seconds in _LONGER:
        months = seconds / _MONTH
        yield Reading(f"{dimension}/month", low / months, high / months)
    for seconds in _SHORTER:
        yield Reading(f"{dimension}/time", low / seconds, high / seconds)


def _plain(written: str) -> str:
    return " ".join(written.lower().split())


def _seconds_of(unit: str) -> tuple[Fraction, ...]:
    return tuple(size for _, size in find_unit(unit))


def _count_of(written: str | None) -> int:
    if written is None:
        return 1
    return int(written) if written.isdecimal() else _COUNTS[written.lower()]
