"""A broker that is slow is waited for; one that is away ends the worker.

On a busy machine an answer takes longer than any request should. A worker that ends for it is
started again, which costs more than waiting and makes the machine busier: three restarts in an hour
were seen, with decisions that waited for minutes. Who is away refuses connections, or their host
does not answer; then the limit of an outage counts.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from infra.platform import kafka, log
from infra.platform.errors import BrokerUnavailable
from infra.platform.settings import Settings

SLOW_TIMES = 10  # as long as a request may take, a broker may be slow
FIRST_PAUSE_S, LAST_PAUSE_S = 0.5, 15.0

T = TypeVar("T")
LOG = log.get("worker")


class Slowness:
    """For how long the broker has not answered, and whether that is still bearable."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.answered()

    def answered(self) -> None:
        self._seen_s = time.monotonic()

    @property
    def silent_s(self) -> float:
        return time.monotonic() - self._seen_s

    async def is_bearable(self) -> bool:
        """Whether to go on waiting: a broker that is away has one request's time, a slow one ten"""
        limit_s = self._settings.request_timeout_s
        if self.silent_s <= limit_s:
            return True
        if self.silent_s > SLOW_TIMES * limit_s:
            return False
        if not await kafka.takes_connections(self._settings):
            return False
        LOG.warning("broker.slow", silent_s=round(self.silent_s))
        return True


async def outlast_slowness(settings: Settings, what: Callable[[], Awaitable[T]]) -> T:
    """The result of ``what``, tried again, less and less often, while the broker is only slow.

    Raises BrokerUnavailable.
    """
    slowness, pause_s = Slowness(settings), FIRST_PAUSE_S
    while True:
        try:
            return await what()
        except BrokerUnavailable:
            if not await slowness.is_bearable():
                raise
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LAST_PAUSE_S)
