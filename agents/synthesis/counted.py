"""A model that tells of all its answers: what they cost counts whatever comes of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from agents.models.call import ChatModel, ModelAnswer, ModelRequest, StreamPart


@dataclass(frozen=True, slots=True)
class CountedModel:
    """See ``agents.models.call.ChatModel``; ``count`` hears of each answer as it comes."""

    model: ChatModel
    count: Callable[[ModelAnswer], None]

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        answer = await self.model.complete(request)
        self.count(answer)
        return answer

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamPart, None]:
        async for part in self.model.stream(request):
            if isinstance(part, ModelAnswer):
                self.count(part)
            yield part
