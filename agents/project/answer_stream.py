"""The answer of a model as whoever follows the run reads it: sentence by sentence, as it comes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from agents.models.call import ModelAnswer, Retracted, StreamPart
from agents.models.errors import AllProvidersFailed, ModelError
from agents.runs.effects import Effects
from agents.runs.streaming import AnswerText


@dataclass(slots=True)
class AnswerStream:
    """What is told of answers. ``is_open``: pieces were told of one that may not stay, also before
    a crash that broke the run off.
    """

    effects: Effects
    is_open: bool = False

    async def listen(self, pieces: AsyncGenerator[StreamPart, None]) -> ModelAnswer:
        """The whole answer. Raises ModelError; what was told before is taken back."""
        await self.take_back()
        try:
            return await self._tell(pieces)
        except ModelError:
            await self.take_back()
            raise

    async def take_back(self) -> None:
        """What was told of an answer that does not stay."""
        if self.is_open:
            self.is_open = False
            await self.effects.tell("token", {"text": "", "retracted": True})

    async def _tell(self, pieces: AsyncGenerator[StreamPart, None]) -> ModelAnswer:
        answer_text = AnswerText()
        async with aclosing(pieces) as parts:  # who stops listening ends the call
            async for part in parts:
                match part:
                    case ModelAnswer():
                        return part
                    case Retracted():
                        await self.take_back()
                        answer_text = AnswerText()
                    case piece:
                        if sentences := answer_text.take(piece):
                            self.is_open = True
                            await self.effects.tell("token", {"text": sentences})
        raise AllProvidersFailed("The answer has ended before it was whole.")
