"""Limits the bodies of deliveries that come in: how many, per address, how long, how many bytes.

At a limit one that is not complete gives way: the oldest, or the largest. So slow senders lose
their place to others, also behind a proxy, where all senders have one address.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from connectors.webhooks.payload import MAX_BODY_BYTES
from connectors.webhooks.receiver import RefusalReason

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """``bodies_bytes`` is the sum of the bodies that come in or are worked on."""

    bodies: int = 512
    per_address: int = 128
    body_within_s: float = 10.0
    bodies_bytes: int = 64 * MIB
    at_once: int = 64  # deliveries that are worked on


class BodyRefused(Exception):
    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(reason)
        self.reason: RefusalReason = reason


@dataclass(eq=False, slots=True)
class Body:
    """The body of one delivery. ``is_whole``: all of it has come."""

    address: str
    parts: list[bytes] = field(default_factory=list)
    held_bytes: int = 0
    is_whole: bool = False
    reading: asyncio.Task[None] | None = None
    gave_way: bool = False


class Bodies:
    """The bodies that come in or are worked on, oldest first."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._open: dict[Body, None] = {}

    def open(self, address: str) -> Body:
        """A body that counts until `close`; others give way where there are too many."""
        body = Body(address)
        self._open[body] = None
        here = [each for each in self._open if each.address == address]
        self._give_way(here, self._limits.per_address)
        self._give_way(list(self._open), self._limits.bodies)
        return body

    def close(self, body: Body) -> None:
        self._open.pop(body, None)

    async def read(self, body: Body, parts: AsyncIterator[bytes]) -> bytes:
        """All of it. Raises BodyRefused, and what ``parts`` raises."""
        if body.gave_way:
            raise BodyRefused("busy")
        body.reading = asyncio.ensure_future(self._collect(body, parts))
        try:
            async with asyncio.timeout(self._limits.body_within_s):
                await body.reading
        except TimeoutError:
            raise BodyRefused("slow") from None
        except asyncio.CancelledError:
            if not body.gave_way:
                raise
            raise BodyRefused("busy") from None
        body.is_whole = True
        return b"".join(body.parts)

    async def _collect(self, body: Body, parts: AsyncIterator[bytes]) -> None:
        async for part in parts:
            body.parts.append(part)
            body.held_bytes += len(part)
            if body.held_bytes > MAX_BODY_BYTES:
                raise BodyRefused("oversized")
            self._make_room(body)

    def _make_room(self, body: Body) -> None:
        """Raises BodyRefused when it is this one that has to give way."""
        while sum(each.held_bytes for each in self._open) > self._limits.bodies_bytes:
            unfinished = (each for each in self._open if not each.is_whole)
            largest = max(unfinished, key=lambda each: each.held_bytes)
            if largest is body:
                raise BodyRefused("busy")
            self._end(largest)

    def _give_way(self, bodies: list[Body], most: int) -> None:
        unfinished = [each for each in bodies if not each.is_whole]
        for each in unfinished[: max(0, len(bodies) - most)]:
            self._end(each)

    def _end(self, body: Body) -> None:
        self.close(body)
        body.gave_way = True
        if body.reading:
            body.reading.cancel()
