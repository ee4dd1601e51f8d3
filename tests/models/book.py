"""Keeps in memory what the loop over providers tells of its calls."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from agents.models.call import ModelAnswer, ModelRequest, Usage
from agents.models.watch import Attempt, Outcome

COST_USD = 0.01  # of each call that was paid


@dataclass
class Book:
    """``opened`` and ``closed`` are by the id of a call; a call that is closed twice fails."""

    answers: dict[str, ModelAnswer] = field(default_factory=dict)
    opened: dict[str, tuple[Attempt, Usage]] = field(default_factory=dict)
    closed: dict[str, Outcome] = field(default_factory=dict)
    is_slow: asyncio.Event | None = None  # reservations wait for it
    is_broken: bool = False  # it is told how a call ended, and then fails

    async def find(self, request: ModelRequest) -> ModelAnswer | None:
        return self.answers.get(request.request_hash)

    async def reserve(self, attempt: Attempt, estimate: Usage) -> str:
        if self.is_slow is not None:
            await self.is_slow.wait()
        call_id = f"call-{len(self.opened) + 1}"
        self.opened[call_id] = (attempt, estimate)
        return call_id

    async def settle(self, call_id: str, attempt: Attempt, outcome: Outcome) -> float | None:
        await asyncio.sleep(0)  # as a database would
        assert call_id not in self.closed
        assert self.opened[call_id][0] == attempt
        self.closed[call_id] = outcome
        if self.is_broken:
            raise RuntimeError("the book is broken")
        return COST_USD if outcome.usage != Usage() else 0.0

    async def record(self, request: ModelRequest, answer: ModelAnswer) -> None:
        self.answers[request.request_hash] = answer

    @property
    def attempts(self) -> list[Attempt]:
        return [attempt for attempt, _ in self.opened.values()]

    @property
    def results(self) -> list[str]:
        """How the calls ended; each that was opened is closed."""
        assert self.opened.keys() == self.closed.keys()
        return [self.closed[call_id].result for call_id in self.opened]
