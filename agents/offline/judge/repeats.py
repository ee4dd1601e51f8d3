"""Whether a sentence says again what another one says, so that it is evidence for it, too.

The same words are not enough. A sentence that denies what the other affirms, that names or counts
something of its own, or that gives the words other roles, would confirm its opposite; and one that
differs in a single slot is the next record of a series.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.offline.lexicons import load_words
from agents.offline.recognise.cues import polarity_of
from schemas.bounded_cache import MIB, bounded_cache
from schemas.fingerprint import norm_text

LEFT_OUT = 0.25  # of a statement's words, at most, where the repetition has none of its own
ADDED = 0.5  # of the repetition's words, at most, where it has all of the statement's
LEAST_WORDS = 4
LEAST_LETTERS = 4
_WORD = re.compile(r"(?<![\w-])--?[^\W\d_][\w-]*|\w+(?:[./:@'\u2019-]\w+)*%?")
_MARKED = re.compile(r"(?<![\w-])--?[^\W\d_][\w-]*|\w*_\w*|[!<>=]=|\d\s?[^\W\d_]{1,4}\b|[\^~]\d")
_PARTICULAR = re.compile(r"-.*|.*\d.*|.*_.*|[^A-Z\n]*[A-Z][^A-Z\n]*[A-Z].*")
_MODALS = (
    frozenset(("must", "shall", "required", "needs")),
    frozenset(("should", "recommended")),
    frozenset(("may", "might", "can", "could", "optional")),
)
_EMPTY = load_words("sequels", "function_words")


def key_of_wording(text: str) -> tuple[str, ...]:
    """The same for wordings that differ in case and marks only, unless these carry meaning."""
    return (norm_text(text), *_MARKED.findall(text))


def measure_repeated(one: str, other: str) -> float:
    """How much of ``one`` is said again by ``other``; 0 when that says something else.

    What leaves out words and has others in their place speaks of something else: «as an operator»,
    «as a consumer». So it may do one of both only.
    """
    if other.endswith((":", "?")):
        return 0.0
    ours, theirs = _content(one), _content(other)
    shared, all_of_ours = set(ours) & set(theirs), set(ours)
    if len(shared) < LEAST_WORDS or _says_something_else(one, other):
        return 0.0
    left_out, added = len(all_of_ours - shared), len(set(theirs) - shared)
    if left_out and (added or left_out > LEFT_OUT * len(all_of_ours)):
        return 0.0
    if added > ADDED * len(set(theirs)):
        return 0.0
    short, long = sorted(
        ([word for word in row if word in shared] for row in (ours, theirs)), key=len
    )
    rest = iter(long)
    return round(len(shared) / len(all_of_ours), 6) if all(word in rest for word in short) else 0.0


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
    return len(ours) == len(theirs) and len({word for word, _ in unlike}) == 1


def _modals(text: str) -> list[bool]:
    words = {word.lower() for word in _words(text)}
    return [not kind.isdisjoint(words) for kind in _MODALS]


def _content(text: str) -> list[str]:
    words = (word.lower() for word in _words(text) if len(word) >= LEAST_LETTERS)
    return [word.rstrip("s") for word in words if word not in _EMPTY]


@bounded_cache(MIB, 20)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text))
