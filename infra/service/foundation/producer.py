"""One producer for all that a process publishes, since opening one costs more than most requests.

It is opened when it is first needed, and anew after anything went wrong with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from infra.platform.errors import BrokerUnavailable
from infra.platform.log import get
from infra.platform.settings import Settings
from schemas.envelope import Envelope

ANSWERS_WITHIN_S = 10.0  # also while the broker is away: a request does not wait for its return

Send = Callable[[Sequence[Envelope]], Awaitable[None]]
OpenSend = Callable[[], AbstractAsyncContextManager[Send]]

log = get("producer")


@dataclass(slots=True)
class _Opened:
    """An open producer, and how many use it now."""

    context: AbstractAsyncContextManager[Send]
    send: Send
    users: int = 0


class OneProducer:
    """Publishes over the one producer of its loop."""

    def __init__(self, open_send: OpenSend) -> None:
        self._open_send = open_send
        self.loop = asyncio.get_running_loop()
        self._opening = asyncio.Lock()
        self._opened: _Opened | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def send(self, facts: Sequence[Envelope]) -> None:
        """Return when the broker has acknowledged all ``facts``. Raises BrokerUnavailable."""
        opened = await self._take()
        try:
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                await opened.send(facts)
        except Exception as error:
            if self._opened is opened:
                self._opened = None
            if isinstance(error, TimeoutError):
                raise BrokerUnavailable(
                    f"The broker has not answered within {ANSWERS_WITHIN_S:.0f} s."
                ) from error
            raise
        finally:
            opened.users -= 1
            if self._opened is not opened and not opened.users:
                self._close_later(opened)

    async def close(self) -> None:
        """Nothing may be sent any more."""
        if opened := self._opened:
            self._opened = None
            self._close_later(opened)
        if self._closing:
            await asyncio.wait(self._closing, timeout=ANSWERS_WITHIN_S)

    async def _take(self) -> _Opened:
        async with self._opening:
            if self._opened is None:
                context = self._open_send()
                self._opened = _Opened(context, await context.__aenter__())
            self._opened.users += 1
            return self._opened

    def _close_later(self, opened: _Opened) -> None:
        """Closing waits for the broker, and nobody waits for closing."""
        task = asyncio.create_task(_close(opened))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _close(opened: _Opened) -> None:
    try:
        await opened.context.__aexit__(None, None, None)
    except BrokerUnavailable as error:
        log.warning("producer.closed_without_broker", reason=str(error))


_OF_SETTINGS: dict[Settings, OneProducer] = {}


@asynccontextmanager
async def one_producer(settings: Settings, open_send: OpenSend) -> AsyncIterator[None]:
    """What is published with ``settings`` during the block goes over one producer."""
    producer = _OF_SETTINGS[settings] = OneProducer(open_send)
    try:
        yield
    finally:
        del _OF_SETTINGS[settings]
        await producer.close()


def producer_of(settings: Settings) -> OneProducer | None:
    """The one producer for ``settings`` in the running loop, if there is one."""
    producer = _OF_SETTINGS.get(settings)
    return producer if producer and producer.loop is asyncio.get_running_loop() else None
