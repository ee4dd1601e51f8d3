"""Nearest of many: at which place of the ranking the first true duplicate stands."""

from __future__ import annotations

from collections import Counter

from infra.measure.measures.counting import Pairs, share

TOP = 10


def with_a_duplicate(pairs: Pairs) -> Pairs:
    """The rows that are asked about: their cluster has another member."""
    size = Counter(row["cluster"] for row, _ in pairs)
    return [(row, said) for row, said in pairs if size[row["cluster"]] > 1]


def recall_at_10(pairs: Pairs) -> float:
    """The share of questions with a true duplicate among the first ten."""
    return share(0 < place <= TOP for place in first_places(pairs))


def mean_reciprocal_rank(pairs: Pairs) -> float:
    """The mean of 1/place of the first true duplicate; 0 for one that is not ranked."""
    places = first_places(pairs)
    return sum(1 / place for place in places if place) / max(1, len(places))


def first_places(asked: Pairs) -> list[int]:
    """The place of each question's first true duplicate, from 1; 0 where none is ranked."""
    cluster = {row["id"]: row["cluster"] for row, _ in asked}
    places = []
    for row, said in asked:
        ranked = [other for other in said["ranked"] if other != row["id"]]
        true = (n for n, other in enumerate(ranked, 1) if cluster.get(other) == row["cluster"])
        places.append(next(true, 0))
    return places
