"""Asks the service that searches the web, as a model of a tier of its own: counted, within budgets
and recorded like any other.
"""

from __future__ import annotations

from typing import Any

from agents.models.call import ChatModel, Message, ModelRequest

PROMPT_VERSION = "research-1"
MOST_FINDINGS = 10
INSTRUCTIONS = (
    "Search the web for what the question asks. Answer with at most 10 findings, each one or two"
    " sentences with the address of the page that says it."
)
FINDING = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "minLength": 1},
        "address": {"type": "string", "pattern": "^https?://"},
    },
    "required": ["text", "address"],
    "additionalProperties": False,
}
FINDINGS = {
    "type": "object",
    "properties": {"findings": {"type": "array", "items": FINDING}},
    "required": ["findings"],
    "additionalProperties": False,
}


async def search_web(
    model: ChatModel,
    query: str,
    *,
    project_id: str,
    agent: str,
    run_id: str | None,
    workflow_id: str | None = None,
) -> list[dict[str, Any]]:
    """What others say on the question, each with its address. Raises ModelError."""
    request = ModelRequest(
        tier="research",
        prompt_version=PROMPT_VERSION,
        messages=(
            Message(role="system", content=INSTRUCTIONS),
            Message(role="user", content=query),
        ),
        answer_schema=FINDINGS,
        project_id=project_id,
        agent=agent,
        stage="agents",
        run_id=run_id,
        workflow_id=workflow_id,
    )
    answer = await model.complete(request)
    return list(answer.data["findings"][:MOST_FINDINGS])
