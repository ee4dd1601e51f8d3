"""Has the agents of a turn ask the service that searches the web."""

from __future__ import annotations

from typing import Any

from agents.models.call import ChatModel
from agents.models.errors import ModelError
from agents.tools.ports import ToolRefused
from agents.tools.tool import ToolContext
from infra.service.models.research import search_web


async def ask_outside(model: ChatModel, context: ToolContext, query: str) -> list[dict[str, Any]]:
    """What others say on the question, each with its address. Raises ToolRefused."""
    try:
        return await search_web(
            model,
            query,
            project_id=context.project_id,
            agent="analyst",
            run_id=context.idempotency_key,
        )
    except ModelError as error:
        raise ToolRefused(f"Nothing was found outside: {error}", error.code) from error
