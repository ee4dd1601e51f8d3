"""Trains ``agents/offline/models/statements.json.gz``:
``python -m tests.reading.training.statements DATA``.

Logistic regression over the features of all examples, rounded to whole numbers. The same data,
scikit-learn 1.9.1 and this file give the same weights; nothing in it is drawn. With ``--folds`` the
probabilities that a project gets from weights trained on all other projects are written beside,
which is what the figures of unseen projects and the calibration rest on.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

import agents.offline.models
from agents.offline.recognise.features import features_of
from agents.offline.recognise.qualities import NAMES, quality_features
from schemas.linear import Weights, pack
from tests.reading.training.data import (
    FOLDS,
    Example,
    digest_of,
    examples_of,
    write_weights,
)

SCALE = 64
AT_LEAST = 3  # examples that show a feature
SMOOTHING = 0.25  # the inverse strength of the L2 penalty
QUALITY_SMOOTHING = 3.0
EMPHASIS = {"decision": 1.2, "risk": 1.3, "unknown": 1.1, "debt": 1.2, "claim": 0.9, "other": 0.8}
MODELS = Path(agents.offline.models.__file__).parent
OUT = MODELS / "statements.json.gz"


def learned(examples: Sequence[Example], features: Sequence[set[str]]) -> dict[str, Any]:
    """The file's content but for its ``about``."""
    counts = Counter(feature for shown in features for feature in shown)
    columns = {
        feature: at for at, feature in enumerate(sorted(s for s in counts if counts[s] >= AT_LEAST))
    }
    model = LogisticRegression(C=SMOOTHING, max_iter=400)
    model.fit(
        matrix_of(features, columns),
        [one.label for one in examples],
        sample_weight=[one.weight * EMPHASIS.get(one.label, 1.0) for one in examples],
    )
    rows = np.rint(model.coef_.T * SCALE).astype(int)
    table = {feature: rows[at].tolist() for feature, at in columns.items() if rows[at].any()}
    return {
        "labels": [str(label) for label in model.classes_],
        "scale": SCALE,
        "bias": np.rint(model.intercept_ * SCALE).astype(int).tolist(),
        **_qualities(examples),
        "features": table,
    }


def matrix_of(features: Sequence[Set[str]], columns: dict[str, int]) -> csr_matrix:
    """One row a text, one column a feature."""
    where, starts = [], [0]
    for shown in features:
        where += sorted(columns[feature] for feature in shown if feature in columns)
        starts.append(len(where))
    return csr_matrix((np.ones(len(where)), where, starts), shape=(len(features), len(columns)))


def _qualities(examples: Sequence[Example]) -> dict[str, Any]:
    needs = [one for one in examples if one.non_functional is not None]
    columns = {name: at for at, name in enumerate(NAMES)}
    shown = [set(quality_features(one.text)) for one in needs]
    model = LogisticRegression(C=QUALITY_SMOOTHING, max_iter=400)
    model.fit(matrix_of(shown, columns), [one.non_functional for one in needs])
    whole = np.rint(model.coef_[0] * SCALE).astype(int).tolist()
    return {
        "quality": dict(zip(NAMES, whole, strict=True)),
        "quality_bias": int(np.rint(model.intercept_[0] * SCALE)),
    }


def weights_of(content: dict[str, Any]) -> Weights:
    """What the reader makes of the file's content."""
    return Weights(
        tuple(content["labels"]),
        content["scale"],
        tuple(content["bias"]),
        {feature: pack(row) for feature, row in content["features"].items()},
        content["quality"],
        content["quality_bias"],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with the evaluation data")
    parser.add_argument("--folds", type=Path, help="write weights without each fold here instead")
    asked = parser.parse_args()
    examples = examples_of(asked.data)
    features = [features_of(one.text) for one in examples]
    if asked.folds:
        asked.folds.mkdir(exist_ok=True)
        for fold in range(FOLDS):
            kept = [at for at, one in enumerate(examples) if one.fold != fold]
            content = learned([examples[at] for at in kept], [features[at] for at in kept])
            _write(asked.folds / f"{fold}.json.gz", content, asked.data)
    else:
        _write(OUT, learned(examples, features), asked.data)


def _write(path: Path, content: dict[str, Any], data: Path) -> None:
    about = {"made_by": "tests/reading/training/statements.py", "data_sha256": digest_of(data)}
    write_weights(path, content, about)


if __name__ == "__main__":
    main()
