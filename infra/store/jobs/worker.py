"""Takes jobs from the queue and has their handlers do them, some at a time."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from infra.platform import postgres
from infra.platform.errors import Conflict, DatabaseUnavailable, Invalid, Refusal, Unavailable
from infra.platform.log import get
from infra.platform.loop import in_thread
from infra.store.jobs import lease as leases
from infra.store.jobs.keeper import LeaseKeeper, RunningJob, Timing
from infra.store.jobs.lease import Lease, LeaseLost
from infra.store.jobs.notices import wait_for_notice
from infra.store.jobs.transition import CHANNEL, Conn

SLOTS = 4
PAUSE_S = 2.0  # while the database is away
NOTICED_S = 30.0  # until a look where no job waits or is worked on
LONGEST_ERROR = 2_000  # characters
LARGEST_RESULT_BYTES = 256 * 1024  # of JSON: it travels in one record

Handler = Callable[[RunningJob], Awaitable[Mapping[str, Any]]]
"""Does a job and returns its result, plain values. It is cancelled when the lease is lost, and may
be started again by another worker at any moment: what it does must be safe to repeat.
"""

log = get("jobs")


class Worker:
    """One worker. ``owner`` names it; ``redact`` removes secrets from results and errors."""

    def __init__(
        self,
        conninfo: str,
        handlers: Mapping[str, Handler],
        *,
        owner: str,
        redact: Callable[[str], str],
        timing: Timing | None = None,
        slots: int = SLOTS,
    ) -> None:
        self._conninfo = conninfo
        self._handlers = handlers
        self._owner = owner
        self._redact = redact
        self._timing = timing or Timing()
        self._slots = slots
        self._stop = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()
        self._works: set[asyncio.Future[Mapping[str, Any]]] = set()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until ``stop``; then leave what is not done to others. Outages are waited for."""
        self._stop = stop
        while not stop.is_set():
            try:
                with ExitStack() as stack:
                    await self._work(await in_thread(partial(self._listen, stack)))
            except DatabaseUnavailable as error:
                log.warning("jobs.outage", reason=str(error))
                await self._wait_for(PAUSE_S)
        for work in self._works:
            work.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _listen(self, stack: ExitStack) -> Conn:
        """A connection that hears of jobs, until ``stack`` ends. Raises DatabaseUnavailable."""
        opened = postgres.connect(self._conninfo, autocommit=True)
        connection = stack.enter_context(opened)
        connection.execute(f"LISTEN {CHANNEL}".encode())
        return connection

    async def _work(self, connection: Conn) -> None:
        while not self._stop.is_set():
            if len(self._running) >= self._slots:
                await self._wait_for(self._timing.look_every_s)
            elif lease := await in_thread(partial(self._claim, connection)):
                self._start(lease)
            else:
                await in_thread(partial(self._wait_for_work, connection))

    def _wait_for_work(self, connection: Conn) -> None:
        """A new job is told of; one that waits for its time, or a lease, has to be looked at."""
        with postgres.database_errors():
            seconds = self._timing.look_every_s if leases.are_open(connection) else NOTICED_S
        wait_for_notice(connection, seconds, self._stop.is_set)

    def _claim(self, connection: Conn) -> Lease | None:
        with postgres.database_errors():
            if expired := leases.expire(connection):
                log.warning("jobs.leases_expired", count=expired)
            return leases.claim(connection, self._owner, self._handlers, self._timing.lease_s)

    async def _wait_for(self, seconds: float) -> None:
        """Return after a while, when a job ends, or when it is time to stop."""
        stopping = asyncio.create_task(self._stop.wait())
        waiting = {stopping, *self._running}
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()

    def _start(self, lease: Lease) -> None:
        task = asyncio.create_task(self._perform(lease))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _perform(self, lease: Lease) -> None:
        """Have the job done and write what became of it."""
        log.info("job.started", job_id=lease.job_id, job_type=lease.job_type, epoch=lease.epoch)
        job, loop = RunningJob(lease), asyncio.get_running_loop()
        work = asyncio.ensure_future(self._handlers[lease.job_type](job))
        self._works.add(work)
        work.add_done_callback(self._works.discard)

        def lose() -> None:
            job.cancelled.set()
            loop.call_soon_threadsafe(work.cancel)

        with LeaseKeeper(self._conninfo, job, self._timing, lose):
            write = await self._await_end(job, work)
            job.has_ended = True
            await self._write(lease, write)

    async def _await_end(
        self, job: RunningJob, work: asyncio.Future[Mapping[str, Any]]
    ) -> Callable[[Conn], None]:
        """What is to be written when the handler has ended, one way or another."""
        try:
            result = as_plain_json(await work, self._redact)
            return partial(leases.succeed, lease=job.lease, result=result)
        except asyncio.CancelledError:
            if self._stop.is_set() or job.cancelled.is_set():
                return partial(leases.give_up, lease=job.lease)
            return self._failure(job.lease, "CancelledError", "The handler cancelled itself.")
        except Exception as error:
            told = describe(error, self._redact)
            return self._failure(job.lease, type(error).__name__, told, is_retriable(error))

    def _failure(
        self, lease: Lease, error_class: str, error: str, again: bool = True
    ) -> Callable[[Conn], None]:
        log.warning("job.failed", job_id=lease.job_id, error_class=error_class, again=again)
        return partial(
            leases.fail,
            lease=lease,
            error_class=error_class,
            error=error,
            is_retriable=again,
            first_pause_s=self._timing.first_pause_s,
        )

    async def _write(self, lease: Lease, write: Callable[[Conn], None]) -> None:
        """Write under the lease, patiently; what comes too late is refused, and that is all."""

        def once() -> None:
            with postgres.connect(self._conninfo, autocommit=True) as connection:
                write(connection)

        while True:
            try:
                await in_thread(once)
                log.info("job.ended", job_id=lease.job_id, epoch=lease.epoch)
                return
            except LeaseLost:
                log.warning("job.refused", job_id=lease.job_id, epoch=lease.epoch)
                return
            except DatabaseUnavailable as error:
                if self._stop.is_set():
                    return
                log.warning("job.outage", job_id=lease.job_id, reason=str(error))
                await asyncio.sleep(PAUSE_S)


