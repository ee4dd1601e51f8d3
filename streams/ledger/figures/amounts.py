"""Numbers with units, each amount in one spelling: «90 s» is «1.5 minutes».

Units and numbers are those by which figures are compared (``measure_tables``, ``numerals``). What a
spelling can mean counts by its likeliest size alone: merging asks whether two texts say the same.
"""

from __future__ import annotations

import re
from fractions import Fraction

from streams.ledger.figures.measure_tables import SCALES, UNITS, Factor, find_currency
from streams.ledger.figures.measure_tables import find_unit as find_sizes
from streams.ledger.figures.numerals import DIGITS, find_number_words, read_digits
from streams.ledger.figures.readings import NUMBER

_DIGITS = re.compile(DIGITS)
_A_SECOND = "/s"
_SIZES_OF_LETTERS: dict[str, set[Factor]] = {}
for _spelling, _sizes in UNITS.items():
    _SIZES_OF_LETTERS.setdefault(_spelling.lower(), set()).add(_sizes[0])


def find_unit(written: str) -> Factor | None:
    """A unit, a currency, a scale («million») or a rate («MB/s»), by its likeliest size."""
    small = written.lower()
    if money := find_currency(written):
        return money[0]
    if small in SCALES:
        return NUMBER, Fraction(SCALES[small])
    sizes = find_sizes(written.removesuffix(_A_SECOND))
    if not sizes:
        return None
    dimension, size = sizes[0]
    is_rate = written.endswith(_A_SECOND)
    return (f"{dimension}/time", size) if is_rate else (dimension, size)


def is_unit_by_case(word: str) -> bool:
    """Whether it is a unit, and another one in other capitals."""
    return word in UNITS and len(word) > 1 and len(_SIZES_OF_LETTERS[word.lower()]) > 1


def read_number(text: str) -> Fraction | None:
    """The likeliest value of digits, or of a number in words."""
    if _DIGITS.fullmatch(text):
        return next(iter(read_digits(text)), None)
    if not text[:1].isalpha():
        return None
    number_words = find_number_words(text)
    is_whole = len(number_words) == 1 and (number_words[0].start, number_words[0].end) == (
        0,
        len(text),
    )
    return number_words[0].value if is_whole and not number_words[0].is_place else None


def write_amount(number: Fraction, unit: Factor) -> str:
    """One spelling for each amount, whatever the unit it was given in."""
    dimension, size = unit
    return f"{number * size} {dimension}"
