"""What the answers of models in the log of a run have cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls of models, also those that failed, with the tokens of both ways."""

    model_calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.model_calls + other.model_calls,
            self.tokens + other.tokens,
            self.cost_usd + other.cost_usd,
        )


def read_cost(answer: Mapping[str, Any]) -> Cost:
    """The cost of one recorded answer of a model; it says so itself, or holds the usage."""
    value = answer.get("usage")
    usage = value if isinstance(value, Mapping) else {}
    tokens = _number(usage.get("input_tokens")) + _number(usage.get("output_tokens"))
    return Cost(1, int(_number(answer.get("tokens", tokens))), _number(answer.get("cost_usd")))


def _number(value: Any) -> float:
    """A fork may have put anything in the place of a number that was not known."""
    return value if isinstance(value, (int, float)) and math.isfinite(value) else 0
