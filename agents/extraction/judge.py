"""Asks a strong model which pairs of statements contradict each other, many pairs in one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from agents.fence import FENCE_RULE, fence, show_line
from agents.models.answers import read_answer
from agents.models.call import ChatModel, Message, ModelAnswer, ModelRequest
from schemas.events.judgement import JudgedSeverity, PairToJudge
from schemas.model_reading import JUDGE_TIER, PairOpinion

JUDGE_PROMPT_VERSION = "p1"
MAX_EXPLANATION = 300
TOKENS_PER_PAIR = 120
OUTPUT_TOKENS = 400  # besides

INSTRUCTIONS = "\n".join(
    (
        "You compare statements that were taken from a software team's sources.",
        "",
        FENCE_RULE,
        "",
        "For each numbered pair say:",
        "- `conflict`: true only when both statements speak of the same thing, at the same time"
        " and under the same conditions, and cannot both hold. Different parts, versions,"
        " environments or times, a rule and its exception, and a plan and today's state are no"
        " conflict.",
        "- `severity`: `high` when a team that follows both cannot build or run the product,"
        " `medium` when somebody has to decide, `low` otherwise.",
        "- `explanation`: one sentence that names the words that exclude each other, or why both"
        " can hold.",
        "",
        "Judge each pair by its own lines alone. Answer for every pair by its number, with one"
        " JSON object and nothing else.",
    )
)


class NumberedOpinion(BaseModel):
    """The opinion on the pair with this number in the question."""

    model_config = ConfigDict(frozen=True)

    pair: int
    conflict: bool
    severity: JudgedSeverity
    explanation: str


class Opinions(BaseModel):
    model_config = ConfigDict(frozen=True)

    pairs: list[NumberedOpinion]


JUDGEMENT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "pairs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pair": {"type": "integer"},
                    "conflict": {"type": "boolean"},
                    "severity": {"enum": ["low", "medium", "high"]},
                    "explanation": {"type": "string"},
                },
                "required": ["pair", "conflict", "severity", "explanation"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["pairs"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Payer:
    """Who pays for the question, and for which run."""

    project_id: str
    run_id: str
    correlation_id: str | None = None


async def ask_about_pairs(
    pairs: Sequence[PairToJudge], payer: Payer, model: ChatModel
) -> tuple[ModelAnswer, list[PairOpinion | None]]:
    """The answer, and the opinion on each pair in order; None where it left one out. Raises
    ModelError.
    """
    answer = await model.complete(question_about(pairs, payer))
    parsed = read_answer(answer, Opinions)
    held: dict[int, PairOpinion] = {}
    for each in parsed.pairs:
        held.setdefault(each.pair, _opinion(each))
    return answer, [held.get(number) for number in range(1, len(pairs) + 1)]


def question_about(pairs: Sequence[PairToJudge], payer: Payer) -> ModelRequest:
    shown = "\n\n".join(
        f"Pair {number}:\n{fence(chr(10).join(_show_pair(pair)))}"
        for number, pair in enumerate(pairs, 1)
    )
    return ModelRequest(
        tier=JUDGE_TIER,
        prompt_version=JUDGE_PROMPT_VERSION,
        messages=(
            Message(role="system", content=INSTRUCTIONS),
            Message(role="user", content=shown),
        ),
        answer_schema=JUDGEMENT_SCHEMA,
        max_output_tokens=OUTPUT_TOKENS + TOKENS_PER_PAIR * len(pairs),
        project_id=payer.project_id,
        agent="judge",
        stage="judge",
        run_id=payer.run_id,
        correlation_id=payer.correlation_id,
    )


def _show_pair(pair: PairToJudge) -> Iterator[str]:
    for name, side in (("a", pair.a), ("b", pair.b)):
        yield show_line(f"{name} {side.kind}", side.title)
        if side.body != side.title:
            yield show_line(f"{name} body", side.body)
        if side.quote and side.quote not in (side.title, side.body):
            yield show_line(f"{name} quote", side.quote)


def _opinion(each: NumberedOpinion) -> PairOpinion:
    explanation = " ".join(each.explanation.split())[:MAX_EXPLANATION]
    return PairOpinion(each.conflict, each.severity, explanation)
