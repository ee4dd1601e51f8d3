"""A statement beside its quote: what it says otherwise, and what it says more.

The readers are those by which the ledger finds contradictions (figures, opposites, matching words).
It runs for every engine: a model invents, and a rule may put a title together wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from streams.lexicons import load_words
from streams.reflection.passage import Difference, Passage
from streams.reflection.quoted_figures import find_other_figures
from streams.reflection.quoted_sense import find_other_sense
from streams.reflection.quoted_words import find_other_names, find_other_words

LONGEST_STATEMENT = 2_500  # characters; a title and a body are shorter
LONGEST_QUOTE = 4_000
LONGEST_AROUND = 6_000
MOST_WORDS = 400  # of a text
ENOUGH_WORDS = 5  # to tell a language by
MOST_SHARED = 0.5  # of a statement's words with a quote in another language, names among them
_ENGLISH = load_words("reflection", "english")
_WORD = re.compile(r"[^\W\d_]+")
_QUOTATION = re.compile(r"^[ \t]*>[> \t]*", re.MULTILINE)
_TITLE_LINE = re.compile(r"^([ \t]*(?:!!!|\?\?\?\+?|#{1,6})[ \t].*)$", re.MULTILINE)
_EMPHASIS = re.compile(
    r"`+|\*\*|\*(?=[^\W\d])|(?<=[^\W\d])\*|(?<![^\W])_+(?=[^\W_])|(?<=[^\W_])_+(?!\w)"
)


def find_differences(statement: str, passage: Passage) -> list[Difference]:
    """All that differs, the grave first, each kind of words once."""
    text = _take_off_marks(statement[:LONGEST_STATEMENT])
    cut = Passage(
        _take_off_marks(passage.quote[:LONGEST_QUOTE]),
        _take_off_marks(passage.near[:LONGEST_STATEMENT]),
        passage.around[:LONGEST_AROUND],
        is_code=passage.is_code,
        is_foreign=_is_foreign(text, passage.quote),
    )
    differences = dict.fromkeys(_find(text, cut))
    return sorted(differences, key=lambda each: (not each.is_grave, each.code, each.detail))


def _take_off_marks(text: str) -> str:
    """What a page shows: neither emphasis, nor the marks of a quotation, nor named characters."""
    plain = unescape(text).replace("\r\n", "\n")
    if ">" in plain:
        plain = _QUOTATION.sub("", plain)
    if any(it in plain for it in ("#", "!!!", "???")):
        plain = _TITLE_LINE.sub(r"\1\n", plain)
    return _EMPHASIS.sub("", plain) if any(it in plain for it in "`*_") else plain


def _find(text: str, passage: Passage) -> Iterator[Difference]:
    yield from find_other_figures(text, passage)
    yield from find_other_words(text, passage)
    yield from find_other_names(text, passage)
    if not passage.is_foreign:
        yield from find_other_sense(text, passage)


def _is_foreign(statement: str, quote: str) -> bool:
    """Whether one of the two is English and the other is not: then words cannot be compared."""
    texts = [_WORD.findall(text.lower())[:MOST_WORDS] for text in (statement, quote)]
    if min(map(len, texts)) < ENOUGH_WORDS:
        return False
    shares = [sum(map(_ENGLISH.__contains__, words)) / len(words) for words in texts]
    if min(shares) >= 0.02 or max(shares) <= 0.12:
        return False
    return len(set(texts[0]) & set(texts[1])) / len(set(texts[0])) < MOST_SHARED
