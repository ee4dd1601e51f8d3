"""Numbers as people write them: `1,000`, `1.000,5`, `1 000`, `0x1F`, `2.5k`, `five`, `fünf`.

Words are read by text2num (compiled, microseconds a sentence, spans, eight languages). Looked at
and left: word2number knows English only, pint and quantulum3 read no prose or guess with a model,
dateparser and babel are large and slow for what a candidate pair may cost.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from text_to_num import find_numbers

DIGITS = r"\d(?:[\d.,'\u2019_\u00a0\u202f\u2009]*\d)?(?: \d{3}(?!\d))*"
DIGIT = re.compile(r"\d")
MAX_DIGITS = 1_000
_GROUPS_APART = re.compile(r"['\u2019_\s]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[^\s\w]")
_LETTERS = re.compile(r"[^\W\d_]+")
_LANGUAGES = ("en", "de")
_NO_NUMBERS = frozenset(("second", "null"))


class NumberWord(NamedTuple):
    start: int
    end: int
    value: Fraction
    is_place: bool  # third, not three


def read_digits(written: str) -> tuple[Fraction, ...]:
    """What a number in digits can mean, the likeliest first; nothing for `1.2.3` and its like, nor
    for one of more than ``MAX_DIGITS`` signs.

    One comma or point with three digits behind it can be either.
    """
    plain = _GROUPS_APART.sub("", written)
    if len(plain) > MAX_DIGITS or not plain.replace(",", "").replace(".", "").isdecimal():
        return ()
    marks = [mark for mark in plain if mark in ".,"]
    if not marks:
        return (Fraction(int(plain)),)
    whole, _, rest = plain.rpartition(marks[-1])
    if len(set(marks)) == 2:
        grouped = marks.count(marks[-1]) == 1 and _are_groups(whole)
        return (_decimal(whole, rest),) if grouped else ()
    if len(marks) > 1:
        return (_decimal(plain, ""),) if _are_groups(plain) else ()
    if len(rest) != 3 or not 1 <= len(whole) <= 3 or whole.startswith("0"):
        return (_decimal(whole, rest),)
    readings = (_decimal(whole + rest, ""), _decimal(whole, rest))
    return readings if marks == [","] else readings[::-1]


@lru_cache(maxsize=16)
def find_number_words(text: str) -> list[NumberWord]:
    """Numbers in English or German words; not «second», mostly a unit, nor «null», mostly code."""
    if not any(map(_says_number, _LETTERS.findall(text))):
        return []
    found = [(match.start(), match.end(), match.group()) for match in _WORD.finditer(text)]
    taken: dict[int, NumberWord] = {}
    words = [_Word(word) for _, _, word in found]
    for language in _LANGUAGES:
        for each in find_numbers(words, language, 0):
            start, end = found[each.start][0], found[each.end - 1][1]
            figure = each.text.rstrip("stndrh.")
            is_place = figure != each.text
            if figure.replace(".", "").isdigit() and text[start:end].lower() not in _NO_NUMBERS:
                taken.setdefault(start, NumberWord(start, end, Fraction(figure), is_place))
    return [taken[start] for start in sorted(taken)]


@lru_cache(maxsize=65_536)
def _says_number(word: str) -> bool:
    """Whether a word by itself is a number: most texts have none, and are not read further."""
    return any(find_numbers([_Word(word)], language, 0) for language in _LANGUAGES)


class _Word:
    """A word as text2num wants it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        # Half a surrogate pair makes its compiled code panic, which no `except Exception` catches.
        self._text = text if text.isascii() else text.encode(errors="replace").decode()

    def text(self) -> str:
        return self._text

    def text_lowercase(self) -> str:
        return self._text.lower()

    def nt_separated(self, previous: object) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


def _are_groups(plain: str) -> bool:
    first, *others = re.split("[.,]", plain)
    return 1 <= len(first) <= 3 and all(2 <= len(group) <= 3 for group in others)


def _decimal(whole: str, rest: str) -> Fraction:
    digits = whole.replace(",", "").replace(".", "")
    return Fraction(int(digits + rest), 10 ** len(rest))
