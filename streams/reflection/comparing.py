"""A statement beside its quote: what it says otherwise, and what it says more.

The readers are those by which the ledger finds contradictions (figures, opposites, matching words).
It runs for every engine: a model invents, and a rule may put a title together wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from streams.reflection.passage import Difference, Passage
from streams.reflection.quoted_figures import find_other_figures
from streams.reflection.quoted_sense import find_other_sense
from streams.reflection.quoted_words import find_other_names, find_other_words

LONGEST_STATEMENT = 2_500  # characters; a title and a body are shorter
LONGEST_QUOTE = 4_000
LONGEST_AROUND = 6_000
ENOUGH_WORDS = 5  # to tell a language by
_ENGLISH_TEXT = """
    the a an of to and or is are be in on for with by at it that this must should may can not
"""
_ENGLISH = frozenset(_ENGLISH_TEXT.split())


def find_differences(statement: str, passage: Passage) -> list[Difference]:
    """All that differs, the grave first, each kind of words once."""
    text = statement[:LONGEST_STATEMENT]
    cut = Passage(
        passage.quote[:LONGEST_QUOTE],
        passage.near[:LONGEST_STATEMENT],
        passage.around[:LONGEST_AROUND],
        is_code=passage.is_code,
        is_foreign=_is_foreign(text, passage.quote),
    )
    found = dict.fromkeys(_find(text, cut))
    return sorted(found, key=lambda each: (not each.is_grave, each.code, each.detail))


def _find(text: str, passage: Passage) -> Iterator[Difference]:
    yield from find_other_figures(text, passage)
    yield from find_other_words(text, passage)
    yield from find_other_names(text, passage)
    if not passage.is_foreign:
        yield from find_other_sense(text, passage)


def _is_foreign(statement: str, quote: str) -> bool:
    """Whether one of the two is English and the other is not: then words cannot be compared."""
    shares = []
    for text in (statement, quote):
        words = re.findall(r"[^\W\d_]+", text.lower())[:400]
        if len(words) < ENOUGH_WORDS:
            return False
        shares.append(sum(word in _ENGLISH for word in words) / len(words))
    return min(shares) < 0.02 and max(shares) > 0.12
