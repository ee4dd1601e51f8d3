"""Linear models: weights over features, added as whole numbers.

A sum of whole numbers has no order, so every machine gets the same. All labels' weights of one
feature are packed into one number, a lane each, so that a feature costs one addition. Trained by
``tests/reading/training`` and ``tests/reduce/training``; decided against a larger model, because
nobody should wait for a download and a sum can be explained feature by feature.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

LANE_BITS = 24  # room for 400 features of 15 bits
_LANE, _HALF = (1 << LANE_BITS) - 1, 1 << (LANE_BITS - 1)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of features for all ``labels``, and of those of quality for one more answer."""

    labels: tuple[str, ...]
    scale: int
    bias: tuple[int, ...]
    packed: Mapping[str, int]
    quality: Mapping[str, int] = field(default_factory=dict)
    quality_bias: int = 0

    def probabilities(self, features: Iterable[str]) -> dict[str, float]:
        """The probability of each label among texts like this; together 1, each to four digits."""
        packed = self.packed
        total = sum([packed[feature] for feature in features if feature in packed])
        sums = [value + bias for value, bias in zip(self._lanes(total), self.bias, strict=True)]
        most = max(sums)
        powers = [math.exp((value - most) / self.scale) for value in sums]
        whole = math.fsum(powers)
        return {
            label: round(power / whole, 4) for label, power in zip(self.labels, powers, strict=True)
        }

    def non_functional(self, features: Iterable[str]) -> bool:
        """Whether a requirement with these quality features says how well, not what."""
        return self.quality_bias + sum([self.quality[feature] for feature in features]) > 0

    def _lanes(self, total: int) -> list[int]:
        lanes = []
        for _ in self.labels:
            lane = ((total + _HALF) & _LANE) - _HALF
            lanes.append(lane)
            total = (total - lane) >> LANE_BITS
        return lanes


@dataclass(frozen=True, slots=True)
class Odds:
    """What each feature adds to the log odds of one answer, times ``scale``."""

    scale: int
    bias: int
    weights: Mapping[str, int]

    def probability(self, features: Iterable[str]) -> float:
        """The probability of the answer, to four digits."""
        weights = self.weights
        total = self.bias + sum([weights[feature] for feature in features if feature in weights])
        return round(1.0 / (1.0 + math.exp(-total / self.scale)), 4)


def pack(weights: Iterable[int]) -> int:
    """Weights in their order as one number, the first in the lowest lane."""
    return sum(weight << (LANE_BITS * lane) for lane, weight in enumerate(weights))


def read_model(package: str, name: str) -> dict[str, Any]:
    """The content of the file ``name`` beside the modules of ``package``."""
    content: dict[str, Any] = json.loads(
        gzip.decompress(resources.files(package).joinpath(f"{name}.json.gz").read_bytes())
    )
    return content


def read_weights(content: Mapping[str, Any]) -> Weights:
    """The weights that a file holds: of each feature one number a label."""
    return Weights(
        labels=tuple(content["labels"]),
        scale=content["scale"],
        bias=tuple(content["bias"]),
        packed={feature: pack(weights) for feature, weights in content["features"].items()},
        quality=content.get("quality", {}),
        quality_bias=content.get("quality_bias", 0),
    )


def read_odds(content: Mapping[str, Any]) -> Odds:
    """The odds that a file holds: of each feature one number."""
    return Odds(content["scale"], content["bias"], content["features"])
