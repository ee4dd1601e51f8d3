"""Child processes: a job fails alone, and no child outlives its parent."""

import asyncio
import importlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from infra.runtime.local.process import start_time_of, wait_until
from streams.shell.failures import ChildFailed
from streams.shell.pool import JOB_TIMEOUT_S, ChildDied, ChildPool, JobTimedOut

HANGS_S = 5  # of work
SLOW = """
import os, time
while os.getppid() == {parent} and time.process_time() < 5:
    pass
def half(number):
    return number // 2
"""


@asynccontextmanager
async def children(
    size: int, nice: int, timeout_s: float = JOB_TIMEOUT_S
) -> AsyncIterator[ChildPool]:
    """A pool that is closed whatever happens: a loop cannot end before its children's pipes."""
    pool = ChildPool(size, nice, timeout_s)
    try:
        yield pool
    finally:
        await pool.close()


def double(number: int) -> int:
    print("what a job prints is no answer")
    return 2 * number


def endless() -> None:
    while True:
        pass


def blocked() -> None:
    threading.Event().wait()


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail() -> None:
    raise ValueError("words of a source")


def niceness() -> int:
    return os.nice(0)


def session() -> tuple[int, str]:
    """Which session the process is in, and that session's priority where the system has one."""
    group = Path("/proc/self/autogroup")
    return os.getsid(0), group.read_text().split()[-1] if group.exists() else "5"


def test_jobs_are_computed_side_by_side_and_in_children() -> None:
    async def scenario() -> None:
        async with children(2, nice=0) as pool:
            assert await asyncio.gather(*(pool.run(double, i) for i in range(20))) == [
                2 * i for i in range(20)
            ]
            assert len(set(pool.pids())) == 2 and os.getpid() not in pool.pids()

    asyncio.run(scenario())


def test_a_job_that_hangs_dies_or_raises_fails_alone() -> None:
    async def scenario() -> None:
        async with children(1, nice=0, timeout_s=HANGS_S) as pool:
            assert await pool.run(double, 1) == 2
            with pytest.raises(JobTimedOut):
                await pool.run(endless)
            with pytest.raises(JobTimedOut):
                await pool.run(blocked)
            with pytest.raises(ChildDied):
                await pool.run(die)
            with pytest.raises(ChildFailed) as failed:
                await pool.run(fail)
            assert failed.value.failure.error_class == "ValueError"
            assert "words of a source" not in failed.value.failure.error
            assert await pool.run(double, 2) == 4

    asyncio.run(scenario())


def test_a_job_that_waits_for_a_processor_is_not_ended() -> None:
    """The child is stopped, as by a machine that has no time for it, beyond a job's limit."""

    async def scenario() -> None:
        async with (
            children(1, nice=0, timeout_s=3) as starved,
            children(1, nice=0, timeout_s=5) as busy,
        ):
            await starved.warm(double, 0)
            [pid] = starved.pids()
            os.kill(pid, signal.SIGSTOP)
            waiting = asyncio.create_task(starved.run(double, 2))
            with pytest.raises(JobTimedOut):
                await busy.run(endless)
            os.kill(pid, signal.SIGCONT)
            assert await waiting == 4
            assert starved.pids() == [pid]

    asyncio.run(scenario())


def test_how_long_a_child_takes_to_begin_is_no_work_of_its_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_to_import.py").write_text(SLOW.format(parent=os.getpid()))
    monkeypatch.syspath_prepend(tmp_path)
    half = importlib.import_module("slow_to_import").half

    async def scenario() -> None:
        async with children(1, nice=0, timeout_s=1) as pool:
            assert await pool.run(half, 4) == 2
            with pytest.raises(JobTimedOut):
                await pool.run(blocked)
            assert await pool.run(half, 6) == 3

    asyncio.run(scenario())


def test_jobs_sent_together_are_tried_alone_when_one_of_them_takes_the_child_with_it() -> None:
    async def scenario() -> None:
        async with children(1, nice=0, timeout_s=HANGS_S) as pool:
            first = pool.run(
                double, 0
            )  # while it is computed the others wait for the child together
            calls: list[tuple[Any, ...]] = [
                (double, 1),
                (die,),
                (double, 2),
                (fail,),
                (endless,),
                (double, 3),
            ]
            answers = await asyncio.gather(
                first, *(pool.run(*call) for call in calls), return_exceptions=True
            )
            told = [each if isinstance(each, int) else type(each) for each in answers]
            assert told == [0, 2, ChildDied, 4, ChildFailed, JobTimedOut, 6]

    asyncio.run(scenario())


def test_a_warm_pool_has_all_its_children_running() -> None:
    async def scenario() -> None:
        async with children(2, nice=0) as pool:
            await pool.warm(double, 1)
            assert len(set(pool.pids())) == 2
            assert await pool.run(double, 2) == 4

    asyncio.run(scenario())


def test_a_job_nobody_waits_for_any_more_does_not_hold_its_child() -> None:
    async def scenario() -> None:
        async with children(1, nice=0, timeout_s=600) as pool:
            await pool.warm(double, 1)
            given_up = asyncio.create_task(pool.run(endless))
            await asyncio.wait([asyncio.create_task(asyncio.sleep(0))])
            given_up.cancel()
            assert await pool.run(double, 2) == 4

    asyncio.run(scenario())


def test_children_have_the_priority_they_were_given() -> None:
    async def scenario() -> None:
        async with children(1, nice=5) as pool:
            assert await pool.run(niceness) == os.nice(0) + 5
            assert await pool.run(session) == (pool.pids()[0], "5")

    asyncio.run(scenario())


def test_children_without_work_end_and_the_next_job_has_one_again() -> None:
    async def scenario() -> None:
        pool = ChildPool(2, nice=0, rests_after_s=0.05)
        try:
            both = await asyncio.gather(pool.run(double, 1), pool.run(double, 2))
            assert list(both) == [2, 4]
            first = pool.pids()
            gone = partial(wait_until, lambda: not any(map(start_time_of, first)), timeout_s=60)
            assert await asyncio.to_thread(gone) and not pool.pids()
            assert await asyncio.gather(*(pool.run(double, i) for i in range(8))) == [
                2 * i for i in range(8)
            ]
        finally:
            await pool.close()

    asyncio.run(scenario())


PARENT = """
import asyncio
from streams.shell.pool import ChildPool
from tests.shell.test_pool import double, endless

async def main():
    pool = ChildPool(2, nice=0, timeout_s=600)
    await asyncio.gather(*(pool.run(double, i) for i in range(8)))
    print(*pool.pids(), flush=True)
    await asyncio.gather(pool.run(endless), pool.run(endless))

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is of Linux")
def test_children_end_with_a_parent_that_is_killed_even_in_the_middle_of_a_job() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2 and all(start_time_of(pid) for pid in pids)
    parent.kill()
    parent.wait()
    assert wait_until(lambda: not any(start_time_of(pid) for pid in pids), timeout_s=60)
