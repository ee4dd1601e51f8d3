"""Trains ``agents/offline/models/soundness.json.gz``: ``python -m tests.reading.training.soundness
EXAMPLES``.

EXAMPLES is what ``tests.reading.training.judged_drafts`` wrote. Logistic regression over the
features of the drafts of all projects whose use is «train», rounded to whole numbers; scikit-learn
1.9.1, and nothing is drawn. Whoever had the document open, or read a title as it is told today,
counts twice as much as who saw a draft's neighbours only. ``--figures`` prints instead how well
each of these projects is judged by weights that have not seen it, of all drafts and of those read
in their documents; ``--apart`` the same of the projects that are kept apart, by all others;
``--marks`` how many of those that would be active are right, by what confirms them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from agents.offline.judge.confirmations import LEAST
from agents.offline.judge.features import OWN_SAID, OWN_SUBJECT, UNKNOWN_ROOT
from agents.offline.judge.soundness import SOUND
from agents.offline.recognise.cues import WEAK
from schemas.linear import Odds
from tests.reading.training.data import write_weights
from tests.reading.training.statements import MODELS, SCALE, matrix_of

AT_EVEN = 8  # drafts that show a feature
WITH_DOCUMENT = "document"  # the eye of readers who had it open
OF_TITLES = "title"  # that of readers who asked first what a title says alone
COUNTS = {WITH_DOCUMENT: 2.0, OF_TITLES: 2.0}
SMOOTHING = 0.03  # the inverse strength of the L2 penalty
OUT = MODELS / "soundness.json.gz"
KEPT = (1.0, 0.95, 0.9, 0.85, 0.8, 0.7, 0.5, 0.25)
STEPS = (0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 1.01)
Example = dict[str, Any]


def learned(examples: Sequence[Example]) -> dict[str, Any]:
    """The file's content but for its ``about``."""
    counts = Counter(feature for one in examples for feature in one["features"])
    columns = {
        feature: at for at, feature in enumerate(sorted(s for s in counts if counts[s] >= AT_EVEN))
    }
    matrix = matrix_of([set(one["features"]) for one in examples], columns)
    model = LogisticRegression(C=SMOOTHING, max_iter=1_000)
    weighed = [COUNTS.get(one["eye"], 1.0) for one in examples]
    model.fit(matrix, [_is_good(one) for one in examples], sample_weight=weighed)
    whole = np.rint(model.coef_[0] * SCALE).astype(int).tolist()
    features = {feature: whole[at] for feature, at in columns.items() if whole[at]}
    own = sum(features.get(feature, 0) * counts[feature] for feature in (OWN_SUBJECT, OWN_SAID))
    return {
        "scale": SCALE,
        "bias": int(np.rint(model.intercept_[0] * SCALE)),
        "features": features | {UNKNOWN_ROOT: round(own / max(1, len(examples)))},
    }


def judged(examples: Sequence[Example], content: dict[str, Any]) -> list[tuple[float, Example]]:
    weights = Odds(content["scale"], content["bias"], content["features"])
    return [(weights.probability(one["features"]), one) for one in examples]


def unseen(examples: Sequence[Example]) -> Iterator[tuple[float, Example]]:
    """Each example with the probability that weights of all other projects give it."""
    for project in sorted({one["project"] for one in examples}):
        rest = [one for one in examples if one["project"] != project]
        own = [one for one in examples if one["project"] == project]
        yield from judged(own, learned(rest))


def _is_good(one: Example) -> bool:
    return bool(one["verdict"] == "good")


def _is_kept(probability: float, one: Example) -> bool:
    """Whether the draft is surer than a weak cue in the end."""
    return bool(probability >= one["least"] if one["least"] else one["confidence"] > WEAK)


def _good(found: Sequence[tuple[float, Example]]) -> str:
    return f"{sum(_is_good(one) for _, one in found) / max(1, len(found)):.3f}"


def told(found: Sequence[tuple[float, Example]]) -> Iterator[str]:
    """Precision by what is kept, calibration, and the cues' confidence beside it."""
    ranked = sorted(found, key=lambda each: -each[0])
    yield f"{len(found)} drafts of {len({one['project'] for _, one in found})} projects"
    for kept in KEPT:
        yield f"kept {kept:.2f}: good {_good(ranked[: round(kept * len(ranked))])}"
    for low, high in pairwise(STEPS):
        part = [each for each in found if low <= each[0] < high]
        mean = sum(probability for probability, _ in part) / max(1, len(part))
        yield f"{low:.1f} to {high:.1f}: {len(part)}, shown {mean:.3f}, good {_good(part)}"
    for level in sorted({one["confidence"] for _, one in found}):
        part = [each for each in found if each[1]["confidence"] == level]
        yield f"confidence {level}: {len(part)}, good {_good(part)}"
    for kind in sorted({one["kind"] for _, one in found}):
        part = [each for each in found if each[1]["kind"] == kind]
        left = [each for each in part if each[0] >= SOUND]
        yield f"{kind}: {len(part)}, good {_good(part)}, from {SOUND} {len(left)}, {_good(left)}"
    sure = [each for each in found if each[1]["confidence"] > WEAK]
    left = [each for each in found if _is_kept(*each)]
    wrong = [sum(one["verdict"] == "wrong" for _, one in each) for each in (sure, left)]
    yield f"above {WEAK} by the cue: {len(sure)}, good {_good(sure)}, wrong {wrong[0]}"
    yield f"above {WEAK} by the probability: {len(left)}, good {_good(left)}, wrong {wrong[1]}"


def marks(found: Sequence[tuple[float, Example]]) -> Iterator[str]:
    """How many of those that would be active are right, by what confirms them."""
    sure: dict[str, list[tuple[float, Example]]] = {}
    for probability, one in found:
        scored = one["confirmed"] if probability >= LEAST else ""
        if by := one["confirmed_unscored"] or scored:
            sure.setdefault(f"{one['kind']}, {by}", []).append((probability, one))
    every = [each for part in sure.values() for each in part]
    for name, part in (*sorted(sure.items()), ("all", every)):
        wrong = sum(one["verdict"] == "wrong" for _, one in part)
        yield f"{name}: {len(part)}, good {_good(part)}, wrong {wrong / max(1, len(part)):.3f}"
    good, held = (sum(_is_good(one) for _, one in each) for each in (found, every))
    yield f"they are {held / max(1, good):.3f} of what is good among {len(found)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=Path)
    parser.add_argument("--figures", action="store_true")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--marks", action="store_true")
    asked = parser.parse_args()
    read = [json.loads(line) for line in asked.examples.read_text(encoding="utf-8").splitlines()]
    known = [one for one in read if one["use"] == "train"]
    if asked.figures:
        found = list(unseen(known))
        read_there = [each for each in found if each[1]["eye"] == WITH_DOCUMENT]
        print("\n".join((*told(found), "", "with the document open", *told(read_there))))
    elif asked.marks:
        print("\n".join(marks(list(unseen(known)))))
    elif asked.apart:
        apart = [one for one in read if one["use"] == "apart"]
        for eye in sorted({one["eye"] for one in apart}):
            own = [one for one in apart if one["eye"] == eye]
            print(f"{eye} reader", *told(judged(own, learned(known))), sep="\n")
    else:
        digest = hashlib.sha256(asked.examples.read_bytes()).hexdigest()
        about = {"made_by": "tests/reading/training/soundness.py", "examples_sha256": digest}
        write_weights(OUT, learned(known), about)


if __name__ == "__main__":
    main()
