"""What histories with crashes share, whatever the service: when it changes, and when we die."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Awaitable
from dataclasses import dataclass

from tests.connectors.hooks import Hooks

HISTORIES = int(os.environ.get("CAIRN_TEST_HISTORIES", "60"))
PATIENCE = 60  # syncs until a history must have come to rest


class Crash(BaseException):
    """What a kill leaves of a sync."""


@dataclass
class History:
    """How a service changes, and when we are killed: between two requests, or two records.

    With ``hooks`` every change is told, too; then each is at a time of its own, for of two that
    share one a delivery does not say which was later.
    """

    chance: random.Random
    steps: int = 12
    crashes: int = 3
    until_crash: int = 0
    syncing: asyncio.Future[object] | None = None
    hooks: Hooks | None = None

    def happen(self) -> None:
        """Something is done at the service."""
        raise NotImplementedError

    def _step(self) -> None:
        self.steps -= 1
        self.happen()
        if self.hooks:
            self.hooks.notice()

    def between_requests(self) -> None:
        while self.steps and self.chance.random() < 0.15:
            self._step()
        if self._is_time() and self.syncing:
            self.syncing.cancel()

    def between_records(self) -> None:
        if self._is_time():
            raise Crash

    def _is_time(self) -> bool:
        if not self.until_crash:
            return False
        self.until_crash -= 1
        return self.until_crash == 0

    def plan_crash(self) -> None:
        self.until_crash = 0
        if self.crashes and self.chance.random() < 0.7:
            self.crashes -= 1
            self.until_crash = self.chance.randrange(1, 60)

    async def hear(self) -> None:
        """Deliveries arrive, until we are killed."""
        if self.hooks:
            await self.ends(self.hooks.arrive())

    async def ends(self, sync: Awaitable[object]) -> bool:
        """Whether the sync came to its end before it was killed."""
        self.syncing = asyncio.ensure_future(sync)
        try:
            await self.syncing
        except (Crash, asyncio.CancelledError):
            return False
        finally:
            self.syncing = None
        return True

    @property
    def is_over(self) -> bool:
        return not self.steps and not self.crashes

    def go_on(self) -> None:
        """One more step between two syncs."""
        if self.steps:
            self._step()
