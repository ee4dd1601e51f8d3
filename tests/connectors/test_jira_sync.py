"""A project at Jira is held as it stands there, over real HTTP, Cloud and Data Center."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from connectors.transport import AccessLost
from tests.connectors.jira_side import JiraSide, a_site
from tests.connectors.stand_ins.server import Fault

FLAVOURS = pytest.mark.parametrize("flavour", ["cloud", "data-center"])


def a_busy_one(side: JiraSide) -> str:
    """Issues of one moment, many comments, files."""
    at = side.server
    for number in range(7):
        at.open_issue(f"Export {number}", "The export *must* be resumable.")
    first = at.open_issue("Sessions", "h2. Why\nWe will keep sessions in Redis.")
    for number in range(8):
        at.comment(first, f"The timeout must be {number} minutes.")
    at.attach(first, "notes.md", b"We chose Redis.")
    at.attach(first, "screen.png", b"\x89PNG")
    at.wait(60)
    return first


@FLAVOURS
@pytest.mark.parametrize("page", [2, 3, 50])
def test_everything_of_a_project_is_held_as_it_stands(flavour: str, page: int) -> None:
    async def run() -> None:
        async with a_site(flavour) as side:
            side.page = page
            a_busy_one(side)
            assert (await side.sync()).reason is None
            assert side.broker.contents == side.standing()
            assert len(side.broker.contents) == 8 + 8 + 1

    asyncio.run(run())


@FLAVOURS
def test_a_second_sync_publishes_nothing_and_a_later_one_only_what_changed(flavour: str) -> None:
    async def run() -> None:
        async with a_site(flavour) as side:
            first = a_busy_one(side)
            await side.sync()
            assert (await side.sync()).counts.published == 0
            side.server.wait(4_000)
            side.server.comment(first, "We won't support Redis 5.")
            again = await side.sync()
            assert (again.counts.published, side.broker.contents) == (1, side.standing())

    asyncio.run(run())


def test_a_search_index_that_is_late_loses_nothing() -> None:
    async def run() -> None:
        async with a_site() as side:
            side.server.index_late = timedelta(seconds=90)
            side.server.open_issue("Seen late", "The export must be resumable.")
            side.server.wait(100)
            side.server.open_issue("Seen later", "The import must be resumable.")
            await side.sync()
            side.server.edit(next(iter(side.server.issues)), description="It is resumable.")
            side.server.wait(100)
            await side.sync()
            assert side.broker.contents == side.standing()

    asyncio.run(run())


def test_what_is_deleted_goes_with_the_census_and_nothing_else() -> None:
    async def run() -> None:
        async with a_site() as side:
            side.page = 3
            first = a_busy_one(side)
            await side.sync()
            side.server.delete_comment(first, side.server._comments(first)[1]["id"])
            side.server.delete_issue(next(iter(side.server.issues)))
            assert (await side.reconcile()).counts.removed == 2
            await side.sync()
            assert side.broker.contents == side.standing()

    asyncio.run(run())


@pytest.mark.parametrize("kind", ["sync", "census"])
def test_a_lost_permission_is_told_as_such_and_removes_nothing(kind: str) -> None:
    async def run() -> None:
        async with a_site() as side:
            a_busy_one(side)
            await side.sync()
            before = dict(side.broker.contents)
            side.server.may_browse = False
            outcome = await (side.sync() if kind == "sync" else side.reconcile())
            assert outcome.reason == "access_lost" and "SHOP" in outcome.error
            assert side.broker.contents == before

    asyncio.run(run())


def test_faults_in_between_are_waited_out() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    async def run() -> None:
        async with a_site(sleep=sleep) as side:
            a_busy_one(side)
            side.server.faults = [
                Fault(429, {"Retry-After": "7"}),
                Fault(502),
                Fault(0, drop=True),
            ]
            assert (await side.sync()).reason is None
            assert side.broker.contents == side.standing()
        assert any(seconds > 6 for seconds in waited)

    asyncio.run(run())


def test_no_word_of_an_issue_that_cannot_be_read_is_told() -> None:
    async def run() -> None:
        async with a_site() as side:
            key = side.server.open_issue("MARK", "MARK")
            side.server.issues[key]["fields"]["created"] = "MARK"
            outcome = await side.sync()
            assert outcome.reason == "unavailable"
            assert "MARK" not in outcome.error
            assert "MARK" not in str([fact.event for fact in side.broker.log])

    asyncio.run(run())


def test_an_unknown_credential_is_access_lost() -> None:
    async def run() -> None:
        async with a_site() as side:
            side.server.faults = [Fault(401)]
            with pytest.raises(AccessLost):
                await side.stream.jira.check()

    asyncio.run(run())
