"""Two questions that people ask often, as instructions to a model that has the tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcp_types import (
    GetPromptResult,
    ListPromptsResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from infra.mcp.text import cut
from infra.platform.errors import Invalid, NotFound

LONGEST = 300  # tokens of what a person fills in
CITE = (
    " Cite path:line and the id of each statement you use. Say which are drafts, replaced or"
    " contradicted, and say so if the ledger does not cover it."
)


@dataclass(frozen=True, slots=True)
class Question:
    """``asks`` has a place for what a person fills in."""

    name: str
    title: str
    argument: str
    meaning: str
    asks: str


QUESTIONS = {
    question.name: question
    for question in (
        Question(
            "what_did_we_decide",
            "What did we decide about …",
            "topic",
            "What the decision is about.",
            "What did we decide about this: {}? Call search with kinds [decision], then without"
            " kinds, and get_atom for each decision that fits, to see whether it still holds."
            + CITE,
        ),
        Question(
            "what_contradicts",
            "What contradicts …",
            "statement",
            "A statement, decision or plan.",
            "What contradicts this: {}? Call contradictions, and search for the statement and for"
            " its opposite. Show both sides with their quotes." + CITE,
        ),
    )
}


def list_prompts() -> ListPromptsResult:
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=each.name,
                title=each.title,
                arguments=[
                    PromptArgument(name=each.argument, description=each.meaning, required=True)
                ],
            )
            for each in QUESTIONS.values()
        ]
    )


def get_prompt(name: str, given: Mapping[str, str]) -> GetPromptResult:
    """Raises NotFound for another name, Invalid without what it asks about."""
    question = QUESTIONS.get(name)
    if question is None:
        raise NotFound(f"There is no such prompt: there are {', '.join(QUESTIONS)}.")
    about = cut(given.get(question.argument, ""), LONGEST)
    if not about:
        raise Invalid(f"{name} cannot be asked so: {question.argument} is missing.")
    return GetPromptResult(
        description=question.title,
        messages=[
            PromptMessage(role="user", content=TextContent(text=question.asks.format(about)))
        ],
    )
