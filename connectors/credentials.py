"""How a request proves who we are, where services do it alike: a token, renewed or not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta

from connectors.transport import Authorise, Secret
from infra.clock import Clock

RENEWED_BEFORE = timedelta(minutes=5)

# A new token, and when it ends; raises what its transport does.
Renew = Callable[[], Awaitable[tuple[Secret, datetime]]]


def bearer(token: Secret) -> Authorise:
    """A token that lasts, or that somebody else renews."""

    async def authorise() -> Mapping[str, str]:
        return {"Authorization": f"Bearer {token.reveal()}"}

    return authorise


class Renewed:
    """A token that ``renew`` gives, asked for anew five minutes before it ends."""

    def __init__(self, renew: Renew, clock: Clock) -> None:
        self._renew, self._clock = renew, clock
        self._held: tuple[Secret, datetime] | None = None

    async def __call__(self) -> Mapping[str, str]:
        if self._held is None or self._held[1] - RENEWED_BEFORE <= self._clock.now():
            self._held = await self._renew()
        return await bearer(self._held[0])()
