"""How many records each stage has not read yet, as the broker knows it."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from infra.platform import log_positions
from infra.platform.errors import Unavailable
from infra.platform.log_positions import GroupLag
from infra.platform.settings import Settings
from infra.runtime.watchdog import movements

PATIENCE_S = 0.3  # from the question on; a page has much else to show
LONGEST_S = 30.0  # of a question; a broker on a busy machine is slow
FRESH_S = 2.0  # pages that follow a project ask again each second
KEPT_S = 30.0  # how old an answer may be that is shown while the next one is waited for


class Lag:
    """The lag for pages, which cannot wait for the broker.

    The broker is asked in the background and only while somebody looks; all pages share its answer.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._wanted, self._answered = asyncio.Event(), asyncio.Event()
        self._known: list[GroupLag] | None = None
        self._asked_at = self._told_at = float("-inf")

    async def read(self) -> list[GroupLag] | None:
        """The lag of every group; None when the broker has not told it in time.

        A slow broker is waited for by those who read first, not by each of them again.
        """
        now = time.monotonic()
        if now - self._told_at > FRESH_S:
            if not self._wanted.is_set():
                self._answered.clear()
                self._wanted.set()
                self._asked_at = now
            patience_s = self._asked_at + PATIENCE_S - now
            if patience_s > 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._answered.wait(), patience_s)
        return self._known if time.monotonic() - self._told_at < KEPT_S else None

    async def keep_asking(self) -> None:
        """Answer those who read, until cancelled."""
        while await self._wanted.wait():
            try:
                async with asyncio.timeout(LONGEST_S):
                    self._known = await read_lag(self._settings)
            except (Unavailable, TimeoutError):
                self._known = None
            self._told_at = time.monotonic()
            self._wanted.clear()
            self._answered.set()


async def read_lag(settings: Settings) -> list[GroupLag]:
    """Every group with its lag per topic, also where it has read nothing. Raises Unavailable."""
    reads = {group: each.read for group, each in movements(settings).items()}
    return await log_positions.lags(settings, reads)
