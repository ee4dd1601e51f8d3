"""How the nodes of a turn ask a model for data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.models.call import ChatModel, Message, ModelAnswer, ModelRequest, Tier
from agents.runs.effects import Json
from agents.runs.numbering import RunEffects


async def ask_for_data(
    model: ChatModel,
    effects: RunEffects,
    messages: Sequence[Message],
    schema: dict[str, Any],
    *,
    prompt_version: str,
    tier: Tier = "standard",
) -> ModelAnswer:
    """The answer of a model that satisfies ``schema``, recorded. Raises ModelError."""
    request = ModelRequest(
        tier=tier,
        prompt_version=prompt_version,
        messages=tuple(messages),
        answer_schema=schema,
        occurrence=f"{effects.node}|{effects.iteration}",
        project_id=effects.project_id,
        agent=effects.node,
        stage="chat",
        run_id=effects.run_id,
    )

    async def make() -> Json:
        return (await model.complete(request)).model_dump(mode="json")

    given = {"request": request.request_hash}
    return ModelAnswer.model_validate(await effects.run("model", given, make))
