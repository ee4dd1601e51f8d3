"""How our processes run: uvloop, which costs less per record, and a collector that looks rarely."""

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any, TypeVar

import uvloop

T = TypeVar("T")
COLLECT_AFTER = (20_000, 20, 20)  # Python's 700, 10, 10 walk through what lives for a batch


def run(main: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run`` on uvloop; also for threads of ``main`` that make loops of their own.

    Faust runs each consumer in a thread and asks the policy for its loop.
    """
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    rarely_collected()
    return asyncio.run(main)


def rarely_collected() -> None:
    """What is imported by now is never looked at by the collector, what follows seldom.

    Nearly all that our processes make is freed by counting references.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
