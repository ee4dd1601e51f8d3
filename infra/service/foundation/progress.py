"""How long work reports: an async iterator of typed steps, for a terminal or a stream to render."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

Step = TypeVar("Step")
Tell = Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth a line while work goes on. ``code`` is stable, ``message`` for people."""

    code: str
    message: str
    detail: dict[str, object] = field(default_factory=dict)


async def follow(work: Callable[[Tell[Step]], Awaitable[None]]) -> AsyncGenerator[Step, None]:
    """Yield what ``work`` tells, from whatever thread, until it ends; raise what it raises.

    Work is cancelled when the iterator is closed.
    """
    steps: asyncio.Queue[Step | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def tell(step: Step) -> None:
        loop.call_soon_threadsafe(steps.put_nowait, step)

    task = asyncio.ensure_future(work(tell))
    task.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        while (step := await steps.get()) is not None:
            yield step
        task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
