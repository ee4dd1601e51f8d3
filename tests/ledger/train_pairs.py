"""Learns the weights of the pair models: ``python -m tests.ledger.train_pairs DATA``.

Logistic regression by Newton's method in plain Python: no library, no chance, the same weights
from the same rows. With ``--check`` nothing is written; the figures are those of five folds, rows
that share a text or a document in one fold, each judged by the weights of the other four, with the
stage's own function where it makes more of the weights than their sum.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from schemas.ids import sha256_hex
from streams.ledger.likeness.lexicon import FUNCTION_WORDS, NEGATORS
from streams.ledger.likeness.pair_features import statement_features, ticket_features
from streams.ledger.likeness.terms import root, tokens
from streams.ledger.likeness.weighing import WEIGHTS_PATH, Weights, weigh
from streams.ledger.opposition.contrast import contrast_features, has_reason
from streams.ledger.opposition.opposition import LABEL_THRESHOLD, SURE, opposition

FOLDS = 5
STEPS = 12
BORDERS = [number / 100 for number in range(20, 66, 2)]
Features = Callable[[str, str], list[float]]


class Model(NamedTuple):
    """What is learnt from those rows of files that count; the first file's F1 sets the border.

    ``score``: what the stage makes of the weights, where that is more than their sum.
    """

    name: str
    files: tuple[str, ...]
    positive: str
    features: Features
    shrink: float
    counts: Callable[[str, str], bool] = lambda one, other: True
    score: Callable[[str, str, Weights], float] | None = None


class Sample(NamedTuple):
    """``counts``: whether it is learnt from; all samples of the first file are judged."""

    features: list[float]
    positive: bool
    group: str
    is_first: bool
    counts: bool = True
    texts: tuple[str, str] = ("", "")


MODELS = (
    Model("statement", ("duplicates/sts_stackexchange",), "duplicate", statement_features, 1.0),
    Model("ticket", ("duplicates/issues",), "duplicate", ticket_features, 0.1),
    Model(
        "contrast",
        (
            "contradictions/negation_nli",
            "contradictions/breaking_nli",
            "contradictions/requirements_perturbed",
        ),
        "contradiction",
        contrast_features,
        3.0,
        lambda one, other: has_reason(contrast_features(one, other)),
        lambda one, other, weights: opposition(one, other, weights).score,
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--check", action="store_true", help="print held-out figures only")
    given = parser.parse_args()
    models = {}
    for model in MODELS:
        samples = samples_of(model, given.data)
        if given.check:
            print(model.name, held_out(model, samples))
            continue
        weights = learn_with_border(samples, model.shrink)
        models[model.name] = {
            "rows": {name: _hash(given.data, name) for name in model.files},
            "intercept": round(weights.intercept, 4),
            "weights": [round(weight, 4) for weight in weights.of],
        }
    if not given.check:
        text = json.dumps({"models": models}, indent=1)
        WEIGHTS_PATH.write_text(text + "\n", encoding="utf-8")


def samples_of(model: Model, data: Path) -> list[Sample]:
    found = []
    for number, name in enumerate(model.files):
        rows = [json.loads(line) for line in _path(data, name).read_text("utf-8").splitlines()]
        groups = _groups(rows)
        for row, group in zip(rows, groups, strict=True):
            texts = (row["a"], row["b"])
            positive = row["label"] == model.positive
            features, counts = model.features(*texts), model.counts(*texts)
            found.append(Sample(features, positive, group, number == 0, counts, texts))
    return found


def learn_with_border(samples: Sequence[Sample], shrink: float) -> Weights:
    """What is learnt from the samples that count, moved so that 0.5 is the border that suits."""
    known = [sample for sample in samples if sample.counts]
    weights = learn(known, shrink)
    scored = [(weigh(s.features, weights), s.positive) for s in known if s.is_first]
    border = best_border(scored)
    return Weights(weights.intercept - math.log(border / (1 - border)), weights.of)


def learn(samples: Sequence[Sample], shrink: float) -> Weights:
    """The weights of least loss, with ``shrink`` times half their squares added to it."""
    width = len(samples[0].features) + 1
    rows = [[1.0, *sample.features] for sample in samples]
    weights = [0.0] * width
    for _ in range(STEPS):
        slope = [0.0, *(shrink * weight for weight in weights[1:])]
        curve = [[shrink if i == j and i else 0.0 for j in range(width)] for i in range(width)]
        curve[0][0] = 1e-6
        for row, sample in zip(rows, samples, strict=True):
            used = [at for at, value in enumerate(row) if value]
            sure = 1 / (1 + math.exp(-sum(row[at] * weights[at] for at in used)))
            miss, spread = sure - sample.positive, sure * (1 - sure)
            for i in used:
                slope[i] += miss * row[i]
                line, by = curve[i], spread * row[i]
                for j in used:
                    line[j] += by * row[j]
        for at, step in enumerate(solve(curve, slope)):
            weights[at] -= step
    return Weights(weights[0], tuple(weights[1:]))


def solve(matrix: list[list[float]], right: Sequence[float]) -> list[float]:
    """Gauss with pivots; ``matrix`` is used up."""
    lines = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    size = len(lines)
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(lines[row][at]))
        lines[at], lines[pivot] = lines[pivot], lines[at]
        for below in range(at + 1, size):
            factor = lines[below][at] / lines[at][at]
            if factor:
                for column in range(at, size + 1):
                    lines[below][column] -= factor * lines[at][column]
    found = [0.0] * size
    for at in reversed(range(size)):
        known = sum(lines[at][column] * found[column] for column in range(at + 1, size))
        found[at] = (lines[at][size] - known) / lines[at][at]
    return found


def best_border(scored: Sequence[tuple[float, bool]]) -> float:
    return max(BORDERS, key=lambda border: (f1(scored, border), -border))


def f1(scored: Sequence[tuple[float, bool]], border: float) -> float:
    right = sum(positive and score >= border for score, positive in scored)
    wrong = sum(positive != (score >= border) for score, positive in scored)
    return 2 * right / (2 * right + wrong) if right else 0.0


def held_out(model: Model, samples: Sequence[Sample]) -> str:
    """F1 of the first file, each row by weights and border of the other folds; and when sure."""
    known: list[tuple[float, bool]] = []
    seen: list[float] = []
    for fold in range(FOLDS):
        weights = learn_with_border([s for s in samples if _fold(s.group) != fold], model.shrink)
        others: list[tuple[float, bool]] = []
        for sample in samples:
            if sample.is_first:
                pairs = known if _fold(sample.group) == fold else others
                pairs.append((judged(model, sample, weights), sample.positive))
        seen.append(f1(others, LABEL_THRESHOLD))
    sure = [positive for score, positive in known if score >= SURE]
    return (
        f"F1 {f1(known, LABEL_THRESHOLD):.3f} (trained rows {sum(seen) / FOLDS:.3f});"
        f" of {len(sure)} sure ones {sum(sure)} right"
    )


def judged(model: Model, sample: Sample, weights: Weights) -> float:
    if model.score is None:
        return weigh(sample.features, weights)
    return model.score(*sample.texts, weights)


def _fold(group: str) -> int:
    return int(sha256_hex(group)[:8], 16) % FOLDS


def _groups(rows: Sequence[dict[str, str]]) -> list[str]:
    """A name for each row; equal for rows whose texts hang together."""
    parent: dict[str, str] = {}

    def head(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    keys = [[row["doc"]] if "doc" in row else [_key(row["a"]), row["b"]] for row in rows]
    if len({key[0] for key in keys}) < len(keys) / 2:
        keys = [key[:1] for key in keys]  # one text with many others: it alone is the group
    for first, *more in keys:
        for other in more:
            parent[head(first)] = head(other)
    return [head(first) for first, *_ in keys]


def _key(text: str) -> str:
    words = {root(word.lower()) for word in tokens(text)}
    return " ".join(sorted(words - FUNCTION_WORDS - NEGATORS))


def _path(data: Path, name: str) -> Path:
    return data / f"{name}.jsonl"


def _hash(data: Path, name: str) -> str:
    return sha256_hex(_path(data, name).read_text("utf-8"))[:16]


if __name__ == "__main__":
    main()
