"""Whether the figures of a statement are those of its quote, in whatever writing.

«nine seconds» is «9 s». What is neither in the quote nor in its headings differs; a small count in
words may sum up a list, and a figure from elsewhere in the chunk may be right: these are concluded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from streams.ledger.figures.measure_tables import Limit
from streams.ledger.figures.numerals import DIGITS, find_number_words, read_digits
from streams.ledger.figures.quantities import Quantity, may_be_equal, quantities_of
from streams.ledger.figures.readings import INTERVAL, NUMBER, PLACE, TIME
from streams.ledger.likeness.terms import root
from streams.reflection.passage import Difference, Passage

LONGEST_SCAN = 400  # characters: figures of a longer text are looked for part by part
MOST_FIGURES = 120  # of one text
MOST_COMPARED = 40  # of a statement
MOST_COUNTED = 12  # things that a statement may have counted itself
_NUMBER = re.compile(rf"(?<![\w.]){DIGITS}")
_PLAIN = frozenset((NUMBER, PLACE, "name"))
_LOWER, _UPPER = frozenset(("least", "above")), frozenset(("most", "below"))
_NOT_MORE: dict[str, Limit] = {
    "above": "most",
    "below": "least",
}  # «not more than 5»
_DENIAL = re.compile(r"\b(?:not|never|no|cannot|nicht|nie)\b[^.;,]{0,40}\Z", re.IGNORECASE)
_IN_TIME = re.compile(r"\b(?:later|latest|earlier|earliest|sooner)\b", re.IGNORECASE)
_AHEAD = re.compile(r"\W*(?:before|prior|ahead|in advance)\b", re.IGNORECASE)
_TURNED: dict[str, Limit] = {"most": "least", "least": "most", "above": "below", "below": "above"}
_UNIT_OF = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
}
_WORD = re.compile(r"[^\W_]+(?:[.,][0-9]+)*")
_MARKS = re.compile(r"[`*]")
_DAYS = ("day", "zoned", "clock")


def find_other_figures(statement: str, passage: Passage) -> Iterator[Difference]:
    """The figures of ``statement`` that its quote does not have."""
    ours = _list_figures(statement)[:MOST_COMPARED]
    if not ours:
        return
    joined = " ".join(passage.quote.split("\n"))  # lines parted by the page's width
    quoted, near = _list_figures(passage.quote, joined), _list_figures(passage.near)
    around: list[tuple[Quantity, str]] | None = None
    words = _fold(f"{passage.quote}\n{passage.near}")
    for one, written in ours:
        if _is_trivial(one, written):
            continue
        same = [it for it, told in quoted if _is_same(one, written, it, told)]
        if same:
            if all(_is_turned(one, it) for it in same):
                yield Difference("limit_differs", written)
            elif all(_adds_a_unit(one, written, it, passage) for it in same):
                yield Difference("figure_differs", f"{written}: the unit", is_grave=False)
            continue
        if any(_is_same(one, written, it, told) for it, told in near):
            continue
        if _names_unit(written, words):
            continue
        if _fold(written) in words or _stands_in(one, written, f"{passage.quote}\n{passage.near}"):
            continue
        if around is None:
            around = _list_figures(passage.around)
        is_near = any(_is_same(one, written, it, told) for it, told in around)
        is_counted = _may_be_counted(one, written) and not _counts_other(
            written, statement, quoted, passage.quote
        )
        is_grave = not (is_near or is_counted)
        yield Difference("figure_differs", written, is_grave)


def _list_figures(*texts: str) -> list[tuple[Quantity, str]]:
    """Each figure once with its limit, as it is written."""
    found = {
        (written, one.limit, one.noun): (one, written)
        for text in texts
        for one, written in islice(_scan(text), MOST_FIGURES)
    }
    return list(found.values())


def _scan(text: str) -> Iterator[tuple[Quantity, str]]:
    """Figures with what is written, a line or a part of a long line at a time."""
    for line in _MARKS.sub("", text).splitlines():
        for at in range(0, len(line), LONGEST_SCAN):
            part = line[at : at + LONGEST_SCAN]
            for quantity in quantities_of(part):
                limit = _limit_of(quantity, part)
                one = quantity if limit == quantity.limit else replace(quantity, limit=limit)
                yield one, part[quantity.start : quantity.end]


def _limit_of(quantity: Quantity, text: str) -> Limit:
    """The limit that a figure is; «no later than 2 days before» is «at least 2 days before»."""
    limit = quantity.limit
    if _DENIAL.search(text[: quantity.start]):
        limit = _NOT_MORE.get(limit, limit)
    if _IN_TIME.search(text[quantity.left : quantity.start]) and _AHEAD.match(text, quantity.end):
        limit = _TURNED.get(limit, limit)
    return limit


def _fold(text: str) -> str:
    """The words and numbers alone, between single blanks."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _is_trivial(quantity: Quantity, written: str) -> bool:
    """«one», «a year», «first» say too little to be compared, and so does a lone letter."""
    if quantity.dimension == PLACE or not any(mark.isdigit() for mark in written):
        return not quantity.readings or quantity.readings[0].low == 1 or quantity.dimension == PLACE
    return False


