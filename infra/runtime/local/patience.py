"""How long a start is waited for: as long as it moves, not for a fixed time.

On a busy machine a start takes minutes. What shows that it goes on: a log that grows, a process
that is in another state than before, or processor time that is used.
"""

import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import psutil

POLL_S = 0.2
LOOK_EVERY_S = 2.0  # all processes of the machine are looked through
STILL_S = 180.0  # without any sign of movement
LONGEST_S = 3600.0  # whatever moves: a process that ends and starts again moves, too
SAY_AFTER_S, SAY_AGAIN_S = 15.0, 60.0  # until the person who waits is told again for what
BUSY_S = 1.0  # of processor time: what an idle server takes in minutes


@dataclass
class Patience:
    """Waits while ``signs`` change, and says now and then what it waits for."""

    signs: Callable[[], object]
    waits_for: Callable[[], str]
    say: Callable[[str], None]
    still_s: float = STILL_S
    longest_s: float = LONGEST_S
    look_every_s: float = LOOK_EVERY_S
    say_after_s: float = SAY_AFTER_S
    _seen: object = field(default=None, init=False)

    def wait_until(self, condition: Callable[[], bool]) -> bool:
        """Whether ``condition`` came true; False once nothing has moved for too long."""
        began = moved = time.monotonic()
        look_at, say_at = began, began + self.say_after_s
        while not condition():
            now = time.monotonic()
            if now >= look_at:
                look_at = now + self.look_every_s
                if (seen := self.signs()) != self._seen:
                    self._seen, moved = seen, now
            if now - moved > self.still_s or now - began > self.longest_s:
                return False
            if now >= say_at:
                self.say(f"Waiting for {self.waits_for()} ({now - began:.0f} s so far)…")
                say_at = now + SAY_AGAIN_S
            time.sleep(POLL_S)
        return True


def signs_of(pids: Iterable[int], logs: Iterable[Path]) -> tuple[object, ...]:
    """Another value whenever the processes, or those below them, have worked or a log has grown."""
    used_s = 0.0
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            for each in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    used_s += sum(each.cpu_times()[:2])
    sizes: list[tuple[str, int]] = []
    for path in logs:
        with contextlib.suppress(OSError):
            sizes.append((path.name, path.stat().st_size))
    return (int(used_s / BUSY_S), *sorted(sizes))
