"""One sentence as it is compared: its words, and what its negators and modal verbs speak of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from streams.ledger.likeness.lexicon import (
    FILLERS,
    FUNCTION_WORDS,
    GERMAN_FUNCTION_WORDS,
    GERMAN_NEGATORS,
)
from streams.ledger.likeness.lexicon import NEGATORS as ENGLISH_NEGATORS
from streams.ledger.likeness.terms import root, tokens
from streams.lexicons import Wording, load_words

REACH = 3  # words that a negator or a modal verb speaks of


_PAUSE = re.compile(r"[,:()\"]")
_PAUSED = "pausehere"  # a word that nobody writes: what a negator speaks of ends there
_LIMIT = Wording("reflection", "limit")
_NOT_MORE = Wording("reflection", "not_more")
_NO_DENIAL = Wording("reflection", "no_denial")
_CANNOT = re.compile(r"\bcannot\b|\bca not\b|\bwo not\b")
_KEEP_FROM = Wording("reflection", "keep_from")
_WEAK = Wording("reflection", "weak")
_NO_LONGER = re.compile(r"\bno (?:longer|more)\b(?! (?:than|\d))")
_MUST = Wording("reflection", "must")
_MAY = Wording("reflection", "may")
_SHOULD = re.compile(r"\b(?:is|are) (?:recommended|advised|encouraged|supposed)(?: to)?\b")
_ASKING = load_words("reflection", "asking")
NEGATORS = ENGLISH_NEGATORS | GERMAN_NEGATORS | load_words("reflection", "implicit_negators")
_BACKWARD = load_words("reflection", "backward_negators")
ONLY = load_words("reflection", "only")
_CONDITIONS = ONLY | load_words("reflection", "conditions")
LEVELS = {
    **dict.fromkeys(load_words("reflection", "binding"), 3),
    **dict.fromkeys(load_words("reflection", "advising"), 2),
    **dict.fromkeys(load_words("reflection", "allowing"), 1),
}
_DENIED_IS_BINDING = load_words("reflection", "denied_is_binding")
_JOINING = load_words("reflection", "joining")
DOUBTING = load_words("reflection", "doubting")
_HELPERS = load_words("reflection", "helpers")
_EMPTY = (
    (FUNCTION_WORDS | GERMAN_FUNCTION_WORDS | FILLERS | _HELPERS)
    - NEGATORS - ONLY - LEVELS.keys()
) - load_words("reflection", "compared")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sense:
    """One sentence: the roots of its words in order, and what stands before them.

    ``denials``, ``levels`` and ``limits`` name by their places the words that a negator, a modal
    verb (with its strength, 1 to 3) or an «only» speaks of.
    """

    roots: tuple[str, ...]
    words: tuple[str, ...]
    known: frozenset[str]
    denials: tuple[tuple[int, ...], ...]
    levels: tuple[tuple[int, tuple[int, ...]], ...]
    limits: tuple[tuple[int, ...], ...]
    has_condition: bool
    asks: bool
    is_joined: bool  # of several clauses, or of things that are told one by one
    is_doubted: bool
    pauses: tuple[int, ...]
    text: str


@lru_cache(maxsize=512)
def sense_of(sentence: str) -> Sense:
    plain = _PAUSE.sub(f" {_PAUSED} ", sentence.lower().replace("’", "'"))
    text = _KEEP_FROM.sub("prevent", " ".join(tokens(plain)))
    text = _NO_LONGER.sub("not", _CANNOT.sub("can not", text))
    text = _NO_DENIAL.sub(" ", _NOT_MORE.sub(r" \1 ", _LIMIT.sub(" at limit ", text)))
    text = _MUST.sub(" must ", _WEAK.sub(" may ", text))
    words = _SHOULD.sub(" should ", _MAY.sub(" may ", text)).split()
    kept: list[str] = []
    marks: list[tuple[str, int]] = []
    pauses: list[int] = []
    for word in words:
        if word == _PAUSED:
            pauses.append(len(kept))
        elif word in NEGATORS or word in LEVELS or word in ONLY:
            marks.append((word, len(kept)))
        elif word not in _EMPTY:
            kept.append(word)
    roots = tuple(root(word) for word in kept)
    denials = [_reach(word, at, len(kept), pauses) for word, at in marks if word in NEGATORS]
    return Sense(
        roots=roots,
        words=tuple(kept),
        known=frozenset(roots),
        denials=tuple(denials),
        levels=tuple(_read_levels(marks, len(kept))),
        limits=tuple(_reach(word, at, len(kept), pauses) for word, at in marks if word in ONLY),
        has_condition=not _CONDITIONS.isdisjoint(words) or len(denials) > 1,
        asks=not _ASKING.isdisjoint(words) or sentence.rstrip().endswith("?"),
        is_joined=bool(pauses) or not _JOINING.isdisjoint(words),
        is_doubted=not DOUBTING.isdisjoint(words),
        pauses=tuple(pauses),
        text=" ".join(word for word in words if word != _PAUSED),
    )


def _reach(word: str, at: int, length: int, pauses: Sequence[int]) -> tuple[int, ...]:
    """The places that a negator speaks of: behind it, or all before it in «is forbidden»."""
    end = next((pause for pause in pauses if pause > at), length)
    behind = tuple(range(at, min(length, end, at + REACH)))
    return tuple(range(at)) if word in _BACKWARD and (at or not behind) else behind


def _read_levels(
    marks: Sequence[tuple[str, int]], length: int
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Modal verbs with their strength; what may not be done must not be done."""
    for number, (word, at) in enumerate(marks):
        if word not in LEVELS:
            continue
        before, behind = marks[:number][-1:], marks[number + 1 : number + 2]
        is_denied = any(it[0] in NEGATORS and at - it[1] <= REACH for it in before) or any(
            it[0] in NEGATORS and it[1] == at for it in behind
        )
        level = 3 if is_denied and word in _DENIED_IS_BINDING else LEVELS[word]
        yield level, tuple(range(at, min(length, at + REACH)))
