"""How long to wait before a provider is asked again, and work that outlives its caller."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Clock:
    """Where the loop over providers has its times from."""

    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


def read_retry_after(header: str | None, now: datetime) -> float | None:
    """The seconds that the header asks to wait, from a number or a date; None: it asks nothing."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        seconds = _seconds_until(header, now)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _seconds_until(header: str, now: datetime) -> float:
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return math.nan
    return ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()


async def finish(work: Coroutine[Any, Any, T]) -> T:
    """What ``work`` returns. It also ends when the caller is cancelled meanwhile; then that is
    raised.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await wait_for_end(task)
        raise


async def wait_for_end(task: asyncio.Future[Any]) -> None:
    """Return when ``task`` has ended, however often the caller is cancelled; raise nothing."""
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait((task,))
    if not task.cancelled():
        task.exception()  # read, so that the loop does not report it as overlooked
