"""Work that reports: its steps come in order, its error comes last, and it ends with its reader."""

import asyncio

import pytest

from infra.platform.errors import NotFound
from infra.service.foundation.progress import Tell, follow


async def steps_of(work) -> list[str]:
    return [step async for step in follow(work)]


def test_steps_come_in_the_order_they_were_told_from_any_thread():
    async def work(tell: Tell[str]) -> None:
        tell("first")
        await asyncio.to_thread(tell, "second")
        tell("third")

    assert asyncio.run(steps_of(work)) == ["first", "second", "third"]


def test_an_error_is_raised_after_the_steps_before_it():
    seen: list[str] = []

    async def work(tell: Tell[str]) -> None:
        tell("begun")
        raise NotFound("There is no such thing.")

    async def read() -> None:
        async for step in follow(work):
            seen.append(step)

    with pytest.raises(NotFound):
        asyncio.run(read())
    assert seen == ["begun"]


def test_work_is_cancelled_when_nobody_reads_on():
    ended: list[bool] = []

    async def work(tell: Tell[str]) -> None:
        tell("begun")
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def read_one() -> None:
        steps = follow(work)
        assert await anext(steps) == "begun"
        await steps.aclose()
        assert ended == [True]

    asyncio.run(read_one())
