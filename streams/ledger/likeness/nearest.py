"""The nearest of many texts: an index over words, the best of it read letter by letter.

A text is a vector of its roots; words of the first line count three times, rare ones more, and long
texts are divided by a little less than their length, since a long ticket has more to be found by.
What the words nominate is ordered by words, letter runs and titles together: a name that is written
otherwise (``ReadAhead``, ``read-ahead``) shares runs, not words, and of two tickets about one thing
each says somewhere what the other's title says.

Figures (``issue_corpus``): words alone recall@10 .868, with letter runs .891; titles
raise MRR from .674 to .688. Neighbours of neighbours and a title vector made it worse.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from heapq import nsmallest

from streams.ledger.likeness.pair_features import side_of, titles_covered
from streams.ledger.likeness.terms import letter_runs, terms

TITLE_WEIGHT = 3
RARITY_POWER = 0.8
LENGTH_POWER = 0.9
RUNS_WEIGHT = 0.5
TITLES_WEIGHT = 0.15  # more raises MRR and loses recall
COMMON = 0.3  # a word in more of the texts than this finds nothing
LOOKED_AT = 60
DECIMALS = 6
Vector = dict[str, float]


class Neighbours:
    """Texts whose neighbours can be asked for by position."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = vectors(texts, terms)
        self._runs = vectors(texts, letter_runs)
        self._sides = [side_of(text) for text in texts]
        self._postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for position, vector in enumerate(self._words):
            for word, weight in vector.items():
                self._postings[word].append((position, weight))
        self._most = max(8.0, COMMON * len(texts))

    def rank(self, position: int, count: int) -> list[tuple[int, float]]:
        """At most ``count`` other positions with their scores, nearest first, then by position."""
        nominated = self._nominate(position)
        scored = [(-self._score(position, other, words), other) for other, words in nominated]
        return [(other, -score) for score, other in nsmallest(count, scored)]

    def _nominate(self, position: int) -> list[tuple[int, float]]:
        scores: defaultdict[int, float] = defaultdict(float)
        for word, weight in self._words[position].items():
            posting = self._postings[word]
            if len(posting) <= self._most:
                for other, theirs in posting:
                    scores[other] += weight * theirs
        scores.pop(position, None)
        best = nsmallest(LOOKED_AT, ((-round(s, DECIMALS), other) for other, s in scores.items()))
        return [(other, -score) for score, other in best]

    def _score(self, position: int, other: int, words: float) -> float:
        runs = dot(self._runs[position], self._runs[other])
        titles = sum(titles_covered(self._sides[position], self._sides[other]))
        return round(words + RUNS_WEIGHT * runs + TITLES_WEIGHT * titles, DECIMALS)


def vectors(texts: Sequence[str], split: Callable[[str], list[str]]) -> list[Vector]:
    """One weighted vector a text; the scale is such that a usual text has a length about 1."""
    counts = [_counts(text, split) for text in texts]
    frequency = Counter(term for each in counts for term in each)
    total = len(texts)
    rarity = {
        term: math.log(1 + (total - many + 0.5) / (many + 0.5)) ** RARITY_POWER
        for term, many in frequency.items()
    }
    raw = [
        {term: (1 + math.log(count)) * rarity[term] for term, count in each.items()}
        for each in counts
    ]
    lengths = [math.sqrt(math.fsum(weight * weight for weight in each.values())) for each in raw]
    usual = sorted(lengths)[len(lengths) // 2] if lengths else 1.0
    scale = [(length**LENGTH_POWER * usual ** (1 - LENGTH_POWER)) or 1.0 for length in lengths]
    return [
        {term: round(weight / by, DECIMALS) for term, weight in each.items()}
        for each, by in zip(raw, scale, strict=True)
    ]


def dot(one: Vector, other: Vector) -> float:
    if len(one) > len(other):
        one, other = other, one
    return math.fsum(weight * other[term] for term, weight in one.items() if term in other)


def _counts(text: str, split: Callable[[str], list[str]]) -> Counter[str]:
    title, _, body = text.partition("\n")
    found = Counter(split(body))
    for term in split(title):
        found[term] += TITLE_WEIGHT
    return found
