"""Work that runs in the background of a block, and does not fail unnoticed."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager


@asynccontextmanager
async def in_background(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """``work`` goes on during the block and is cancelled at its end.

    When it fails, the block is cancelled and what it raised is raised here: whoever depends on it
    does not go on with what it has last brought.
    """
    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(work)
            yield
            task.cancel()
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
