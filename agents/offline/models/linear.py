"""The trained half of the reader: linear weights over signs, added as whole numbers.

Rules and weights err on different kinds, so both are asked (``statements.py``). The weights are
whole numbers: a sum has no order, every machine gets the same. All labels' weights of one sign
are packed into one number, a lane each, so that a sign costs one addition. Trained by
``tests/reading/training``; decided against a larger model, because a reader of the ledger should
wait for no download and a sum can be explained sign by sign.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources

LANE_BITS = 24  # room for 400 signs of 15 bits
_LANE, _HALF = (1 << LANE_BITS) - 1, 1 << (LANE_BITS - 1)


@dataclass(frozen=True, slots=True)
class Weights:
    """``packed`` holds a sign's weights for all ``labels``; ``quality`` those of a quality sign."""

    labels: tuple[str, ...]
    scale: int
    bias: tuple[int, ...]
    packed: Mapping[str, int]
    quality: Mapping[str, int] = field(default_factory=dict)
    quality_bias: int = 0

    def shares(self, signs: Iterable[str]) -> dict[str, float]:
        """The share of each label among texts like this; together 1, each to four digits."""
        known = self.packed
        total = sum([known[sign] for sign in signs if sign in known])
        sums = [one + bias for one, bias in zip(self._lanes(total), self.bias, strict=True)]
        most = max(sums)
        powers = [math.exp((one - most) / self.scale) for one in sums]
        whole = math.fsum(powers)
        return {
            label: round(power / whole, 4) for label, power in zip(self.labels, powers, strict=True)
        }

    def non_functional(self, signs: Iterable[str]) -> bool:
        """Whether a requirement with these quality signs says how well, not what."""
        return self.quality_bias + sum([self.quality[sign] for sign in signs]) > 0

    def _lanes(self, total: int) -> list[int]:
        found = []
        for _ in self.labels:
            lane = ((total + _HALF) & _LANE) - _HALF
            found.append(lane)
            total = (total - lane) >> LANE_BITS
        return found


def packed(weights: Iterable[int]) -> int:
    """Weights in their order as one number, the first in the lowest lane."""
    return sum(weight << (LANE_BITS * lane) for lane, weight in enumerate(weights))


@functools.cache
def trained() -> Weights:
    """What a statement is, by statements that somebody labelled."""
    return _read("statements.json")


@functools.cache
def placement() -> Weights:
    """Under which kind of heading authors put a text; ``plain`` is under none that tells."""
    return _read("placement.json")


def _read(name: str) -> Weights:
    read = json.loads(resources.files("agents.offline.models").joinpath(name).read_bytes())
    return Weights(
        labels=tuple(read["labels"]),
        scale=read["scale"],
        bias=tuple(read["bias"]),
        packed={sign: packed(weights) for sign, weights in read["signs"].items()},
        quality=read.get("quality", {}),
        quality_bias=read.get("quality_bias", 0),
    )
