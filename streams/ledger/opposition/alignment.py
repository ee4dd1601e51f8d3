"""Two statements with everything that is the same written the same, before they are compared.

Names of products go by one name. Figures that agree, or that can both hold, get one writing; of
figures that exclude each other the pair is told and one writing stands in both, so that what is
left of the texts shows whether the rest agrees. Numbers that are names are marked as such: «Node 1»
and «Node 2» are two things and no two values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from streams.ledger.figures.aliases import write_names_alike
from streams.ledger.figures.measure_tables import NUMBERED
from streams.ledger.figures.moments import DAY, DAY_OF_YEAR
from streams.ledger.figures.quantities import (
    Quantity,
    are_comparable,
    equal,
    exclude,
    may_be_equal,
    quantities_of,
)
from streams.lexicons import Wording

MANY_CHARS = 2_000  # more is a document, whose figures are not laid beside another's
MOST_FIGURES = 40  # of a text; each is laid beside each of the other's, and more are a table
MOST_BEFORE = 300  # characters before a figure that say what it is
MARK = "id"  # before a number that is a name: no digit comes first, so it counts as a word
_MARKED = re.compile(rf"\b{MARK}(?=\d)")
_OPENING = re.compile(r"^\W*(?:in|on|at|during|for|by|as of|am|im|um)?\s*(?:the\s+)?$", re.I)
_SCOPE_OF_NAME = Wording("ledger", "scope_of_name")
_NEEDS = Wording("ledger", "needs_version")
_LISTED = re.compile(r"\b(?:and|und)\b|[,/;]", re.I)
_SENTENCE_END = re.compile(r"[.!?]\s+|\n")
_REST_OF_TEXT = re.compile(r"[\s.!)\"'`*]*$")


@dataclass(frozen=True, slots=True)
class Aligned:
    """``conflicts``: figures that exclude each other, as the two texts write them.

    ``differences``: how many of them are no mere parts of one list, «5 threads and 10 queues».
    """

    one: str
    other: str
    conflicts: tuple[tuple[str, str], ...] = ()
    differences: int = 0


def unmark(text: str) -> str:
    """The text with its names as they were written."""
    return _MARKED.sub("", text)


@lru_cache(maxsize=64)
def align(one: str, other: str) -> Aligned:
    one, other = (write_names_alike(" ".join(each.split())) for each in (one, other))
    if max(len(one), len(other)) > MANY_CHARS:
        return Aligned(one, other)
    ours, theirs = (quantities_of(each)[:MOST_FIGURES] for each in (one, other))
    if not ours and not theirs:
        return Aligned(one, other)
    written = {our: _mark(one, our) for our in ours if our.is_name}
    written_too = {their: _mark(other, their) for their in theirs if their.is_name}
    conflicts = []
    places: list[Quantity] = []
    for our, their in _pair(ours, theirs):
        if _exclude(one, our, other, their):
            if _opens(one, our) or _opens(other, their):
                continue
            places.append(our)
            conflicts.append((one[our.left : our.right], other[their.left : their.right]))
        elif our.is_name and not equal(our, their):
            continue
        written[our] = written_too[their] = one[our.start : our.end]
    apart = sum(
        not _LISTED.search(one[last.right : our.left])
        for last, our in zip(places, places[1:], strict=False)
    )
    return Aligned(
        _write(one, written),
        _write(other, written_too),
        tuple(conflicts),
        apart + bool(conflicts),
    )


def _pair(
    ours: tuple[Quantity, ...], theirs: tuple[Quantity, ...]
) -> list[tuple[Quantity, Quantity]]:
    """Each figure with the first of the other text that it fits: equal ones, then comparable."""
    pairs = []
    left, right = list(ours), list(theirs)
    for fits in (_can_be_one, are_comparable):
        for our in tuple(left):
            if their := next((each for each in right if fits(our, each)), None):
                pairs.append((our, their))
                left.remove(our)
                right.remove(their)
    return sorted(pairs, key=lambda pair: pair[0].start)


def _can_be_one(one: Quantity, other: Quantity) -> bool:
    return may_be_equal(one, other) and not exclude(one, other)


def _exclude(one: str, our: Quantity, other: str, their: Quantity) -> bool:
    """Two names do where both are what their statement gives: «listens on port 80»."""
    if our.is_name:
        return not equal(our, their) and _is_given(one, our) and _is_given(other, their)
    return exclude(our, their)


def _is_given(text: str, name: Quantity) -> bool:
    before = text[max(0, name.start - MOST_BEFORE) : name.start].rstrip("# ")
    can_be = name.is_value or (name.noun not in NUMBERED.names and _NEEDS.search(before))
    closes = _REST_OF_TEXT.match(text, name.end)
    return bool(can_be and closes and not _SCOPE_OF_NAME.says(before))


def _opens(text: str, figure: Quantity) -> bool:
    """Whether a day or a month opens its sentence and says when all the rest was so."""
    before = _SENTENCE_END.split(text[max(0, figure.left - MOST_BEFORE) : figure.left])[-1]
    return figure.dimension in (DAY, DAY_OF_YEAR) and bool(_OPENING.match(before))


def _mark(text: str, name: Quantity) -> str:
    written = f"{MARK}{name.name}"
    has_noun = name.end - name.start > 1 and not text[name.start].isdigit()
    return f"{name.noun} {written}" if has_noun else written


def _write(text: str, written: dict[Quantity, str]) -> str:
    for figure in sorted(written, key=lambda each: -each.start):
        rest = text[figure.right :]
        blank = " " if rest[:1] == "/" or rest[:1].isalnum() else ""
        text = f"{text[: figure.left]}{written[figure]}{blank}{rest}"
    return text
