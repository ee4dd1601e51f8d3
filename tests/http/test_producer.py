"""One producer serves all requests of a process; another one takes the place of a broken one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from infra.platform.errors import BrokerUnavailable
from infra.platform.settings import Settings
from infra.service.foundation.producer import OneProducer, one_producer, producer_of
from schemas.envelope import Envelope


class Broker:
    """A broker that can be away, and what was opened to it."""

    def __init__(self) -> None:
        self.opened = self.closed = self.sent = 0
        self.is_away = False
        self.holds = asyncio.Event()
        self.holds.set()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[object]:
        self.opened += 1

        async def send(facts: Sequence[Envelope]) -> None:
            await self.holds.wait()
            if self.is_away:
                raise BrokerUnavailable("away")
            self.sent += 1

        yield send
        self.closed += 1


def test_requests_at_once_share_one_producer_that_is_closed_at_the_end():
    async def main() -> Broker:
        broker, settings = Broker(), Settings()
        async with one_producer(settings, broker.open):  # type: ignore[arg-type]
            producer = producer_of(settings)
            assert producer and producer_of(settings.model_copy(update={"partitions": 7})) is None
            await asyncio.gather(*(producer.send([]) for _ in range(20)))
            assert await asyncio.to_thread(lambda: asyncio.run(_known(settings))) is None
        assert producer_of(settings) is None
        return broker

    broker = asyncio.run(main())
    assert (broker.opened, broker.sent, broker.closed) == (1, 20, 1)


def test_a_broken_producer_is_replaced_and_closed_when_nobody_uses_it():
    async def main() -> Broker:
        broker = Broker()
        producer = OneProducer(broker.open)  # type: ignore[arg-type]
        broker.is_away = True
        broker.holds.clear()
        at_once = [asyncio.ensure_future(producer.send([])) for _ in range(3)]
        await asyncio.sleep(0)
        broker.holds.set()
        for each in at_once:
            with pytest.raises(BrokerUnavailable):
                await each
        broker.is_away = False
        await producer.send([])
        await producer.close()
        return broker

    broker = asyncio.run(main())
    assert (broker.opened, broker.sent, broker.closed) == (2, 1, 2)


async def _known(settings: Settings) -> OneProducer | None:
    return producer_of(settings)
