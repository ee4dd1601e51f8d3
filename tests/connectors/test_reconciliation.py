"""What reconciliation believes, and what it requests a second time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from schemas.events.ingestion_request import SourcesListed
from tests.connectors.github_side import Side, a_server, standing
from tests.connectors.stand_ins.github import GitHubServer
from tests.connectors.stand_ins.server import Asked

Told = Callable[[Side, GitHubServer], Awaitable[None]]


def told(tell: Told, issues: int) -> None:
    async def run() -> None:
        async with a_server() as (server, transport):
            side = Side(transport, server.add("acme/shop"), per_page=10)
            for number in range(issues):
                side.repository.wait(1)
                side.repository.open_issue(f"Issue {number}", "The gateway must answer in time.")
            await tell(side, server)

    asyncio.run(run())


def test_what_a_shifting_list_passes_over_is_looked_for_and_stays() -> None:
    async def tell(side: Side, server: GitHubServer) -> None:
        await side.sync("issues")

        def delete_the_first(asked: Asked) -> None:
            if asked.query.get("sort") == "created" and asked.query.get("page") == "2":
                server.before_each = lambda asked: None
                side.repository.delete_issue(1)

        server.before_each = delete_the_first
        [outcome] = await side.reconcile("issues")
        assert outcome.counts.removed == 0  # number 1 was seen before it went, number 11 never
        looked = [each.path for each in server.asked if each.path.endswith("/issues/11")]
        assert len(looked) == 1
        await side.reconcile("issues")
        assert side.broker.contents == standing(side.repository)

    told(tell, 25)


def test_access_lost_after_the_walk_is_not_taken_for_what_it_passed_over() -> None:
    async def tell(side: Side, server: GitHubServer) -> None:
        await side.sync("issues")
        held = dict(side.broker.contents)

        def shift_and_deny(asked: Asked) -> None:
            if asked.query.get("sort") == "created" and asked.query.get("page") == "2":
                side.repository.delete_issue(1)
            if asked.path.endswith("/issues/11"):
                server.denied["issues"] = 404

        server.before_each = shift_and_deny
        [outcome] = await side.reconcile("issues")
        assert outcome.reason == "not_found"
        assert side.broker.contents == held

    told(tell, 25)


def test_what_stands_and_is_not_held_is_read() -> None:
    async def tell(side: Side, server: GitHubServer) -> None:
        await side.sync("issues")
        lost = sorted(side.broker.contents)[:3]
        for source in lost:
            del side.broker.contents[source]
        side.broker.show()
        [outcome] = await side.reconcile("issues")
        assert outcome.counts.published == 3
        assert side.broker.contents == standing(side.repository)

    told(tell, 12)


def test_of_much_that_is_missing_the_list_is_read_anew() -> None:
    async def tell(side: Side, server: GitHubServer) -> None:
        await side.reconcile("issues")
        assert side.broker.contents == standing(side.repository)
        one_by_one = [each for each in server.asked if "/issues/" in each.path]
        assert one_by_one == []

    told(tell, 230)


def test_a_census_names_what_goes_and_not_what_stays() -> None:
    async def tell(side: Side, server: GitHubServer) -> None:
        await side.sync("issues")
        before = len(side.broker.events(SourcesListed))
        side.repository.delete_issue(4)
        await side.reconcile("issues", accept_removals=False)
        listings = side.broker.events(SourcesListed)[before:]
        assert [(len(each.sources), len(each.removed)) for each in listings] == [(0, 1)]
        assert side.broker.contents == standing(side.repository)

    told(tell, 20)
