"""How our processes run: uvloop, which costs less per record, a collector that looks rarely, and an
allocator with few arenas.
"""

import asyncio
import contextlib
import ctypes
import gc
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from queue import SimpleQueue
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
    threading.Thread(target=_perform, args=(call, loop, outcome), daemon=True).start()
    return await outcome


class Threads:
    """``in_thread`` for calls that are short and many: up to ``most`` threads stay for the next."""

    def __init__(self, most: int) -> None:
        self._most, self._started = most, 0
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    async def run(self, call: Callable[[], T]) -> T:
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[T] = loop.create_future()
        if self._started < self._most:
            self._started += 1
            threading.Thread(target=self._take, daemon=True).start()
        self._work.put(partial(_perform, call, loop, outcome))
        return await outcome

    def close(self) -> None:
        """The threads end; nothing may be run any more."""
        for _ in range(self._started):
            self._work.put(None)

    def _take(self) -> None:
        while work := self._work.get():
            work()


def _perform(
    call: Callable[[], T], loop: asyncio.AbstractEventLoop, outcome: asyncio.Future[T]
) -> None:
    result, failed = None, None
    try:
        result = call()
    except BaseException as error:
        failed = error
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
        loop.call_soon_threadsafe(_settle, outcome, result, failed)


def _settle(outcome: asyncio.Future[T], result: T | None, error: BaseException | None) -> None:
    if outcome.cancelled():
        return
    if error is not None:
        outcome.set_exception(error)
    else:
        outcome.set_result(cast(T, result))


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
