"""What the stands of Jira and Slack share: one stream, and requests that know no conditions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import Generic, Protocol, TypeVar

from connectors.sync import Stream
from tests.connectors.memory_broker import MemoryBroker
from tests.connectors.stand_ins.server import Fault, Server


class OneStream(Protocol):
    """Our side of a service with one stream; ``page`` is how many rows are asked for at once."""

    page: int

    @property
    def stream(self) -> Stream: ...

    def standing(self) -> dict[str, bytes]: ...


A = TypeVar("A", bound=Server)


class Unconditional(Generic[A]):
    """See ``Stand``; ``at`` is the service."""

    def __init__(self, side: OneStream, at: A) -> None:
        self.before_each: Callable[[], None] = lambda: None
        self._side, self._at = side, at
        at.before_each = lambda asked: self.before_each()

    def streams(self, broker: MemoryBroker, page_size: int) -> list[Stream]:
        self._side.page = page_size
        return [self._side.stream]

    def fail(self, status: int, headers: Mapping[str, str], times: int) -> None:
        self._at.faults += [Fault(status, dict(headers), drop=status == 0)] * times

    def revoke(self) -> None:
        self._at.revoked = True

    def conditional(self) -> Collection[bool] | None:
        return None

    def standing(self) -> dict[str, bytes]:
        return self._side.standing()


async def at_once(seconds: float) -> None:
    await asyncio.sleep(0)
