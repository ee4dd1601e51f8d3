"""Our side against the stand-in for Slack, and what should be held."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from connectors.credentials import bearer
from connectors.publishing import source_id_of
from connectors.rate_limits import Budget
from connectors.rendering import render
from connectors.slack.api import Slack
from connectors.slack.items import Channel, message_of, thread_item
from connectors.slack.people import People
from connectors.slack.streams import Threads, Workspace
from connectors.sync import Engine, Outcome
from connectors.testimony import risk_of
from connectors.transport import Secret, Transport
from tests.connectors.memory_broker import PROJECT, MemoryBroker
from tests.connectors.stand_ins.slack import MEMBERS, SlackServer

CHANNEL = Channel("T1", "C1", "shop")


def pseudonym(member_id: str) -> str:
    return f"p_{member_id.lower()}"


def admits(words: str) -> bool:
    return risk_of(words).risk_class == "none"


@dataclass
class ServersClock:
    """The stand-in's time, a little later at each look: answers have an order."""

    server: SlackServer
    looks: int = 0

    def now(self) -> datetime:
        self.looks += 1
        return self.server.now + timedelta(milliseconds=self.looks)


@dataclass
class SlackSide:
    server: SlackServer
    transport: Transport
    page: int = 200
    window: timedelta = timedelta(days=3)
    broker: MemoryBroker = field(default_factory=MemoryBroker)
    told: list[dict[str, Any]] = field(default_factory=list)
    clock: ServersClock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = ServersClock(self.server)

    @property
    def stream(self) -> Threads:
        async def testify(channel: Channel, messages: list[dict[str, Any]]) -> None:
            self.told += messages

        slack = Slack(self.transport, self.page)
        workspace = Workspace(slack, pseudonym, admits, self.clock, testify)
        return Threads(CHANNEL, workspace, self.window)

    def engine(self) -> Engine:
        return self.broker.engine("con_slack", "slack", self.transport.budget, self.clock)

    async def sync(self) -> Outcome:
        return await self.engine().sync(self.stream)

    async def reconcile(self) -> Outcome:
        return await self.engine().reconcile(self.stream, accept_removals=True)

    def standing(self) -> dict[str, bytes]:
        """What should be held: each thread somebody may read, by source."""
        people = People(MEMBERS, pseudonym)
        found = {}
        for ts in self.server.roots():
            said = [message for row in self.server.thread(ts) if (message := message_of(row))]
            item = thread_item(CHANNEL, said, people, as_of=self.server.now, admits=admits)
            if item:
                found[source_id_of(PROJECT, item)] = render(item)
        return found


@asynccontextmanager
async def a_workspace(**options: Any) -> AsyncIterator[SlackSide]:
    """A running stand-in, and our side of it."""
    async with SlackServer().running() as server:
        budget, authorise = Budget(percent=100), bearer(Secret("xoxb-stand-in"))
        async with Transport(server.url, authorise, budget, **options) as transport:
            yield SlackSide(server, transport)
