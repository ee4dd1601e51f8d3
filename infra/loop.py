"""How our processes run: uvloop, which costs less per record, and a collector that looks rarely."""

import asyncio
import contextlib
import gc
import threading
from collections.abc import Callable, Coroutine
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


async def in_thread(work: Callable[[], T]) -> T:
    """What ``work`` returns, done in a thread of its own that nobody waits for.

    A process ends only when the work of ``asyncio.to_thread`` has ended: an interrupt would have to
    wait for a fetch or a large listing.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def tell(how: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(lambda: None if ended.done() else how())

    def run() -> None:
        try:
            result = work()
        except BaseException as error:
            failure = error
            tell(lambda: ended.set_exception(failure))
        else:
            tell(lambda: ended.set_result(result))

    threading.Thread(target=run, daemon=True).start()
    return await ended


def rarely_collected() -> None:
    """What is imported by now is never looked at by the collector, what follows seldom.

    Nearly all that our processes make is freed by counting references.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