def is_retriable(error: Exception) -> bool:
    """Whether another attempt may end otherwise: not where the job itself is refused."""
    if isinstance(error, Unavailable | Conflict):
        return True
    return not isinstance(error, Refusal | ValidationError)


def describe(error: Exception, redact: Callable[[str], str]) -> str:
    """Our own sentence, or class and place: the text of others may hold what a service answered."""
    if isinstance(error, Refusal):
        return redact(str(error))[:LONGEST_ERROR]
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"Something went wrong that should not: {type(error).__name__}{place}."


def as_plain_json(value: Mapping[str, Any], redact: Callable[[str], str]) -> dict[str, Any]:
    """``value`` as the database and readers of the topic can hold it, without secrets.

    Raises TypeError or ValueError for what is no JSON, Invalid for what is too large.
    """
    text = json.dumps(
        _without_nul(dict(value)), ensure_ascii=False, allow_nan=False, sort_keys=True
    )
    clean = redact(text.encode("utf-8", "replace").decode())
    if len(clean.encode()) > LARGEST_RESULT_BYTES:
        raise Invalid(f"The result of the job has more than {LARGEST_RESULT_BYTES:,} bytes.")
    try:
        return dict(json.loads(clean))
    except ValueError:  # a secret over the border of two values
        return {"redacted": True}


def _without_nul(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\0", "\ufffd")
        case dict():
            return {_without_nul(key): _without_nul(item) for key, item in value.items()}
        case list() | tuple():
            return [_without_nul(item) for item in value]
        case _:
            return value
