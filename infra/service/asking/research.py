"""Asks the service that searches the web, as a model of a tier of its own: counted, within budgets
and recorded like any other.
"""

from __future__ import annotations

from typing import Any

from agents.models.call import ChatModel, Message, ModelRequest
from agents.models.errors import ModelError
from agents.tools.ports import ToolRefused
from agents.tools.tool import ToolContext

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


async def ask_outside(model: ChatModel, context: ToolContext, query: str) -> list[dict[str, Any]]:
    """What others say on the question, each with its address. Raises ToolRefused."""
    request = ModelRequest(
        tier="research",
        prompt_version=PROMPT_VERSION,
        messages=(
            Message(role="system", content=INSTRUCTIONS),
            Message(role="user", content=query),
        ),
        answer_schema=FINDINGS,
        project_id=context.project_id,
        agent="analyst",
        stage="agents",
        run_id=context.idempotency_key,
    )
    try:
        answer = await model.complete(request)
    except ModelError as error:
        raise ToolRefused(f"Nothing was found outside: {error}", error.code) from error
    return list(answer.data["findings"][:MOST_FINDINGS])
