"""Our side against the stand-in for Jira, and what should be held."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from connectors.credentials import bearer
from connectors.jira.api import Flavour, Jira
from connectors.jira.items import attachment_item, items_of, readable_attachments
from connectors.jira.streams import Issues
from connectors.publishing import source_id_of
from connectors.rate_limits import Budget
from connectors.rendering import render
from connectors.sync import Engine, Outcome
from connectors.transport import Secret, Transport
from tests.connectors.hooks import Row
from tests.connectors.memory_broker import PROJECT, MemoryBroker
from tests.connectors.stand_ins.jira import JiraServer

SITE = "acme"


@dataclass
class JiraSide:
    server: JiraServer
    transport: Transport
    page: int = 50
    reads_restricted: bool = True
    broker: MemoryBroker = field(default_factory=MemoryBroker)

    @property
    def stream(self) -> Issues:
        flavour: Flavour = "cloud" if self.server.flavour == "cloud" else "data-center"
        jira = Jira(self.server.project, self.transport, flavour, SITE, self.page)
        return Issues(jira, self.reads_restricted)

    def engine(self) -> Engine:
        return self.broker.engine("con_jira", "jira", self.transport.budget)

    async def sync(self) -> Outcome:
        return await self.engine().sync(self.stream)

    async def reconcile(self) -> Outcome:
        return await self.engine().reconcile(self.stream, accept_removals=True)

    def standing(self) -> dict[str, bytes]:
        """What should be held: each issue, comment and readable attachment, by source."""
        items = [item for issue in self.server.issues.values() for item in items_of(SITE, issue)]
        for issue in self.server.issues.values():
            for each in readable_attachments(issue):
                items.append(attachment_item(SITE, issue, each, self.server.files[each["id"]]))
        return {source_id_of(PROJECT, item): render(item) for item in items}

    def rows(self) -> dict[str, Row]:
        """What stands on the site, with the deliveries Jira sends of it."""
        found: dict[str, Row] = {}
        for key, issue in self.server.issues.items():
            found[key] = Row(issue, told("jira:issue", issue=issue))
            named = {"id": issue["id"], "key": key, "fields": {"summary": _summary(issue)}}
            for comment in issue["fields"]["comment"]["comments"]:
                said = told("comment", issue=named, comment=comment)
                found[f"{key}/{comment['id']}"] = Row(comment, said, key)
        return found


def told(what: str, **payload: Any) -> Callable[[str], tuple[str, dict[str, Any]]]:
    words = {"edited": "updated"}
    return lambda word: (f"{what}_{words.get(word, word)}", payload)


def _summary(issue: dict[str, Any]) -> str:
    return str(issue["fields"]["summary"])


@asynccontextmanager
async def a_site(flavour: str = "cloud", **options: Any) -> AsyncIterator[JiraSide]:
    """A running stand-in, and our side of it."""
    async with JiraServer(flavour=flavour).running() as server:
        budget, authorise = Budget(percent=100), bearer(Secret("jira-stand-in"))
        async with Transport(server.url, authorise, budget, **options) as transport:
            yield JiraSide(server, transport)
