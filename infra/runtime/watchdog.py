"""Ends a process that stands still: there are unread records, and nothing of it moves.

A consumer whose stage is dead goes on with its heartbeats, so the broker sees nothing, and `cairn
status` showed nothing. The look-out has a thread of its own: it finds a blocked loop, too. Time
counts by looks, not by the clock: a process that gets no processor, or was suspended, is slow and
does not stand still. While the broker is away or slow nothing is counted; that has its own end.
Decided against: Faust's detector, which asks the client that may be the one at fault.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from infra.platform import log
from infra.platform.errors import BrokerUnavailable
from infra.platform.files import write_whole
from infra.platform.settings import Settings
from infra.runtime.local.process import ProcessId, identify

if TYPE_CHECKING:
    from infra.platform.log_positions import Lookout, Reach

STALLED_EXIT = 75  # sysexits: a failure that passes; the supervisor counts it
LOOKS = 24  # until a reader that stands still ends its process
SHOWN_AFTER_LOOKS = 6  # in `cairn status`
LOOK_PATIENCE_S = 30.0
SLOW_LOOK_S = 3.0  # more than ten times what one takes: the broker or the machine is busy
SHOWN_TASKS = 20

LOG = log.get("watchdog")
Place = tuple[str, int]  # full topic name, partition


@dataclass
class Work:
    """What a reader has done, counted: read, computed, written."""

    count: int = 0


class Watched(Protocol):
    """A reader of topics: a consumer group, as this process takes part in it."""

    @property
    def group(self) -> str: ...
    @property
    def read(self) -> Collection[str]: ...  # full names of topics
    def places(self) -> Collection[Place] | None: ...  # read here; None: not settled, so any
    def worked(self) -> object: ...  # another value whenever something was done
    def next(self) -> Mapping[Place, int] | None: ...  # None: what the group has committed


@dataclass
class SoleReader:
    """A reader of whole topics of which one process runs at a time.

    ``offsets``: where it goes on, when that does not stand with its group.
    """

    group: str
    read: Collection[str]
    worked: Callable[[], object]
    offsets: dict[Place, int] | None = None

    def places(self) -> None:
        return None

    def next(self) -> Mapping[Place, int] | None:
        return self.offsets


@dataclass
class Standing:
    """What was last seen of a reader, and for how long it has not moved."""

    reached: Mapping[Place, Reach] = field(default_factory=dict)
    worked: object = None
    behind: tuple[Place, ...] = ()
    looks: int = 0  # since something moved

    def look(self, watched: Watched, reached: Mapping[Place, Reach]) -> None:
        here, worked = watched.places(), watched.worked()
        behind = tuple(
            sorted(
                place
                for place, reach in reached.items()
                if reach.next < reach.end and (here is None or place in here)
            )
        )
        before = self.reached
        moved = any(place not in before or before[place].next != reached[place].next
                    for place in behind)  # fmt: skip
        stands = behind and not moved and worked == self.worked
        self.looks = self.looks + 1 if stands else 0
        self.reached, self.worked, self.behind = reached, worked, behind


class Watchdog(threading.Thread):
    """Looks at the readers of this process, and ends it when one of them stands still."""

    def __init__(self, settings: Settings, name: str, watched: Sequence[Watched]) -> None:
        super().__init__(name="watchdog", daemon=True)
        self._settings = settings
        self._file = settings.run_folder / f"{name}.movement.json"
        self._watched = watched
        self._standing = {each.group: Standing() for each in watched}
        self._loop = asyncio.get_running_loop()
        self._over = threading.Event()
        self._look_every_s = settings.stall_after_s / LOOKS

    def run(self) -> None:
        self._tell()
        while not self._over.wait(self._look_every_s):
            try:
                asyncio.run(self._watch())
            except (BrokerUnavailable, TimeoutError):
                continue
            except Exception as error:
                LOG.warning("watchdog.check_failed", error_class=type(error).__name__)

    def end(self) -> None:
        self._over.set()

    async def _watch(self) -> None:
        """Look until it is over, over the same connections. Raises what a look has raised."""
        from infra.platform import log_positions

        reads = {each.group: each.read for each in self._watched}
        async with asyncio.timeout(LOOK_PATIENCE_S) as patience:
            async with log_positions.open_lookout(self._settings, reads) as lookout:
                while not self._over.is_set():
                    patience.reschedule(asyncio.get_running_loop().time() + LOOK_PATIENCE_S)
                    await self._look(lookout)
                    patience.reschedule(None)
                    await asyncio.sleep(self._look_every_s)

    async def _look(self, lookout: Lookout) -> None:
        began_s = time.monotonic()
        reached = await lookout.look()
        if time.monotonic() - began_s > SLOW_LOOK_S:
            self._tell()
            return
        for each in self._watched:
            for place, offset in (each.next() or {}).items():
                start = reached[each.group][place]  # the group commits nothing
                reached[each.group][place] = replace(start, next=max(start.next, offset))
            self._standing[each.group].look(each, reached[each.group])
        if self._over.is_set():
            return
        self._tell()
        for group, standing in self._standing.items():
            if standing.looks >= LOOKS:
                self._end_process(group, standing)

    def _tell(self) -> None:
        """`cairn status` finds in a file what was seen."""
        me = identify(os.getpid())
        groups = {
            each.group: {"read": list(each.read), "looks": self._standing[each.group].looks}
            for each in self._watched
            if each.next() is None
        }
        told = {
            "pid": me.pid,
            "started": me.started,
            "at": time.time(),
            "look_every_s": self._look_every_s,
            "groups": groups,
        }
        with contextlib.suppress(OSError):  # a full disk is no reason to stop looking
            write_whole(self._file, json.dumps(told))

    def _end_process(self, group: str, standing: Standing) -> None:
        """At once: whatever does not move may not end either, and a kill loses nothing."""
        unread = [standing.reached[place] for place in standing.behind]
        topic, partition = standing.behind[0]
        LOG.error(
            "stage.stalled",
            group=group,
            place=f"{topic}|{partition}|{unread[0].next}",
            unread=sum(reach.end - reach.next for reach in unread),
            after_s=self._settings.stall_after_s,
            tasks=_tasks_of(self._loop),
        )
        os._exit(STALLED_EXIT)


@contextlib.contextmanager
def watch_readers(settings: Settings, name: str, watched: Sequence[Watched]) -> Iterator[None]:
    """The readers are watched for the block; called in the loop they run in."""
    watchdog = Watchdog(settings, name, watched)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.end()


def end_within(seconds: float) -> None:
    """This process, which has failed, ends by then, whatever in it does not."""
    timer = threading.Timer(seconds, os._exit, (1,))
    timer.daemon = True
    timer.start()


@dataclass
class Movement:
    """A group as the processes of this home tell of it."""

    read: list[str]  # full names of topics
    runs: bool = False  # one of them, now
    still_s: float = 0.0  # at most, since something moved
    stands: bool = False


def movements(settings: Settings) -> dict[str, Movement]:
    """The groups of which a process of this home has told, also one that has ended."""
    known: dict[str, Movement] = {}
    for path in settings.run_folder.glob("*.movement.json"):
        try:
            told = json.loads(path.read_text())
            runs = ProcessId(told["pid"], told["started"]).alive()
            late_s = max(0.0, time.time() - told["at"] - LOOK_PATIENCE_S)
            for group, each in told["groups"].items():
                seen = known.setdefault(group, Movement(each["read"]))
                if runs:
                    seen.runs = True
                    seen.still_s = max(seen.still_s, each["looks"] * told["look_every_s"] + late_s)
                    seen.stands |= each["looks"] >= SHOWN_AFTER_LOOKS or late_s > 0
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return known


def _tasks_of(loop: asyncio.AbstractEventLoop) -> list[str]:
    """Where the tasks of the loop wait, for whoever looks for the cause."""
    found: list[str] = []
    for task in asyncio.all_tasks(loop):
        awaited: Any = task.get_coro()
        path: list[str] = []
        while frame := getattr(awaited, "cr_frame", None):
            path.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
            awaited = awaited.cr_await
        found.append(" > ".join(path))
    return sorted(found)[:SHOWN_TASKS]
