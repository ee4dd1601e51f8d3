"""A process that the supervisor keeps running, and what has become of it."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from infra.platform.disk import Disk, says_full
from infra.platform.errors import DiskFull
from infra.platform.log import get
from infra.runtime.local.process import Process
from infra.runtime.watchdog import STALLED_EXIT

FIRST_PAUSE_S, LAST_PAUSE_S = 0.5, 30.0  # between restarts, doubling
STEADY_S = 60.0  # a child that ran this long starts again without a long pause
WAITING = ("backing-off", "disk-full")

log = get("supervisor")


@dataclass
class Child:
    """A supervised process and what became of it."""

    name: str
    start: Callable[[], Process]
    ready: Callable[[], bool]
    stop_signal: signal.Signals = signal.SIGTERM
    serves_others: bool = False  # broker or database: stopped last
    process: Process | None = None
    state: str = "stopped"  # starting | running | backing-off | disk-full | stopped
    restarts: int = 0
    started_s: float = 0.0
    again_s: float = 0.0
    pause_s: float = FIRST_PAUSE_S
    last_exit: int | None = None
    stalls: int = 0  # times it stood still and ended itself

    def begin(self) -> None:
        self.process = self.start()
        self.started_s = time.monotonic()
        self.state = "starting"

    def look(self, full_disk: Callable[[], Disk | None]) -> None:
        """Move on: noticed dead, started again when its pause is over, ready.

        With a full disk nothing is started again: it would end again and again.
        """
        now = time.monotonic()
        if self.state in WAITING:
            if now >= self.again_s and full_disk() is None:
                self._begin_again()
        elif self.process and (code := self.process.poll()) is not None:
            if now - self.started_s > STEADY_S:
                self.pause_s = FIRST_PAUSE_S
            disk = full_disk()
            self.last_exit, self.state = code, "disk-full" if disk else "backing-off"
            self.stalls += code == STALLED_EXIT
            self.again_s = now + self.pause_s
            log.warning(
                "supervisor.child_died",
                child=self.name,
                exit=code,
                again_in_s=self.pause_s,
                full_disk=disk.path if disk else None,
            )
            self.pause_s = min(LAST_PAUSE_S, 2 * self.pause_s)
        elif self.state == "starting" and self.ready():
            self.state = "running"

    def _begin_again(self) -> None:
        try:
            self.begin()
        except (DiskFull, OSError) as error:
            if not says_full(error):
                raise
            self.again_s = time.monotonic() + self.pause_s
            return
        self.restarts += 1
        log.info("supervisor.restarted", child=self.name, restarts=self.restarts)

    def row(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "pid": self.process.pid if self.process and self.state not in WAITING else None,
            "state": self.state,
            "restarts": self.restarts,
            "last_exit": self.last_exit,
            "stalls": self.stalls,
        }
