"""What every connected service keeps to, over real HTTP against its stand-in.

A service takes part by a line in STANDS.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

import pytest

from connectors.rate_limits import Budget
from connectors.sync import Engine, Outcome, Stream
from tests.connectors.memory_broker import MemoryBroker
from tests.connectors.stand_ins.github_stand import github_stand
from tests.connectors.stand_ins.jira_stand import jira_cloud_stand, jira_data_center_stand
from tests.connectors.stand_ins.slack_stand import slack_stand
from tests.connectors.stand_ins.stand import MakeStand, Stand

STANDS: tuple[MakeStand, ...] = (
    github_stand,
    jira_cloud_stand,
    jira_data_center_stand,
    slack_stand,
)
PAGE = 2
Law = Callable[[Stand, MemoryBroker], Awaitable[None]]


def kept(make: MakeStand, law: Law) -> None:
    async def run() -> None:
        async with make() as stand:
            await law(stand, MemoryBroker())

    asyncio.run(run())


def each(stand: Stand, broker: MemoryBroker) -> list[tuple[Engine, Stream]]:
    engine = broker.engine("con_1", stand.service, Budget())
    return [(engine, stream) for stream in stand.streams(broker, PAGE)]


async def synced(stand: Stand, broker: MemoryBroker) -> list[Outcome]:
    return [await engine.sync(stream) for engine, stream in each(stand, broker)]


async def is_reconcilable(
    stand: Stand, broker: MemoryBroker, *, accept: bool = True
) -> list[Outcome]:
    return [
        await engine.reconcile(stream, accept_removals=accept)
        for engine, stream in each(stand, broker)
        if stream.is_reconcilable
    ]


def furnished(stand: Stand) -> list[str]:
    """Some items, several of one second, more than a page of them, with replies."""
    handles = []
    for number in range(7):
        stand.wait(0 if number in (2, 3, 4, 5) else 90)
        handle = stand.create(f"The gateway must answer request {number} within 200 ms.")
        handles += [handle, stand.reply(handle, f"We will use Redis for store {number}.")]
    stand.wait(300)
    return handles


@pytest.mark.parametrize("make", STANDS)
def test_all_there_is_is_held_as_it_stands(make: MakeStand) -> None:
    async def law(stand: Stand, broker: MemoryBroker) -> None:
        furnished(stand)
        assert {each.reason for each in await synced(stand, broker)} == {None}
        assert broker.contents == stand.standing()
        assert broker.in_vain == 0

    kept(make, law)


@pytest.mark.parametrize("make", STANDS)
def test_without_changes_nothing_is_published_and_all_asked_under_condition(
    make: MakeStand,
) -> None:
    async def law(stand: Stand, broker: MemoryBroker) -> None:
        furnished(stand)
        await synced(stand, broker)
        stand.conditional()
        answered = dict(broker.answered)
        outcomes = await synced(stand, broker)
        asked = stand.conditional()
        assert asked is None or all(asked)
        assert broker.answered == answered
        assert sum(each.counts.published for each in outcomes) == 0

    kept(make, law)


@pytest.mark.parametrize("make", STANDS)
def test_edits_and_late_replies_are_seen(make: MakeStand) -> None:
    async def law(stand: Stand, broker: MemoryBroker) -> None:
        handles = furnished(stand)
        await synced(stand, broker)
        stand.wait(400_000)
        stand.edit(handles[1], "We will use Postgres after all.")
        stand.edit(handles[0], "The gateway must answer within 300 ms.")
        stand.reply(handles[2], "A late word.")
        await synced(stand, broker)
        assert broker.contents == stand.standing()

    kept(make, law)


@pytest.mark.parametrize("make", STANDS)
def test_what_is_deleted_goes_with_a_census(make: MakeStand) -> None:
    async def law(stand: Stand, broker: MemoryBroker) -> None:
        handles = furnished(stand)
        await synced(stand, broker)
        stand.delete(handles[1])
        stand.delete(handles[4])
        await synced(stand, broker)
        await is_reconcilable(stand, broker)
        assert broker.contents == stand.standing()

    kept(make, law)


@pytest.mark.parametrize("make", STANDS)
def test_a_census_that_would_remove_much_is_held_back(make: MakeStand) -> None:
    async def law(stand: Stand, broker: MemoryBroker) -> None:
        handles = furnished(stand)
        await synced(stand, broker)
        before = dict(broker.contents)
        for handle in handles[::2][:3]:
            stand.delete(handle)
        await is_reconcilable(stand, broker, accept=False)
        assert broker.contents == before
        assert broker.held_back
        await is_reconcilable(stand, broker, accept=True)
        assert broker.contents == stand.standing()

    kept(make, law)


@pytest.mark.parametrize("make", STANDS)
def test_lost_access_is_a_failure_with_a_name_and_removes_nothing(make: MakeStand) -> None:
    async def law(stand: Stand, broker: MemoryBroker) -> None:
        furnished(stand)
        await synced(stand, broker)
        before = dict(broker.contents)
        stand.deny()
        reasons = {each.reason for each in await synced(stand, broker)}
        reasons |= {each.reason for each in await is_reconcilable(stand, broker)}
        assert reasons & {"access_lost", "not_found"}
        assert reasons <= {"access_lost", "not_found", None}
        assert broker.contents == before
        told = [fact.event.type_name for fact in broker.log]
        assert "connector.sync_failed" in told

    kept(make, law)


@pytest.mark.parametrize("make", STANDS)
@pytest.mark.parametrize("loss", ["deny", "revoke"])
@pytest.mark.parametrize("read", [synced, is_reconcilable])
def test_access_lost_before_any_request_is_told_and_removes_nothing_that_stands(
    make: MakeStand, loss: str, read: Callable[[Stand, MemoryBroker], Awaitable[list[Outcome]]]
) -> None:
    async def law(stand: Stand, broker: MemoryBroker, requests: int) -> bool:
        handles = furnished(stand)
        await synced(stand, broker)
        stand.delete(handles[-1])
        stand.wait(1)
        stand.edit(handles[2], "The gateway must answer within 300 ms.")
        left = requests

        def count() -> None:
            nonlocal left
            left -= 1
            if left == -1:
                getattr(stand, loss)()

        stand.before_each = count
        reasons = {each.reason for each in await read(stand, broker)}
        lost = left < 0
        if lost:  # on the way, or after the last request that it would have mattered for
            reasons |= {each.reason for each in await read(stand, broker)}
            assert reasons & {"access_lost", "not_found"}
        assert reasons <= {"access_lost", "not_found", None}
        assert set(stand.standing()) <= set(broker.contents)
        return lost

    async def run() -> None:
        requests = 0
        while True:
            async with make() as stand:
                if not await law(stand, MemoryBroker(), requests):
                    break
            requests += 1
        assert requests > 3

    asyncio.run(run())


@pytest.mark.parametrize("make", STANDS)
@pytest.mark.parametrize("status", [500, 503, 429, 0])
def test_a_sync_survives_temporary_errors(make: MakeStand, status: int) -> None:
    async def law(stand: Stand, broker: MemoryBroker) -> None:
        furnished(stand)
        stand.fail(status, {"Retry-After": "1"}, 3)
        assert {each.reason for each in await synced(stand, broker)} == {None}
        assert broker.contents == stand.standing()

    kept(make, law)


@pytest.mark.parametrize("make", STANDS)
def test_a_sync_cut_off_before_any_request_goes_on_where_it_was(make: MakeStand) -> None:
    async def law(stand: Stand, broker: MemoryBroker) -> None:
        furnished(stand)
        for number in range(6):
            stand.wait(90)
            stand.create(f"The store must keep invoice {number} for 11 years.")
        whole = await asked_by_a_sync(stand, MemoryBroker())
        cut = 0
        while await asked_by_a_sync(stand, broker, at_most=cut) is None:
            cut += 1
        assert whole is not None
        assert 5 < cut < whole - 1  # begun anew each time, it would need them all at once
        assert broker.contents == stand.standing()
        assert broker.in_vain == 0

    kept(make, law)


@pytest.mark.parametrize("make", STANDS)
def test_what_changes_during_the_walk_is_held_after_the_next(make: MakeStand) -> None:
    async def law(stand: Stand, broker: MemoryBroker) -> None:
        handles = furnished(stand)
        left = list(range(30))

        def changes() -> None:
            if left:
                number = left.pop()
                handle = handles[number % len(handles)]
                stand.wait(number % 3)
                stand.edit(handle, f"It was changed the {number}th time, to be {number} ms.")

        stand.before_each = changes
        await synced(stand, broker)
        stand.before_each = lambda: None
        await synced(stand, broker)
        assert broker.contents == stand.standing()

    kept(make, law)


async def asked_by_a_sync(
    stand: Stand, broker: MemoryBroker, at_most: float = math.inf
) -> int | None:
    """The requests a sync took to its end; None when it was cut off, after ``at_most`` of them."""
    asked = 0
    task = asyncio.ensure_future(synced(stand, broker))

    def count() -> None:
        nonlocal asked
        asked += 1
        if asked > at_most:
            task.cancel()

    stand.before_each = count
    try:
        await task
    except asyncio.CancelledError:
        return None
    finally:
        stand.before_each = lambda: None
    return asked
