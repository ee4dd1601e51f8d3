"""Authorises requests where services do it alike: by a token, renewed or not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta

from connectors.transport import Authorise, Secret
from infra.platform.clock import Clock

RENEWED_BEFORE = timedelta(minutes=5)

# Returns a new token and when it expires; raises what its transport raises.
Renew = Callable[[], Awaitable[tuple[Secret, datetime]]]


def bearer(token: Secret) -> Authorise:
    """A token that lasts, or that somebody else renews."""

    async def authorise() -> Mapping[str, str]:
        return {"Authorization": f"Bearer {token.reveal()}"}

    return authorise


class Renewed:
    """A token from ``renew``, requested again five minutes before it expires."""

    def __init__(self, renew: Renew, clock: Clock) -> None:
        self._renew, self._clock = renew, clock
        self._held: tuple[Secret, datetime] | None = None

    async def __call__(self) -> Mapping[str, str]:
        if self._held is None or self._held[1] - RENEWED_BEFORE <= self._clock.now():
            self._held = await self._renew()
        return await bearer(self._held[0])()
