"""Calls of a model that are under way, and whether there is anybody to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import TypeVar

from agents.models.errors import AllProvidersFailed, BudgetExceeded, ModelError, is_nobody_there
from infra.platform import log

# Of all attempts with all providers; each of those has a limit of its own (CAIRN_MODEL_TIMEOUT_S).
CALL_TIMEOUT_S = 300.0
AWAY_S = 30.0  # nobody is asked again for so long after nobody could be, nor for a spent budget
LOOK_EVERY_S = 1.0
MOST_USELESS = 6  # results in a row that bring nothing, until nobody is asked for a while

LOG = log.get("model_calls")
T = TypeVar("T")
Whose = tuple[str, str]  # project, run: budgets are of the one or the other


@dataclass(frozen=True, slots=True)
class Stop:
    """Why nobody is asked until a time of the loop."""

    error: ModelError
    until: float


@dataclass
class Calls:
    """Calls under way: their number, their time, and whether there is anybody to ask."""

    at_once: int
    timeout_s: float = CALL_TIMEOUT_S
    work: int = 0
    _useless: int = 0  # results in a row that brought nothing
    _stopped: dict[Whose | None, Stop] = field(default_factory=dict)  # None: everybody
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def why_not(self, whose: Whose) -> ModelError | None:
        """Why nobody is asked for them now; None: they may ask."""
        now = asyncio.get_running_loop().time()
        stops = (self._stopped.get(None), self._stopped.get(whose))
        return next((it.error for it in stops if it and it.until > now), None)

    def note(self, error: ModelError, whose: Whose, *, is_useless: bool = True) -> None:
        """While nobody is there, a whole corpus does not wait for each time-out; a run without
        budget does not stop others. What was refused for itself stops nobody, unless too many are
        in a row: then the model is not well.
        """
        self._useless = self._useless + 1 if is_useless else 0
        if is_nobody_there(error) or (
            self._useless >= MOST_USELESS and not isinstance(error, BudgetExceeded)
        ):
            self._stop(None, error)
            LOG.warning("model.outage", code=error.code)
        elif isinstance(error, BudgetExceeded):
            self._stop(whose, error)
            LOG.warning("model.budget_exceeded", project_id=whose[0], run_id=whose[1])

    def note_use(self) -> None:
        """An answer was of use."""
        self._useless = 0

    def note_timeout(self, whose: Whose) -> AllProvidersFailed:
        """Who has not answered in all this time is away."""
        error = AllProvidersFailed(f"No answer within {self.timeout_s:g} s.")
        self.note(error, whose)
        return error

    def _stop(self, whose: Whose | None, error: ModelError) -> None:
        now = asyncio.get_running_loop().time()
        kept = {known: stop for known, stop in self._stopped.items() if stop.until > now}
        self._stopped = kept | {whose: Stop(error, now + AWAY_S)}

    @property
    def is_full(self) -> bool:
        return len(self._tasks) >= self.at_once

    def start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def watch(self, asking: Coroutine[None, None, T]) -> T:
        """What the call returns or raises, within its time. Raises TimeoutError."""
        call = asyncio.create_task(asking)
        try:
            async with asyncio.timeout(self.timeout_s):
                while not call.done():
                    await asyncio.wait({call}, timeout=LOOK_EVERY_S)
                    self.work += 1
            return call.result()
        finally:
            call.cancel()

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
