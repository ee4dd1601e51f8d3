"""What goes on beside a block ends with it, and ends it by failing."""

import asyncio

import pytest

from infra.platform.background import in_background


async def for_ever() -> None:
    await asyncio.Event().wait()


async def failing() -> None:
    await asyncio.sleep(0)
    raise LookupError("gone")


def test_a_failure_beside_ends_the_block_with_what_it_was():
    async def run() -> None:
        async with in_background(for_ever()), in_background(failing()):
            await for_ever()

    with pytest.raises(LookupError, match="gone"):
        asyncio.run(run())


def test_a_block_ends_and_fails_as_without_it():
    async def run(error: Exception | None) -> str:
        async with in_background(for_ever()):
            if error:
                raise error
            return "done"

    assert asyncio.run(run(None)) == "done"
    with pytest.raises(KeyError, match="mine"):
        asyncio.run(run(KeyError("mine")))


def test_who_cancels_the_block_cancels_what_is_beside_it():
    ended: list[str] = []

    async def told() -> None:
        try:
            await for_ever()
        finally:
            ended.append("beside")

    async def run() -> None:
        async def block() -> None:
            async with in_background(told()):
                await for_ever()

        task = asyncio.create_task(block())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert ended == ["beside"]
