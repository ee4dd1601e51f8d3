"""Our processes run on uvloop, with the threads they start."""

import asyncio
import threading

import uvloop

from infra import loop


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
