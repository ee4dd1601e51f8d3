"""Limit how fast one token, or one address without a token, may ask.

A bucket for each: it holds ``burst`` requests and fills at ``per_s``. They are kept in memory, so
each server counts for itself.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.http.auth import caller_of
from infra.http.connections import network_of
from infra.http.problems import TooManyRequests

BURST_S = 2.0  # of its rate a caller may ask at once
STRANGERS_PER_S = 20.0
OPEN_S = 0.5  # of its rate a caller may have unanswered
LEAST_OPEN = 16
UNLIMITED = "/v1/webhooks/"  # services send in bursts, and not again; a delivery has its own limits
MOST_KNOWN = 10_000  # buckets; the longest unused is forgotten first


@dataclass(slots=True)
class _Bucket:
    left: float
    at_s: float


class Rates:
    """Who has asked how often."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def take(self, name: str, per_s: float) -> bool:
        """Whether ``name`` may ask once more now."""
        now, burst = self._now(), max(1.0, per_s * BURST_S)
        bucket = self._buckets.setdefault(name, _Bucket(burst, now))
        self._buckets.move_to_end(name)
        while len(self._buckets) > MOST_KNOWN:
            self._buckets.popitem(last=False)
        bucket.left = min(burst, bucket.left + (now - bucket.at_s) * per_s)
        bucket.at_s = now
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True


class LimitOpen:
    """Refuse the requests of a caller who has too many that are not answered yet.

    A request counts until its answer begins: live streams would count for ever, and who does not
    read what is sent is given up by the server. So may nobody take all turns at the tables.
    """

    def __init__(self, app: ASGIApp, per_s: float) -> None:
        self._app, self._per_s = app, per_s
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(UNLIMITED):
            await self._app(scope, receive, send)
            return
        name, per_s = _asking(scope, self._per_s)
        most = max(LEAST_OPEN, int(per_s * OPEN_S))
        if self._open[name] >= most:
            raise TooManyRequests(
                f"{most} requests are not answered yet: wait for one of them, then try again.",
                code="too_many_open",
            )
        self._open[name] += 1
        counts = True

        def release() -> None:
            nonlocal counts
            if counts:
                counts = False
                self._open[name] -= 1
                if not self._open[name]:
                    del self._open[name]

        async def tell(message: Message) -> None:
            if message["type"] == "http.response.start":
                release()
            await send(message)

        try:
            await self._app(scope, receive, tell)
        finally:
            release()


class LimitRate:
    """Refuse the requests of a caller above its rate."""

    def __init__(self, app: ASGIApp, per_s: float) -> None:
        self._app, self._per_s = app, per_s
        self._rates = Rates()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(UNLIMITED):
            name, per_s = _asking(scope, self._per_s)
            if not self._rates.take(name, per_s):
                raise TooManyRequests(
                    f"At most {per_s:g} requests a second are answered: slow down, then try again."
                )
        await self._app(scope, receive, send)


def _asking(scope: Scope, per_s: float) -> tuple[str, float]:
    """Who asks, a token or an address, and how often it may."""
    if caller := caller_of(scope):
        return caller.token_id, per_s
    address = str((scope.get("client") or ("unknown",))[0])
    return f"address {network_of(address)}", min(STRANGERS_PER_S, per_s)
