"""A model that answers by a list, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from agents.models.call import ModelAnswer, ModelRequest, StreamPart, Usage


class ScriptedModel:
    """Each step is a text, or an object that is the parsed answer. It answers a request that it
    has answered before as it has then, without a step.
    """

    def __init__(self, *steps: str | dict[str, Any]) -> None:
        self._steps: Sequence[str | dict[str, Any]] = steps
        self.requests: list[ModelRequest] = []
        self._kept: dict[str, ModelAnswer] = {}

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        if (kept := self._kept.get(request.request_hash)) is not None:
            return kept
        step = self._steps[len(self.requests)]
        self.requests.append(request)
        answer = ModelAnswer(
            call_id=f"llm_{len(self.requests)}",
            request_hash=request.request_hash,
            text=step if isinstance(step, str) else json.dumps(step),
            data=None if isinstance(step, str) else step,
            provider="scripted",
            model="large",
            usage=Usage(input_tokens=100, output_tokens=10),
        )
        self._kept[request.request_hash] = answer
        return answer

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        raise NotImplementedError("nobody streams here")
