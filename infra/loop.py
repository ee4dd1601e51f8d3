"""How our processes run: uvloop, which costs less per record, a collector that looks rarely, and an
allocator with few arenas.
"""

import asyncio
import contextlib
import ctypes
import gc
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

import uvloop

T = TypeVar("T")
M_ARENA_MAX = -8  # glibc's name for it, of malloc.h
ARENAS = 2  # glibc makes eight for each processor; what one thread frees no other arena gives back
COLLECT_AFTER = (20_000, 20, 20)  # Python's 700, 10, 10 walk through what lives for a batch


def run(main: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run`` on uvloop; also for threads of ``main`` that make loops of their own.

    Faust runs each consumer in a thread and asks the policy for its loop.
    """
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    rarely_collected()
    few_arenas()
    return asyncio.run(main)


async def in_thread(call: Callable[[], T]) -> T:
    """``call()`` in a thread that nobody waits for once this is cancelled, nor does the process.

    So an interrupt is obeyed at once, however long ``call`` takes (``asyncio.to_thread`` would be
    waited for at the end). It must be nothing that is harmed by ending in the middle.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if outcome.cancelled():
            return
        if error is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(cast(T, result))

    def work() -> None:
        result, failed = None, None
        try:
            result = call()
        except BaseException as error:
            failed = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(settle, result, failed)

    threading.Thread(target=work, daemon=True).start()
    return await outcome


def few_arenas() -> None:
    """The threads share two heaps: every stage has one for its consumer, which reads in bursts."""
    allocator = ctypes.CDLL(None)
    if hasattr(allocator, "mallopt"):  # of glibc only
        allocator.mallopt(M_ARENA_MAX, ARENAS)


def rarely_collected() -> None:
    """What is imported by now is never looked at by the collector, what follows seldom.

    Nearly all that our processes make is freed by counting references.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
