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

REACH = 3  # words that a negator or a modal verb speaks of


def _words(text: str) -> list[str]:
    return text.split()


_PAUSE = re.compile(r"[,:()\"]")
_PAUSED = "pausehere"  # a word that nobody writes: what a negator speaks of ends there
_LIMIT = re.compile(
    r"\b(?:can|could|may|must|shall|should|will|does|do|is|are)?\s*(?:not|never|no)\s+"
    r"(?:ever\s+|to\s+)?(?:exceed|surpass|go (?:over|above|beyond|below)|fall (?:below|under)"
    r"|drop below|(?:be |take |last |run |stay )?(?:more|greater|larger|longer|higher|later"
    r"|older|fewer|less"
    r"|lower|smaller|earlier|sooner|shorter)(?: than)?|above|below|beyond|over|under)\b"
)
_NOT_MORE = re.compile(
    r"\bnot ((?:[a-z]+ ){1,3}?)(?:more|greater|larger|longer|higher|later|older|fewer|less|lower"
    r"|smaller|earlier|sooner|shorter) than\b"
)
_NO_DENIAL = re.compile(
    r"\bnot only\b|\b(?:not|never) (?:forget|fail|hesitate|neglect|omit) to\b|\bwhether or not\b"
    r"|\bno matter\b|\bnot limited to\b|\bwithout (?:fail|exception|delay)\b"
    r"|\bnot (?:just|merely)\b"
    r"|\bno\.? (?=\d)"
)
_CANNOT = re.compile(r"\bcannot\b|\bca not\b|\bwo not\b")
_KEEP_FROM = re.compile(
    r"\b(?:keep|keeps|kept|stop|stops|stopped|hinders?|hindered)\b(?= (?:[\w'-]+ ){1,6}from\b)"
)
_WEAK = re.compile(
    r"\b(?:need|needs) not\b|\b(?:do|does) not (?:have|need) to\b"
    r"|\b(?:is|are) not (?:required|obliged|mandatory|necessary|needed)(?: to)?\b|\bneedn[’']t\b"
)
_NO_LONGER = re.compile(r"\bno (?:longer|more)\b(?! (?:than|\d))")
_MUST = re.compile(
    r"\b(?:has|have|needs?|had) to\b|\b(?:is|are|be) (?:required|obliged|mandated|bound) to\b"
    r"|\b(?:is|are) (?:mandatory|compulsory|required|obligatory)\b|\bmandatory\b"
)
_MAY = re.compile(
    r"\b(?:is|are|be) (?:allowed|permitted|free|able|authori[sz]ed) to\b"
    r"|\b(?:is|are) optional\b|\boptionally\b"
)
_SHOULD = re.compile(r"\b(?:is|are) (?:recommended|advised|encouraged|supposed)(?: to)?\b")
_IMPLICIT_TEXT = """
    forbid forbids forbidden forbade prohibit prohibits prohibited disallow disallows disallowed ban
    bans banned prevent prevents prevented preventing impossible unable nowhere unless verboten
    untersagt
"""
_BACKWARD_TEXT = """
    forbidden prohibited disallowed banned prevented impossible nowhere verboten untersagt
"""
_ASKING = frozenset(_words("whether question questions unclear unknown undecided ob"))
NEGATORS = ENGLISH_NEGATORS | GERMAN_NEGATORS | frozenset(_IMPLICIT_TEXT.split())
_BACKWARD = frozenset(_BACKWARD_TEXT.split())
ONLY = frozenset(_words("only solely exclusively nur ausschließlich"))
_CONDITIONS = ONLY | frozenset(
    _words("""sole just unless except excluding besides limited restricted reserved alone if when
        where     until before after provided requires require required needs""")
)
LEVELS = {
    **dict.fromkeys(_words("must shall muss müssen musst"), 3),
    **dict.fromkeys(_words("should ought soll sollte sollten sollen recommended"), 2),
    **dict.fromkeys(_words("may can could might kann können könnte darf dürfen"), 1),
}
_DENIED_IS_BINDING = frozenset(_words("may can could kann können darf dürfen"))
_JOINING = frozenset(
    _words("""when if while because so and or once unless but although since as than who which that
        where whether until before after und oder wenn weil dass nach bevor""")
)
DOUBTING = frozenset(
    _words("""probably perhaps possibly maybe likely presumably supposedly allegedly apparently
        thinks believes suspects assumes hopes guess guesses
        vielleicht wahrscheinlich vermutlich""")
)
_HELPERS = frozenset(_words("be been being is are was were have has had do does did to also then"))
_EMPTY = (
    (FUNCTION_WORDS | GERMAN_FUNCTION_WORDS | FILLERS | _HELPERS)
    - NEGATORS - ONLY - LEVELS.keys()
) - frozenset(_words(
    "same other more most many much few several out off up down over under"
))  # fmt: skip


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
