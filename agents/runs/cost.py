"""What the answers of models in the log of a run have cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls of models that were answered, with the tokens of both ways."""

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
    usage = answer.get("usage") or {}
    tokens = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
    return Cost(1, answer.get("tokens", tokens), answer.get("cost_usd") or 0.0)
