"""Stage 0 and deep reading give way to previews: when, for how long, and that they go on. Time
stands still."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from streams.shell.preview_first import (
    BEGINS_WITHIN_S,
    DEEP_GIVES_WAY_S,
    EXPECTED_S,
    FIRST_SOURCES,
    GIVE_WAY_S,
    RECENT_S,
    REMEMBERED_TRIGGERS,
    SHARED_S,
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


async def waits(first: PreviewFirst, trigger: str = "t1", project: str = "p") -> bool:
    """Whether a source of the trigger waits; it is not waited for."""
    return await lasts(first.give_way(project, trigger))


async def lasts(wait: Coroutine[Any, Any, object]) -> bool:
    task = asyncio.create_task(wait)
    for _ in range(3):
        await asyncio.sleep(0)
    done = task.done()
    task.cancel()
    return not done


def test_stage_0_waits_while_a_preview_is_read_and_shortly_after() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        assert not await waits(first)
        first.begin("p1")
        first.begin("p1")
        assert await waits(first)
        first.end("p1")
        loop.now += RECENT_S
        assert await waits(first), "one of two is still being read"
        first.end("p1")
        assert await waits(first), "the next batch is expected"
        loop.now += RECENT_S
        assert not await waits(first)

    run(scenario)


def test_a_source_waits_a_moment_and_goes_on_though_the_preview_does_too() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        first.begin("p1")
        task = asyncio.create_task(first.give_way("p", "t1"))
        await asyncio.sleep(0)
        loop.now += GIVE_WAY_S
        await task

    run(scenario)


def test_a_trigger_that_has_just_begun_lets_its_preview_go_first() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        began = [first.came("p", "t1") for _ in range(FIRST_SOURCES + 1)]
        assert began == [True] * FIRST_SOURCES + [False]
        assert await waits(first)
        assert first.came("p", "t2"), "each trigger counts for itself"
        loop.now += BEGINS_WITHIN_S
        assert not await waits(first)

    run(scenario)


def test_triggers_of_long_ago_are_forgotten() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        for _ in range(FIRST_SOURCES):
            first.came("p", "t1")
        for number in range(REMEMBERED_TRIGGERS):
            first.came("p", f"other {number}")
        assert not await waits(first)
        assert first.came("p", "t1"), "it counts from one again"

    run(scenario)


def test_deep_reading_waits_a_moment_for_the_previews_of_other_projects_only() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        assert not await lasts(first.give_way_to_others("p1"))
        first.begin("p1")
        assert not await lasts(first.give_way_to_others("p1"))
        assert await lasts(first.give_way_to_others("p2"))
        first.begin("p2")
        assert await lasts(first.give_way_to_others("p1"))
        first.end("p2")
        assert await lasts(first.give_way_to_others("p1")), "the next batch is expected"
        loop.now += RECENT_S
        assert not await lasts(first.give_way_to_others("p1"))
        waiting = asyncio.create_task(first.give_way_to_others("p2"))
        await asyncio.sleep(0)
        loop.now += DEEP_GIVES_WAY_S
        await waiting

    run(scenario)


def test_other_projects_wait_from_the_second_source_of_a_trigger_on() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        first.came("p2", "t2")
        assert not await waits(first), "one source alone announces no preview"
        assert not await lasts(first.give_way_to_others("p"))
        first.came("p2", "t2")
        assert not await lasts(first.give_way_to_others("p2"))
        assert await lasts(first.give_way_to_others("p"))
        assert await waits(first)
        loop.now += BEGINS_WITHIN_S
        assert not await waits(first)
        assert not await lasts(first.give_way_to_others("p"))

    run(scenario)


def test_a_preview_is_expected_of_a_new_trigger_and_while_its_project_is_read_for_one() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        assert not first.is_expected("p", "t1")
        first.came("p", "t1")
        first.came("deep", "t2")
        assert first.is_expected("p", "t1")
        loop.now += EXPECTED_S - 1
        first.reads("p")
        first.end("p")
        loop.now += 2
        assert first.is_expected("p", "t1"), "it was read for a preview"
        assert not first.is_expected("deep", "t2"), "it has none"
        first.begin("p")
        loop.now += EXPECTED_S
        assert not first.is_expected("p", "t1"), "sources alone, which wait for it, are no sign"

    run(scenario)


def test_work_is_shared_while_another_project_s_has_come() -> None:
    async def scenario(loop: Still) -> None:
        first = PreviewFirst()
        first.came("p", "t1")
        assert not first.shares("p")
        first.came("p2", "t2")
        assert first.shares("p")
        loop.now += SHARED_S
        assert not first.shares("p")
        await asyncio.wait((asyncio.create_task(first.give_way_to_others("p3")),))
        assert first.shares("p"), "deep reading counts, too"

    run(scenario)
