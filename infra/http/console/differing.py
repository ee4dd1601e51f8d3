"""Two texts beside each other, with the words marked that one of them alone has.

Words are compared in their order and without regard to case. Pieces are cut at words, by code
points; the template escapes each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from infra.http.console.spans import Piece

WORD = re.compile(r"\S+")
# Of words to compare. The time is quadratic in them, and worse where few words are repeated: then
# this many take some 20 ms, and a page has 40 pairs of texts.
MOST_PAIRS = 100 * 100
Range = tuple[int, int]  # of words


def mark_differences(a: str, b: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts whole; where too much differs to be compared, all between what both begin and end
    with is marked.
    """
    found_a, found_b = list(WORD.finditer(a)), list(WORD.finditer(b))
    differing_a, differing_b = _differing(
        [word.group().casefold() for word in found_a], [word.group().casefold() for word in found_b]
    )
    return (
        list(_pieces(a, [_span(found_a, words) for words in differing_a])),
        list(_pieces(b, [_span(found_b, words) for words in differing_b])),
    )


def _differing(a: Sequence[str], b: Sequence[str]) -> tuple[list[Range], list[Range]]:
    """The words of each that the other one has not at that place."""
    start = _count_equal(zip(a, b, strict=False))
    rest = min(len(a), len(b)) - start
    end = min(rest, _count_equal(zip(reversed(a), reversed(b), strict=False)))
    mid_a, mid_b = a[start : len(a) - end], b[start : len(b) - end]
    if len(mid_a) * len(mid_b) > MOST_PAIRS:
        return [(start, len(a) - end)], [(start, len(b) - end)]
    changes = SequenceMatcher(None, mid_a, mid_b, autojunk=False).get_opcodes()
    return (
        [(start + i, start + j) for kind, i, j, _, _ in changes if kind != "equal" and i < j],
        [(start + i, start + j) for kind, _, _, i, j in changes if kind != "equal" and i < j],
    )


def _count_equal(pairs: Iterator[tuple[str, str]]) -> int:
    """How many pairs at the beginning are of two equal words."""
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _span(found: Sequence[re.Match[str]], words: Range) -> tuple[int, int]:
    return found[words[0]].start(), found[words[1] - 1].end()


def _pieces(text: str, marked: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    at = 0
    for start, end in marked:
        if at < start:
            yield Piece(text[at:start])
        yield Piece(text[start:end], marked=True)
        at = end
    if at < len(text):
        yield Piece(text[at:])
