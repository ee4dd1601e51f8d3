"""Our processes run on uvloop, with the threads they start, which share two heaps."""

import asyncio
import subprocess
import sys
import threading

import uvloop

from infra.platform import loop


def test_the_loop_of_a_process_and_those_of_its_threads_are_of_one_kind():
    async def kinds() -> list[type]:
        found: list[type] = [type(asyncio.get_running_loop())]

        def of_a_thread() -> None:
            mine = asyncio.new_event_loop()
            found.append(type(mine))
            mine.close()

        thread = threading.Thread(target=of_a_thread)
        thread.start()
        await asyncio.to_thread(thread.join)
        return found

    before = asyncio.get_event_loop_policy()
    try:
        assert loop.run(kinds()) == [uvloop.Loop, uvloop.Loop]
    finally:
        asyncio.set_event_loop_policy(before)


HEAPS_OF_THREADS = """
import asyncio, ctypes, os, threading
from infra.platform import loop

async def main():
    allocator = ctypes.CDLL(None)
    for name in ("malloc", "free"):
        getattr(allocator, name).restype = None
    together = threading.Barrier(12)
    def work():
        together.wait()
        allocator.malloc(1_000)
        together.wait()
    threads = [threading.Thread(target=work) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    allocator.fdopen.restype = ctypes.c_void_p
    out = ctypes.c_void_p(allocator.fdopen(1, b"w"))
    allocator.malloc_info(0, out)
    allocator.fflush(out)

loop.run(main())
"""


def test_threads_share_two_heaps():
    told = subprocess.run(
        [sys.executable, "-c", HEAPS_OF_THREADS], capture_output=True, text=True, check=True
    ).stdout
    assert 1 <= told.count("<heap nr=") <= 2
