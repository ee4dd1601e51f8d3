"""Keeps a lease while its job is worked on, in a thread of its own that no busy handler stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from infra.platform import postgres
from infra.platform.errors import DatabaseUnavailable
from infra.platform.log import get
from infra.store.jobs.lease import LEASE_S, Lease, LeaseLost, renew
from infra.store.jobs.notices import wait_for_notice
from infra.store.jobs.transition import CHANNEL, Conn

LOOK_EVERY_S = 0.5  # at the end of the work, and at progress that was reported
RECONNECT_S = 0.5

log = get("jobs")


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a lease lasts, how often it is renewed, how often a worker looks for work, and the
    pause after a first failure; in seconds.
    """

    lease_s: float = LEASE_S
    renew_every_s: float = 20.0
    look_every_s: float = 1.0
    first_pause_s: float = 5.0


class RunningJob:
    """What a handler is given: the job, a way to report, and whether it was cancelled."""

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.payload = lease.payload
        self.cancelled = threading.Event()
        self.has_ended = False  # the handler: from here on nobody is cancelled
        self._progress: dict[str, Any] | None = None
        self._lock = threading.Lock()

    def report(self, **progress: Any) -> None:
        """People see ``progress``, plain values, in the place of what was reported before."""
        with self._lock:
            self._progress = progress

    @property
    def has_progress(self) -> bool:
        return self._progress is not None

    def take_progress(self) -> dict[str, Any] | None:
        """What was reported since the last time."""
        with self._lock:
            taken, self._progress = self._progress, None
        return taken


class LeaseKeeper(threading.Thread):
    """Renews a lease during a block; calls ``lose`` once when it is lost or cannot be renewed."""

    def __init__(
        self, conninfo: str, job: RunningJob, timing: Timing, lose: Callable[[], None]
    ) -> None:
        super().__init__(name=f"lease-{job.lease.job_id}", daemon=True)
        self._conninfo = conninfo
        self._job = job
        self._timing = timing
        self._lose = lose
        self._over = threading.Event()
        self._renewed_s = time.monotonic()

    def __enter__(self) -> LeaseKeeper:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def run(self) -> None:
        while not self._over.is_set():
            try:
                with postgres.connect(self._conninfo, autocommit=True) as connection:
                    connection.execute(f"LISTEN {CHANNEL}".encode())
                    self._keep(connection)
            except LeaseLost:
                self._end("lost")
            except DatabaseUnavailable as error:
                log.warning("lease.waits", job_id=self._job.lease.job_id, reason=str(error))
                if time.monotonic() - self._renewed_s >= self._timing.lease_s:
                    self._end("not_renewed")  # somebody else may have the job by now
                self._over.wait(RECONNECT_S)

    def _keep(self, connection: Conn) -> None:
        """Renew until the end. Raises LeaseLost, DatabaseUnavailable."""
        while not self._over.is_set():
            renew(connection, self._job.lease, self._timing.lease_s, self._job.take_progress())
            self._renewed_s = time.monotonic()
            self._await_reason(connection)

    def _await_reason(self, connection: Conn) -> None:
        """Return when it is time to renew, when something happened to the job, or at the end."""
        while not self._over.is_set():
            left_s = self._renewed_s + self._timing.renew_every_s - time.monotonic()
            if left_s <= 0 or self._job.has_progress:
                return
            if wait_for_notice(connection, min(left_s, LOOK_EVERY_S)) == self._job.lease.job_id:
                return

    def _end(self, reason: str) -> None:
        self._over.set()
        if not self._job.has_ended:
            log.warning("lease.ended", job_id=self._job.lease.job_id, reason=reason)
            self._lose()
