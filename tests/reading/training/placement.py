"""Trains ``agents/offline/models/placement.json.gz``: ``python -m tests.reading.training.placement
UNITS``.

UNITS is what ``tests.reading.training.sections`` wrote. Logistic regression over the features of
what stands under telling headings and elsewhere, rounded to whole numbers; scikit-learn 1.9.1, and
nothing is drawn: which units of a large project count is decided by the hash of their text.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from agents.offline.recognise.features import features_of
from schemas.ids import sha256_hex
from tests.reading.training.data import write_weights
from tests.reading.training.statements import MODELS, SCALE, matrix_of

OUT = MODELS / "placement.json.gz"
AT_LEAST = 10  # units that show a feature
AT_MOST = {"plain": 400, "other": 60}  # units of a kind that one project gives
OF_KINDS = 200
ELSEWHERE, WEAK = 3.0, 0.4  # what plain units and hints count; one in so many is taken
SMOOTHING = 0.1  # the inverse strength of the L2 penalty
Unit = dict[str, Any]


def chosen(units: Iterable[Unit]) -> Iterator[Unit]:
    """No project's habits outweigh the others'."""
    taken: Counter[tuple[str, str]] = Counter()
    for unit in sorted(units, key=lambda unit: sha256_hex(unit["text"])):
        of = (unit["project"], unit["label"])
        taken[of] += 1
        if taken[of] <= AT_MOST.get(unit["label"], OF_KINDS):
            yield unit


def learned(units: Sequence[Unit]) -> dict[str, Any]:
    """The file's content but for its ``about``."""
    shown = [features_of(unit["text"]) for unit in units]
    counts = Counter(feature for features in shown for feature in features)
    often = sorted(feature for feature, count in counts.items() if count >= AT_LEAST)
    columns = {feature: at for at, feature in enumerate(often)}
    model = LogisticRegression(C=SMOOTHING, max_iter=600)
    model.fit(
        matrix_of(shown, columns),
        [unit["label"] for unit in units],
        sample_weight=[_weight(unit) for unit in units],
    )
    rows = np.rint(model.coef_.T * SCALE).astype(int)
    return {
        "labels": [str(label) for label in model.classes_],
        "scale": SCALE,
        "bias": np.rint(model.intercept_ * SCALE).astype(int).tolist(),
        "features": {
            feature: rows[at].tolist() for feature, at in columns.items() if rows[at].any()
        },
    }


def _weight(unit: Unit) -> float:
    if unit["label"] == "plain":
        return ELSEWHERE
    return 1.0 if unit["strong"] else WEAK


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("units", type=Path)
    given = parser.parse_args()
    whole = given.units.read_bytes()
    units = list(chosen(json.loads(line) for line in whole.splitlines()))
    about = {
        "made_by": "tests/reading/training/placement.py",
        "units": len(units),
        "units_sha256": hashlib.sha256(whole).hexdigest(),
    }
    write_weights(OUT, learned(units), about)


if __name__ == "__main__":
    main()
