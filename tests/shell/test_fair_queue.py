"""Stage 0's order: projects take turns, a source's revisions come one by one, nothing is lost."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from streams.shell.fair_queue import FairQueue, OneByOne


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(scenario())


async def handed_out(turns: FairQueue[str], count: int) -> list[str]:
    return [await turns.next() for _ in range(count)]


def test_lines_take_turns_and_keep_their_own_order() -> None:
    async def scenario() -> None:
        turns: FairQueue[str] = FairQueue()
        for number in range(4):
            turns.wait("backlog", f"b{number}")
        turns.wait("new", "n0")
        turns.wait("new", "n1")
        assert await handed_out(turns, 6) == ["b0", "n0", "b1", "n1", "b2", "b3"]

    run(scenario)


def test_a_consumer_of_an_empty_queue_waits_for_the_next_item() -> None:
    async def scenario() -> None:
        turns: FairQueue[str] = FairQueue()
        asking = asyncio.create_task(turns.next())
        await asyncio.sleep(0)
        assert not asking.done()
        turns.wait("p", "a")
        assert await asking == "a"

    run(scenario)


def test_what_was_revoked_is_forgotten() -> None:
    async def scenario() -> None:
        turns: FairQueue[str] = FairQueue()
        turns.wait("p", "a")
        turns.forget()
        turns.wait("p", "a again")
        assert await turns.next() == "a again"

    run(scenario)


def test_work_of_a_source_is_free_one_by_one_in_its_order() -> None:
    sources: OneByOne[str] = OneByOne()
    assert sources.is_free("src_1", "first")
    assert sources.is_free("src_2", "another")
    assert not sources.is_free("src_1", "second")
    assert not sources.is_free("src_1", "third")
    assert sources.settle("src_1") == "second"
    assert not sources.is_free("src_1", "fourth")
    assert [sources.settle("src_1") for _ in range(3)] == ["third", "fourth", None]
    assert sources.settle("src_2") is None
    assert sources.is_free("src_1", "fifth"), "nothing is remembered of a source without work"
    sources.forget()
    assert sources.is_free("src_1", "fifth again")
