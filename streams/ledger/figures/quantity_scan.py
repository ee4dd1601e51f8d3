"""Finds the figures of a text: dates and times of day, spans of time, money, measures, numbers.

What claims its place first keeps it, from the most particular form to the plain number.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from streams.ledger.figures.aliases import NAME_OF
from streams.ledger.figures.limits import find_limit
from streams.ledger.figures.measure_tables import (
    CODES,
    CURRENCIES,
    LETTERS,
    NUMBERED,
    SCALES,
    UNITS,
    Factor,
    find_currency,
    find_unit,
    join_patterns,
)
from streams.ledger.figures.moments import (
    CLOCK,
    DAY,
    DAY_OF_YEAR,
    ZONED,
    days_of_year,
    find_moments,
)
from streams.ledger.figures.numerals import DIGIT, DIGITS, find_number_words, read_digits
from streams.ledger.figures.periods import find_periods
from streams.ledger.figures.prices import (
    find_money_before,
    is_rate,
    price_for,
    read_scale_of_money,
    read_time_of_price,
)
from streams.ledger.figures.readings import (
    INTERVAL,
    NUMBER,
    PLACE,
    TIME,
    Found,
    Reading,
    is_sure_of,
    point,
    readings_of,
    span_of_time,
)
from streams.lexicons import Wording

_TIMES = frozenset((TIME, INTERVAL, CLOCK, DAY, DAY_OF_YEAR, ZONED))
CHARS_BEFORE = 60
ONE: tuple[Factor, ...] = ((NUMBER, Fraction(1)),)
_TIME_UNITS = [name for name, readings in UNITS.items() if readings[0][0] == TIME]
_UNIT = join_patterns([*UNITS, *CURRENCIES, *CODES])
_PER = join_patterns(_TIME_UNITS)
_DIGITS = re.compile(
    rf"(?<!\w)(?:(?<!\w[-./@_#])|(?<=\b[Rr][sp]\.))(?<!\d,)[-\u2212]?(?:0[xX][0-9a-fA-F]+|{DIGITS})"
)
_SCALE = re.compile(rf"\s?(?P<scale>{join_patterns(SCALES)})\b\.?", re.I)
_LETTER = re.compile(rf"(?P<letter>[{''.join(LETTERS)}])(?!\w)")
_UNIT_BEHIND = re.compile(rf"[\s\u00a0\u202f-]*(?P<unit>{_UNIT})(?!\w)", re.I)
_SECOND = re.compile(rf"{DIGITS}(?![\w:/]|-\d)")
_SECOND_PRICE = re.compile(rf"{DIGITS}(?![\d:/]|-\d)")
_TO = re.compile(r"\s?(?:-|\u2013|\u2014|\.\.\.?|\bto\b|\bbis\b|\band\b|\bund\b)\s?", re.I)
_BETWEEN = re.compile(r"(?:\bbetween|\bzwischen)\s+$", re.I)
_JOINING = re.compile(r"\s?(?:and|und)\s?", re.I)
_GLUED = re.compile(r"(?<=\d)[^\W\d]|[/:]\d")
_RATE = re.compile(
    rf"(?:\s(?P<noun>[^\W\d_][\w-]*(?:\s[^\W\d_][\w-]*)?))??"
    rf"\s?(?:/|\bper\b|\bpro\b|\bje\b|\ban?\b|\beach\b|\bevery\b)\s?(?P<per>{_PER})(?!\w)",
    re.I,
)
_COUNTS_ONE = Wording("ledger", "counts_one")
_ONE = Wording("ledger", "one_unit")
_NUMBERED = NUMBERED.names | NUMBERED.values | frozenset(NAME_OF.values())
_EVERY_BEFORE = re.compile(r"\b(?:every|alle|each)\s+$", re.I)
_LETTERED = re.compile(
    rf"\b(?P<noun>(?i:{join_patterns(NUMBERED.scopes)}))\s(?P<letter>[A-HJ-Z])\b"
)
_LETTER_ALONE = re.compile(r"(?<=\s)[A-HJ-Z]\b")
_STANDARD = re.compile(
    rf"(?<![\w.-])(?P<noun>{join_patterns(NUMBERED.values)})[-/]?v?(?P<number>\d+(?:\.\d+)*)(?![\w-])",
    re.I,
)
_PLACE = re.compile(r"(?<![\w.,-])(\d{1,12})(?:st|nd|rd|th)\b", re.I)
_VERSION = re.compile(r"(?<![\w.-])v\d+(?:\.\d+)*(?:-[\w.]+)?(?!\w)", re.I)
_AUXILIARY = Wording("ledger", "auxiliary")
_NOUN_BEFORE = re.compile(r"([^\W\d_][\w-]*)(\s*#|\s+(?:no|nr|number|nummer)\.?)?\s*$", re.I)
_OF_YEAR = frozenset(["in", "since", "until", "during", "year", "before", "after", "seit", "jahr"])


class Bare(NamedTuple):
    """A number before its unit is read; ``values`` is empty for `1.2.3`."""

    start: int
    end: int
    values: tuple[Fraction, ...]


def scan(text: str) -> list[Found]:
    """All figures in their order; none overlaps another."""
    taken: list[Found] = []  # in their order
    numbers = list(_find_numbers(text))
    for figures in (
        _find_moments(text),
        filter(_is_rate, numbers),  # before the periods: «every month» is a part of it
        find_periods(text),
        _find_places(text),
        numbers,
        _find_single_units(text),
    ):
        for each in figures:
            at = bisect_left(taken, each.end, key=_start_of)
            if not at or taken[at - 1].end <= each.start:
                taken.insert(at, each)
    return [
        each._replace(**find_limit(text, each.start, each.end, is_time=_is_time(each))._asdict())
        for each in _join_times(text, taken)
    ]


def _start_of(found: Found) -> int:
    return found.start


def _before(text: str, start: int) -> str:
    """What stands right before a figure; no more, or a list of figures costs its square."""
    return text[max(0, start - CHARS_BEFORE) : start]


def _find_moments(text: str) -> Iterator[Found]:
    for start, end, spans, is_sure in find_moments(text):
        yield Found(start, end, tuple(Reading(*each) for each in spans), is_sure=is_sure)


def _find_numbers(text: str) -> Iterator[Found]:
    has_digits = DIGIT.search(text) is not None
    for match in _VERSION.finditer(text) if has_digits else ():
        yield _name(*match.span(), "version", match.group()[1:])
    for match in _LETTERED.finditer(text) if _LETTER_ALONE.search(text) else ():
        yield _name(*match.span("letter"), match["noun"].lower(), match["letter"])
    for match in _STANDARD.finditer(text) if has_digits else ():
        yield _name(*match.span(), match["noun"].lower(), match["number"])
    for bare in _find_bare(text):
        if number := _read_number(text, bare):
            yield number


def _find_bare(text: str) -> Iterator[Bare]:
    for match in _DIGITS.finditer(text) if DIGIT.search(text) else ():
        written = match.group().replace("\u2212", "-")
        sign = -1 if written.startswith("-") else 1
        digits = written.lstrip("-")
        if digits[:2].lower() == "0x":
            values: tuple[Fraction, ...] = (Fraction(int(digits, 16)),)
        else:
            values = tuple(sign * each for each in read_digits(digits))
        yield Bare(*match.span(), values)
    for word in find_number_words(text):
        if not word.is_place:
            yield Bare(word.start, word.end, (word.value,))


def _find_places(text: str) -> Iterator[Found]:
    """`3rd` and «third»."""
    for match in _PLACE.finditer(text) if DIGIT.search(text) else ():
        yield Found(*match.span(), (point(PLACE, Fraction(int(match[1]))),))
    for word in find_number_words(text):
        if word.is_place:
            yield Found(word.start, word.end, (point(PLACE, word.value),))


def _read_number(text: str, bare: Bare) -> Found | None:
    """The number with what stands around it; None where letters show that it is part of a name."""
    if not bare.values:
        return _name(
            bare.start, bare.end, _noun_before(text, bare.start), text[bare.start : bare.end]
        )
    measured = _read_measured(text, bare)
    if measured is None:
        return None
    if measured.end > bare.end or measured.start < bare.start:
        return measured
    if text[bare.start : bare.end].lower() == "one" and not _COUNTS_ONE.search(text, bare.start):
        return None
    return _read_unmeasured(text, bare)


def _read_measured(text: str, bare: Bare) -> Found | None:
    """The number with scale, unit, currency, range and rate, as far as they stand there."""
    begin, money = find_money_before(text, bare.start)
    if money:
        return _read_price(text, bare, begin, money)
    start, end, high = bare
    if second := _find_range_end(text, bare):
        end, high = second.end, second.values
    end, factors = _read_scale(text, end)
    behind = _UNIT_BEHIND.match(text, end)
    if behind and (unit := _factors_of(behind["unit"])):
        end = behind.end()
        scale = next((factor for dimension, factor in factors if dimension == NUMBER), Fraction(1))
        factors = tuple((dimension, factor * scale) for dimension, factor in unit)
    elif _GLUED.match(text, end):
        return None
    return _read_rate(text, Bare(start, end, bare.values), high, factors)


def _read_price(text: str, bare: Bare, begin: int, money: tuple[Factor, ...]) -> Found:
    """Money with its currency in front; behind it only a scale, a range and a time count."""
    end, scale = read_scale_of_money(text, bare.end)
    low = high = _multiply(bare.values, scale or 1)
    if second := _find_second_price(text, begin, bare.start, end):
        end_too, scale_too = read_scale_of_money(text, second.end)
        first = _multiply(bare.values, scale or scale_too or 1)  # «$5-10k»
        last = _multiply(second.values, scale_too or 1)
        if first[0] < last[0]:
            end, low, high = end_too, first, last
    behind = _UNIT_BEHIND.match(text, end)
    if behind and (named := find_currency(behind["unit"])):
        end, money = behind.end(), named
    return _read_rate(text, Bare(begin, end, low), high, money)


def _find_second_price(text: str, begin: int, start: int, end: int) -> Bare | None:
    """The second number of `$5-10` and `$5 to $10`; the currency is ``text[begin:start]``."""
    to = _TO.match(text, end)
    if not to or (_JOINING.fullmatch(to.group()) and not _BETWEEN.search(_before(text, begin))):
        return None
    sign = text[begin:start]
    at = to.end() + len(sign) if text.startswith(sign, to.end()) else to.end()
    match = _SECOND_PRICE.match(text, at)
    values = read_digits(match.group()) if match else ()
    return Bare(at, match.end(), values) if match and values else None


def _multiply(values: tuple[Fraction, ...], scale: int) -> tuple[Fraction, ...]:
    return tuple(value * scale for value in values)


def _read_rate(
    text: str, low: Bare, high: tuple[Fraction, ...], factors: tuple[Factor, ...]
) -> Found:
    """The figure with what it is for or per, if a time follows it."""
    start, end, values = low
    noun = ""
    readings = readings_of(values, high, factors)
    if factors and factors[0][0].startswith("money "):
        if rate := read_time_of_price(text, start, end):
            end, noun = rate.end, rate.noun
            readings = tuple(it for each in readings for it in price_for(each, rate.seconds))
    elif (match := _RATE.match(text, end)) and (per := find_unit(match["per"])):
        end, noun = match.end(), (match["noun"] or "").lower()
        readings = readings_of(
            values, high, ((f"{dimension}/time", size / per[0][1]) for dimension, size in factors)
        )
    return Found(start, end, readings, noun=noun, is_sure=is_sure_of(high, factors))


def _read_scale(text: str, end: int) -> tuple[int, tuple[Factor, ...]]:
    """What a word like «million» or a letter close behind makes of one."""
    if match := _SCALE.match(text, end):
        return match.end(), ((NUMBER, Fraction(SCALES[match["scale"].lower()])),)
    if match := _LETTER.match(text, end):
        return match.end(), LETTERS[match["letter"]]
    return end, ONE


def _find_range_end(text: str, first: Bare) -> Bare | None:
    """The second number of `5-10`, `5 ms to 10 ms`, `between 5 and 10`; its unit is read next."""
    unit = _UNIT_BEHIND.match(text, first.end)
    to = _TO.match(text, unit.end() if unit else first.end)
    if not to:
        return None
    if _JOINING.fullmatch(to.group()) and not _BETWEEN.search(_before(text, first.start)):
        return None
    match = _SECOND.match(text, to.end())
    values = read_digits(match.group()) if match else ()
    if not match or not values or values[0] <= first.values[0]:
        return None
    behind = _UNIT_BEHIND.match(text, match.end())
    if unit and (not behind or behind["unit"] != unit["unit"]):
        return None  # two figures of two units
    return Bare(match.start(), match.end(), values)


def _factors_of(spelling: str) -> tuple[Factor, ...]:
    return find_currency(spelling) or find_unit(spelling)


def _read_unmeasured(text: str, bare: Bare) -> Found:
    """A plain number, the name of a thing among its like, or a year."""
    written = text[bare.start : bare.end]
    noun = _noun_before(text, bare.start)
    if noun in _OF_YEAR and re.fullmatch(r"(?:19|20)\d\d", written):
        return Found(
            bare.start, bare.end, tuple(Reading(*each) for each in days_of_year(int(written)))
        )
    if _numbers_things(text, bare, noun):
        return _name(bare.start, bare.end, noun, written)
    readings = tuple(Reading(NUMBER, value, value) for value in bare.values)
    return Found(bare.start, bare.end, readings, is_sure=is_sure_of(bare.values, ONE))


def _numbers_things(text: str, bare: Bare, noun: str) -> bool:
    """Whether the noun before the number is one of a series that the number tells apart."""
    before = _before(text, bare.start)
    if before.rstrip().endswith("#") or noun in _NUMBERED:
        return True
    match = _NOUN_BEFORE.search(before)
    if not match or text[bare.start].isalpha():
        return False
    if match[1].isupper() and len(match[1]) > 1:
        return True
    ahead = before[: match.start()].rstrip()
    if not ahead or ahead.endswith((".", ":", "!")):  # a capital says nothing here
        return bool(_AUXILIARY.match(text, bare.end))
    return match[1][:1].isupper()


def _noun_before(text: str, start: int) -> str:
    match = _NOUN_BEFORE.search(_before(text, start))
    return match[1].lower() if match else ""


def _find_single_units(text: str) -> Iterator[Found]:
    """`one year`, `half a minute`; not `a second`, which is mostly another one."""
    for match in _ONE.finditer(text):
        word, unit = match["word"].lower().split(), match["unit"].lower()
        factors = _factors_of(unit)
        if unit in SCALES:
            factors = ((NUMBER, Fraction(SCALES[unit])),)
        is_half = word[0] in ("half", "eine") and len(word) > 1
        if not factors or (word == ["a"] and unit == "second"):
            continue
        if word != ["one"] and factors[0][0] not in (TIME, NUMBER):
            continue
        value = (Fraction(1, 2 if is_half else 1),)
        yield Found(
            *match.span(), readings_of(value, value, factors), is_sure=is_sure_of(value, factors)
        )


def _join_times(text: str, found: list[Found]) -> list[Found]:
    """`1 hour and 30 minutes` is one span of time; what follows «every» is an interval."""
    joined: list[Found] = []
    for each in found:
        last = joined[-1] if joined else None
        if last and _continues(text, last, each):
            joined[-1] = span_of_time(
                last.start, each.end, last.readings[0].low + each.readings[0].low
            )
            continue
        every = _EVERY_BEFORE.search(_before(text, each.start))
        if every and each.readings and each.readings[0].dimension == TIME:
            readings = tuple(each_._replace(dimension=INTERVAL) for each_ in each.readings)
            each = each._replace(start=each.start - len(every.group()), readings=readings)
        joined.append(each)
    return joined


def _continues(text: str, last: Found, each: Found) -> bool:
    if not last.readings or not each.readings:
        return False
    ours, theirs = last.readings[0], each.readings[0]
    between = text[last.end : each.start].strip()
    return (
        ours.dimension == theirs.dimension == TIME
        and between in ("", ",", "and", "und")
        and len(text[last.end : each.start]) <= 5
        and theirs.high < ours.low
    )


def _is_rate(found: Found) -> bool:
    return bool(found.readings) and is_rate(found.readings[0].dimension)


def _is_time(found: Found) -> bool:
    return bool(found.readings) and found.readings[0].dimension in _TIMES


def _name(start: int, end: int, noun: str, written: str) -> Found:
    return Found(start, end, (), noun=noun, name=written.lower().lstrip("0") or "0")
