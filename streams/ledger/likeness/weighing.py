"""A weighed sum of features as a figure from 0 to 1, with weights that were learnt and committed.

``pair_weights.json`` is written by ``python -m tests.ledger.train_pairs`` and says from
which rows. The intercept is moved so that 0.5 is the border that served best.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

DECIMALS = 6
WEIGHTS_PATH = Path(__file__).with_name("pair_weights.json")


class Weights(NamedTuple):
    intercept: float
    of: tuple[float, ...]


def weigh(features: Sequence[float], weights: Weights) -> float:
    """The logistic of the weighed sum; the sum is exact, so its order does not matter."""
    terms = (value * weight for value, weight in zip(features, weights.of, strict=True))
    return logistic(math.fsum((weights.intercept, *terms)))


def logistic(total: float) -> float:
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), DECIMALS)


def load_weights(name: str) -> Weights:
    """The committed weights of one model: ``statement``, ``ticket`` or ``contrast``."""
    held = json.loads(WEIGHTS_PATH.read_text(encoding="utf-8"))["models"][name]
    return Weights(held["intercept"], tuple(held["weights"]))
