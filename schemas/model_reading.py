"""What who asks a model shares with who decides what becomes of its answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from schemas.events.atom import Verdict
from schemas.events.ingestion_request import RunLane
from schemas.events.judgement import JudgedSeverity
from schemas.inflection import count

ReadingTier = Literal["fast", "standard", "strong"]

MAP_TIERS: dict[RunLane, ReadingTier] = {"preview": "fast", "deep": "standard"}
ADJUDICATE_TIERS: dict[RunLane, ReadingTier] = {"preview": "fast", "deep": "strong"}
JUDGE_TIER: ReadingTier = "strong"
COST_DECIMALS = 9
NOBODY_ASKED = "all_providers_failed"  # why rules have read for a model that could not be asked
CAUSES = {  # why rules have read for a model, in words
    "model_answer_cut": "its answer was cut at its length",
    "model_answer_declined": "it declined to answer",
    "model_answer_empty": "its answer was empty",
    "model_answer_malformed": "its answer was malformed",
    "model_request_refused": "the provider refused the request",
    "budget_exceeded": "the budget is spent",
    NOBODY_ASKED: "no provider answered",
}


def describe_owed(owed: Mapping[str, int]) -> str:
    """The chunks that rules have read for a model, and why; empty for none."""
    if not owed:
        return ""
    causes = "; ".join(f"{CAUSES.get(code, code)} ({number:,})" for code, number in owed.items())
    chunks = count(sum(owed.values()), "chunk")
    return f"{chunks} read by rules instead of the model because {causes}"


class Opinion(BaseModel):
    """What a model says of one candidate."""

    model_config = ConfigDict(frozen=True)

    verdict: Verdict
    confidence: float
    rationale: str


@dataclass(frozen=True, slots=True)
class PairOpinion:
    """What a model says of one pair of statements."""

    conflict: bool
    severity: JudgedSeverity
    explanation: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls of a model used, whether their answers were of use or not."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            round(self.cost_usd + other.cost_usd, COST_DECIMALS),
        )


@dataclass(frozen=True, slots=True)
class Adviser:
    """Who gave opinions, and what that cost."""

    provider: str
    model: str
    prompt_version: str
    spent: Spent