def _is_same(one: Quantity, written: str, other: Quantity, text: str) -> bool:
    """Whether both can be meant: equal values, an end of a range, a number without its unit."""
    if _are_surely_apart(one, other):
        return False
    if may_be_equal(one, other):
        return True
    if one.is_name or other.is_name:
        return bool(_raw(written) & _raw(text))
    kinds = {one.dimension, other.dimension}
    ours, theirs = one.readings, other.readings
    if kinds <= {TIME, INTERVAL} or len(kinds) == 1:
        if one.dimension.startswith(_DAYS):
            return any(a.low <= b.high and b.low <= a.high for a in ours for b in theirs)
        return any(a.low in (b.low, b.high) and a.high in (b.low, b.high)
                   for a in ours for b in theirs)  # fmt: skip
    is_rate = {kind.split("/")[0] for kind in kinds}
    plain = bool(kinds & _PLAIN) or (len(is_rate) == 1 and next(iter(is_rate)).startswith("money"))
    return plain and bool(_raw(written) & _raw(text))


def _are_surely_apart(one: Quantity, other: Quantity) -> bool:
    """Values of two kinds, or of one without a common end: most pairs, told quickly."""
    if len(one.readings) != 1 or len(other.readings) != 1:
        return False
    kinds = {one.dimension, other.dimension}
    if any(it.startswith((*_DAYS, "money")) for it in kinds):
        return False
    if len(kinds) > 1:
        return kinds.isdisjoint(_PLAIN) and not kinds <= {TIME, INTERVAL}
    (ours,), (theirs,) = one.readings, other.readings
    return ours.low not in (theirs.low, theirs.high) and ours.high not in (theirs.low, theirs.high)


@lru_cache(maxsize=2_048)
def _raw(written: str) -> frozenset[Fraction]:
    """The bare numbers that stand in a figure."""
    values = {value for match in _NUMBER.finditer(written) for value in read_digits(match[0])}
    values |= {Fraction(int(run)) for run in re.findall(r"(?<!\d)\d{1,18}(?!\d)", written)}
    return frozenset(values | {word.value for word in find_number_words(written)})


def _is_turned(one: Quantity, other: Quantity) -> bool:
    """Whether «at least» has become «at most»."""
    limits = (one.limit, other.limit)
    return any(a in _LOWER and b in _UPPER for a, b in (limits, limits[::-1]))


def _adds_a_unit(one: Quantity, written: str, other: Quantity, passage: Passage) -> bool:
    """Whether the statement says of what a bare number is, and nothing of the passage does."""
    if one.dimension in _PLAIN or other.dimension != NUMBER or one.dimension == "share":
        return False
    unit = re.sub(r"[\d.,\s]+", " ", written).split()
    whole = f"{passage.quote} {passage.near} {passage.around}".lower()
    return bool(unit) and unit[-1].lower().rstrip("s")[:4] not in whole


def _stands_in(quantity: Quantity, written: str, text: str) -> bool:
    """Whether a name or a plain number stands so in the text, as a part of a name perhaps."""
    if quantity.dimension not in _PLAIN:
        return False
    token = next(iter(re.findall(r"[\d.,]*\d", written)), "")
    return bool(token) and bool(re.search(rf"(?<![\d.,]){re.escape(token)}(?![\d]|[.,]\d)", text))


def _may_be_counted(quantity: Quantity, written: str) -> bool:
    return quantity.dimension == NUMBER and not any(
        reading.low > MOST_COUNTED or reading.low.denominator > 1 for reading in quantity.readings
    )


def _counts_other(
    written: str, statement: str, quoted: list[tuple[Quantity, str]], quote: str
) -> bool:
    """Whether the quote counts the same things otherwise: «five wrong PINs», «three wrong PINs»."""
    things = _words_behind(written, statement)
    return bool(things) and any(
        things == _words_behind(told, quote) for it, told in quoted if it.dimension == NUMBER
    )


def _words_behind(figure: str, text: str) -> list[str]:
    _, found, behind = text.partition(figure)
    return [root(it) for it in _WORD.findall(behind[:60].lower())[:2]] if found else []


def _names_unit(written: str, words: str) -> bool:
    """Whether «daily» or «a day» stands for a «per day» of the quote."""
    if any(mark.isdigit() for mark in written) or find_number_words(written):
        return False
    unit = written.lower().split()[-1]
    return f" {_UNIT_OF.get(unit, unit)} " in words
