"""What all families count with: rows beside their answers, shares, F1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import sqrt
from typing import Any

from infra.measure.rows import Row

Pairs = Sequence[tuple[Row, dict[str, Any]]]  # a row of the set, and what was answered to it
QUANTILE = 1.96  # of the normal distribution, for 95 %


def share(said: Iterable[bool]) -> float:
    """How many of the answers are yes; 0 of none."""
    answers = list(said)
    return sum(answers) / max(1, len(answers))


def interval(found: float, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share found in so many answers; 0 to 1 of none."""
    if not count:
        return 0.0, 1.0
    spread = QUANTILE**2 / count
    middle = found + spread / 2
    half = sqrt(spread * (found * (1 - found) + spread / 4))
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def harmonic(precision: float, recall: float) -> float:
    """F1 of the two; 0 where both are."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def f1(gold: Sequence[bool], said: Sequence[bool]) -> float:
    """The harmonic mean of precision and recall; 0 where nothing fits."""
    right = sum(a and b for a, b in zip(gold, said, strict=True))
    asked = sum(gold) + sum(said)
    return 2 * right / asked if asked else 0.0


def best_f1(gold: Sequence[bool], scores: Sequence[float]) -> float:
    """The F1 of the threshold that suits these rows best; equal scores stand on one side of it."""
    ranked = sorted(zip(scores, gold, strict=True), reverse=True)
    best, right, said = 0.0, 0, 0
    for _, level in groupby(ranked, key=lambda it: it[0]):
        labels = [label for _, label in level]
        said += len(labels)
        right += sum(labels)
        best = max(best, 2 * right / (said + sum(gold)))
    return best
