"""Better words for what rules have found: a model writes sentences over numbered facts, and each
one has to name the facts that it rests on.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.fence import FENCE_RULE, fence
from agents.models.call import Message
from agents.models.errors import ModelError
from agents.project.asking import ask_for_data
from agents.project.specialist import SpecialistContext
from agents.runs.cost import read_cost

PROMPT_VERSION = "wording-2"
MOST_FACTS = 50
INSTRUCTIONS = (
    """\
You write a short summary for a product manager over numbered facts of a software project. Use \
only the facts. Each sentence names the numbers of the facts that it rests on. Write no markdown. \
"""
    + FENCE_RULE
)


class WordedSentence(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: str = Field(min_length=1, max_length=600)
    facts: list[int] = Field(min_length=1)


class WordedSummary(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sentences: list[WordedSentence] = Field(min_length=1, max_length=8)


async def word_summary(specialist: SpecialistContext, facts: Sequence[str], by_rule: str) -> str:
    """The summary in a model's words; ``by_rule`` where no model is there or its words rest on
    nothing.
    """
    if specialist.model is None or not facts:
        return by_rule
    shown = facts[:MOST_FACTS]
    numbered = "\n".join(f"{number}. {fact}" for number, fact in enumerate(shown, start=1))
    question = f"Question: {specialist.task or specialist.request}"
    messages = [
        Message(role="system", content=INSTRUCTIONS),
        Message(role="user", content=f"{question}\nFacts:\n{fence(numbered)}"),
    ]
    schema = WordedSummary.model_json_schema()
    try:
        answer = await ask_for_data(
            specialist.model, specialist.effects, messages, schema, prompt_version=PROMPT_VERSION
        )
        summary = WordedSummary.model_validate(answer.data)
    except (ModelError, ValidationError):
        return by_rule
    specialist.cost += read_cost(answer.model_dump())
    kept = [sentence.text.strip() for sentence in summary.sentences if _rests(sentence, len(shown))]
    specialist.used_model = bool(kept)
    return " ".join(kept) or by_rule


def _rests(sentence: WordedSentence, count: int) -> bool:
    return all(1 <= number <= count for number in sentence.facts)
