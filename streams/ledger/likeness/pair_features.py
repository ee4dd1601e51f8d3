"""What two texts share and do not share, as figures for a weighed sum; the same for both orders.

Words weigh alike wherever the pair stands, so no corpus is needed: function words and fillers
little, all others much. A table of word frequencies did no better (``sts_stackexchange``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from schemas.bounded_cache import MIB, bounded_cache
from schemas.fingerprint import norm_text
from streams.ledger.likeness.lexicon import FILLERS, FUNCTION_WORDS, NEGATORS
from streams.ledger.likeness.similarity import trigram_cosine
from streams.ledger.likeness.terms import root, terms, tokens

SAYS_LITTLE, SAYS_MUCH = 1.5, 6.0
_LITTLE = FUNCTION_WORDS | FILLERS | frozenset(map(root, FUNCTION_WORDS | FILLERS))
_IDENTIFIER = re.compile(
    r"\b(?:[A-Z]+-\d[\d-]+|\w+_\w+|[a-z]+[A-Z]\w*|[A-Z]\w*[a-z][A-Z]\w*|\w+#\w+|[\w-]+(?:\.[\w-]+){2,})"
)
_NUMBER = re.compile(r"(?<![\w.])v?\d+(?:[.,]\d+)*\w*")


@dataclass(frozen=True, slots=True)
class Side:
    """One text of a pair, taken apart once."""

    text: str
    sequence: tuple[str, ...]
    weights: Mapping[str, float]
    saying: Mapping[str, float]
    title: str
    title_weights: Mapping[str, float]
    identifiers: frozenset[str]
    numbers: frozenset[str]
    negated: bool


@bounded_cache(8 * MIB, 60)
def side_of(text: str) -> Side:
    title, _, _ = text.partition("\n")
    words = [token.lower() for token in tokens(text)]
    weights = _weigh(terms(text))
    return Side(
        text=norm_text(text),
        sequence=tuple(root(word) for word in words),
        weights=weights,
        saying={word: weight for word, weight in weights.items() if weight > SAYS_LITTLE},
        title=norm_text(title),
        title_weights=_weigh(terms(title)),
        identifiers=frozenset(each.lower() for each in _IDENTIFIER.findall(text)),
        numbers=frozenset(_NUMBER.findall(text.lower())),
        negated=sum(word in NEGATORS for word in words) % 2 == 1,
    )


def statement_features(one: str, other: str) -> list[float]:
    """For two sentences: how much is said by one alone counts as much as what is shared."""
    ours, theirs = _order(one, other)
    alone = math.fsum(w for word, w in ours.saying.items() if word not in theirs.saying)
    alone_too = math.fsum(w for word, w in theirs.saying.items() if word not in ours.saying)
    lengths = sorted((len(ours.sequence), len(theirs.sequence)))
    return [
        _cosine(ours.weights, theirs.weights),
        trigram_cosine(ours.text, theirs.text),
        min(alone + alone_too, 40) / 40,
        min(alone, alone_too, 20) / 20,
        min(abs(alone - alone_too), 40) / 40,
        float(ours.negated != theirs.negated),
        SequenceMatcher(None, ours.sequence, theirs.sequence, autojunk=False).ratio(),
        lengths[0] / lengths[1] if lengths[1] else 1.0,
    ]


def ticket_features(one: str, other: str) -> list[float]:
    """For two texts with a title line: does the one contain what the other's title names?"""
    ours, theirs = _order(one, other)
    titles = titles_covered(ours, theirs)
    lengths = sorted((math.fsum(ours.weights.values()), math.fsum(theirs.weights.values())))
    return [
        titles[0],
        titles[1],
        max(
            _measure_covered(ours.weights, theirs.weights),
            _measure_covered(theirs.weights, ours.weights),
        ),
        _overlap(ours.identifiers, theirs.identifiers),
        _overlap(ours.numbers, theirs.numbers),
        trigram_cosine(ours.title, theirs.title),
        lengths[0] / lengths[1] if lengths[1] else 1.0,
    ]


def titles_covered(ours: Side, theirs: Side) -> tuple[float, float]:
    """How much of each title the other text has, the lesser share first."""
    shares = (
        _measure_covered(ours.title_weights, theirs.weights),
        _measure_covered(theirs.title_weights, ours.weights),
    )
    return min(shares), max(shares)


def _order(one: str, other: str) -> tuple[Side, Side]:
    first, second = sorted((one, other))
    return side_of(first), side_of(second)


def _weigh(found: list[str]) -> dict[str, float]:
    return {
        word: SAYS_LITTLE if word in _LITTLE or word in NEGATORS else SAYS_MUCH
        for word in dict.fromkeys(found)
    }


def _cosine(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    shared = math.fsum(weight * weight for word, weight in ours.items() if word in theirs)
    squares = [math.fsum(weight * weight for weight in each.values()) for each in (ours, theirs)]
    return shared / math.sqrt(squares[0] * squares[1]) if all(squares) else 0.0


def _measure_covered(ours: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    total = math.fsum(ours.values())
    shared = math.fsum(weight for word, weight in ours.items() if word in theirs)
    return shared / total if total else 0.0


def _overlap(ours: frozenset[str], theirs: frozenset[str]) -> float:
    shared = len(ours & theirs)
    return shared / (len(ours) + len(theirs) - shared) if shared else 0.0
