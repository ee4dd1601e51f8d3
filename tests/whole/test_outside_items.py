"""Items of services through all stages: a change outside is one source's change in the ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agents.reader import ReadRequest
from connectors.feeder import FeedOrder
from connectors.publishing import ItemPublisher, publish_items, publish_removals
from connectors.service_items import DeletedItem, ServiceItem
from schemas.envelope import Actor, Envelope
from streams.memory import Driver
from streams.pipeline import pipeline
from tests.connectors.memory_broker import MemoryBroker
from tests.connectors.redactors import REDACTOR
from tests.connectors.remarks import NOON, ROOT, a_comment, gone
from tests.whole.changing import READER, Project
from tests.worlds import PROJECT

LIMIT = "The gateway must answer every scan request of a depot within {} ms."


class ConnectedProject(Project):
    """A project whose facts come from a service."""

    def __init__(self) -> None:
        super().__init__()
        self.driver = Driver(
            pipeline(lambda request, chunk: READER.read(ReadRequest(request, chunk))),
            decrypt=lambda key_id, content: content[::-1],
        )
        self.broker = MemoryBroker()
        self._deliveries = 0

    def told(self, *items: ServiceItem | DeletedItem) -> ConnectedProject:
        asyncio.run(publish_items(items, self.order(), self.publisher()))
        self.driver.run()
        return self

    def publisher(self) -> ItemPublisher:
        known = self.broker.publisher()

        async def publish(envelopes: Sequence[Envelope]) -> None:
            await known.publish(envelopes)
            self.driver.publish(envelopes)

        return ItemPublisher(
            publish, known.encrypt, known.find_stored, known.list_stored, known.window, REDACTOR
        )

    def order(self) -> FeedOrder:
        self._deliveries += 1
        actor = Actor(type="connector", id="github")
        return FeedOrder(PROJECT, f"d{self._deliveries}", actor, NOON, lanes=("deep",))

    def bodies(self) -> set[str]:
        return {atom.body for atom in self.live.values()}


def a_remark(number: int, body: str, minutes: int = 0) -> ServiceItem:
    return a_comment(number, body, minutes, about="Limits of the gateway")


def said(project: ConnectedProject, words: str) -> bool:
    return any(words in body for body in project.bodies())


def some(count: int) -> list[ServiceItem]:
    return [
        a_remark(n, f"We decided to use the store named S{n} for every parcel of depot {n}.")
        for n in range(count)
    ]


def test_an_edit_outside_replaces_what_was_said() -> None:
    project = ConnectedProject().told(a_remark(100, LIMIT.format(200)), *some(9))
    assert said(project, "200 ms")
    project.told(a_remark(100, LIMIT.format(300), minutes=5))
    assert said(project, "300 ms")
    assert not said(project, "200 ms")


def test_a_revision_that_comes_too_late_changes_nothing() -> None:
    project = ConnectedProject()
    project.broker.lags = lambda: True  # so that it is published and stage 0 has to say no
    project.told(a_remark(100, LIMIT.format(300), minutes=5), *some(9))
    before = project.live
    project.told(a_remark(100, LIMIT.format(200)))
    assert project.live == before
    assert len(project.stops) == 2


def test_what_is_deleted_outside_is_said_by_nobody_any_more_and_may_come_back() -> None:
    project = ConnectedProject().told(a_remark(100, LIMIT.format(200)), a_remark(101, "Thanks!"))
    project.told(gone(100))
    assert not said(project, "200 ms")
    project.told(a_remark(100, LIMIT.format(200), minutes=90))
    assert said(project, "200 ms")


def test_a_census_that_would_remove_much_waits_for_a_person() -> None:
    project = ConnectedProject().told(a_remark(100, LIMIT.format(200)), *some(3))
    sources = asyncio.run(project.broker.list_stored(PROJECT, ROOT))
    asyncio.run(publish_removals(ROOT, sources[:2], project.order(), project.publisher()))
    project.driver.run()
    assert said(project, "200 ms")
    assert len(project.stops[-1].removals_held) == 2
