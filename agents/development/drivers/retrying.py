"""Whether a failed attempt is made again, and after how long. Sleep and chance are handed in."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agents.development.drivers.failures import DriverFailed

IDLE_RETRIES = 1


@dataclass(frozen=True, slots=True)
class RetrySettings:
    max_retries: int = 3
    base_delay_s: float = 1.0
    max_delay_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """How a driver waits. ``chance`` draws from 0 to below 1, so that many do not ask at once."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


class Retries:
    """Counts the attempts of one request."""

    def __init__(self, settings: RetrySettings, waiting: Waiting) -> None:
        self._settings = settings
        self._waiting = waiting
        self._idle = 0
        self.count = 0

    def plan(self, failed: DriverFailed) -> float | None:
        """The seconds until the next attempt; None: there is none.

        A wait that the other side asks for is kept, unless it is longer than ours may be.
        """
        if not failed.is_retriable or self.count >= self._settings.max_retries:
            return None
        if failed.failure == "idle":
            if self._idle >= IDLE_RETRIES:
                return None
            self._idle += 1
        longest = self._settings.max_delay_s
        asked = failed.retry_after_s or 0.0
        if asked > longest:
            return None
        # Half of it by chance. A power above 2**30 is longer than any limit, and no float is.
        delay = min(self._settings.base_delay_s * 2.0 ** min(self.count, 30), longest)
        self.count += 1
        return max(asked, delay * (0.5 + 0.5 * self._waiting.chance()))

    async def wait(self, seconds: float) -> None:
        await self._waiting.sleep(seconds)

    def describe(self, failed: DriverFailed) -> str:
        """What people read before the next attempt."""
        most = self._settings.max_retries
        return (
            f"The model did not answer ({failed.failure}): {failed} Retry {self.count} of {most}."
        )
