"""Stage 0 gives way to previews: when, for how long, and that it goes on. Time stands still."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from streams.shell.preview_first import (
    BEGINS_WITHIN_S,
    FIRST_SOURCES,
    GIVE_WAY_S,
    RECENT_S,
    REMEMBERED_TRIGGERS,
    PreviewFirst,
)


class Still(asyncio.SelectorEventLoop):
    """A loop whose clock moves only when it is told to."""

    now = 1_000.0

    def time(self) -> float:
        return self.now


def run(scenario: Callable[[Still], Coroutine[Any, Any, None]]) -> None:
    loop = Still()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(scenario(loop))


async def waits(first: PreviewFirst, trigger: str = "t1") -> bool:
    """Whether a source of the trigger waits; it is not waited for."""
    task = asyncio.create_task(first.give_way(trigger))
    for _ in range(3):
        await asyncio.sleep(0)
    done = task.done()
    task.cancel()
    return not done


def test_stage_0_waits_while_a_preview_is_read_and_shortly_after() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        assert not await waits(first)
        first.begun()
        first.begun()
        assert await waits(first)
        first.ended()
        loop.now += RECENT_S
        assert await waits(first), "one of two is still being read"
        first.ended()
        assert await waits(first), "the next batch is expected"
        loop.now += RECENT_S
        assert not await waits(first)

    run(scenario)


def test_a_source_waits_a_moment_and_goes_on_though_the_preview_does_too() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        first.begun()
        task = asyncio.create_task(first.give_way("t1"))
        await asyncio.sleep(0)
        loop.now += GIVE_WAY_S
        await task

    run(scenario)


def test_a_trigger_that_has_just_begun_lets_its_preview_go_first() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        assert [await waits(first) for _ in range(FIRST_SOURCES)] == [False] * FIRST_SOURCES
        assert await waits(first)
        assert not await waits(first, "t2"), "each trigger counts for itself"
        loop.now += BEGINS_WITHIN_S
        assert not await waits(first)

    run(scenario)


def test_triggers_of_long_ago_are_forgotten() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        for _ in range(FIRST_SOURCES):
            await waits(first)
        for number in range(REMEMBERED_TRIGGERS):
            await waits(first, f"other {number}")
        assert not await waits(first), "it counts from one again"

    run(scenario)
