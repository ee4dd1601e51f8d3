"""Whether a sentence says again what another one says, so that it is evidence for it, too.

The same words are not enough. A sentence that denies what the other affirms, that names or counts
something of its own, or that gives the words other roles, would confirm its opposite; and one that
differs in a single slot is the next record of a series.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.offline.recognise.cues import polarity_of
from schemas.bounded_cache import MIB, bounded_cache
from schemas.fingerprint import norm_text

SAME_STATEMENT = 0.6  # of the words that say something, of the shorter of the two
LEAST_WORDS = 4
LEAST_LETTERS = 4
_WORD = re.compile(r"(?<![\w-])--?[^\W\d_][\w-]*|\w+(?:[./:@'\u2019-]\w+)*%?")
_MARKED = re.compile(r"(?<![\w-])--?[^\W\d_][\w-]*|\w*_\w*|[!<>=]=|\d\s?[^\W\d_]{1,4}\b|[\^~]\d")
_PARTICULAR = re.compile(r"-.*|.*\d.*|.*_.*|.*[A-Z].*[A-Z].*")
_MODALS = (
    frozenset(("must", "shall", "required", "needs")),
    frozenset(("should", "recommended")),
    frozenset(("may", "might", "can", "could", "optional")),
)


def key_of_wording(text: str) -> tuple[str, ...]:
    """The same for wordings that differ in case and marks only, unless these carry meaning."""
    return (norm_text(text), *_MARKED.findall(text))


def measure_repeated(one: str, other: str) -> float:
    """How much of the shorter one ``other`` says again; 0 when it says something else."""
    ours, theirs = _content(one), _content(other)
    least = min(len(set(ours)), len(set(theirs)))
    if least < LEAST_WORDS:
        return 0.0
    shared = set(ours) & set(theirs)
    overlap = round(len(shared) / least, 6)
    if overlap < SAME_STATEMENT or _says_something_else(one, other):
        return 0.0
    short, long = sorted(
        ([word for word in row if word in shared] for row in (ours, theirs)), key=len
    )
    rest = iter(long)
    return overlap if all(word in rest for word in short) else 0.0


def _says_something_else(one: str, other: str) -> bool:
    if polarity_of(one) != polarity_of(other) or _modals(one) != _modals(other):
        return True
    ours, theirs = _words(one), _words(other)
    return _names_more(ours, theirs) or _differ_in_a_slot(ours, theirs)


def _names_more(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether ours has a number or a name of code that theirs has not."""
    return any(_PARTICULAR.fullmatch(word) for word in set(ours) - set(theirs))


def _differ_in_a_slot(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether all is the same but one word."""
    unlike = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
    return len(ours) == len(theirs) and len({one for one, _ in unlike}) == 1


def _modals(text: str) -> list[bool]:
    words = {word.lower() for word in _words(text)}
    return [not kind.isdisjoint(words) for kind in _MODALS]


def _content(text: str) -> list[str]:
    return [word.lower() for word in _words(text) if len(word) >= LEAST_LETTERS]


@bounded_cache(MIB, 20)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text))
