"""Limit how fast one token, or one address without a token, may ask.

A bucket for each: it holds ``burst`` requests and fills at ``per_s``. They are kept in memory, so
each server counts for itself.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from infra.http.auth import caller_of
from infra.http.problems import TooManyRequests

BURST_S = 2.0  # of its rate a caller may ask at once
STRANGERS_PER_S = 20.0
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


class LimitRate:
    """Refuse the requests of a caller above its rate."""

    def __init__(self, app: ASGIApp, per_s: float) -> None:
        self._app, self._per_s = app, per_s
        self._rates = Rates()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(UNLIMITED):
            caller = caller_of(scope)
            address = (scope.get("client") or ("unknown",))[0]
            name = caller.token_id if caller else f"address {address}"
            per_s = self._per_s if caller else min(STRANGERS_PER_S, self._per_s)
            if not self._rates.take(name, per_s):
                raise TooManyRequests(
                    f"At most {per_s:g} requests a second are answered: slow down, then try again."
                )
        await self._app(scope, receive, send)
