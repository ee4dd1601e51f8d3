"""Live streams: whoever follows one gets every frame once and in order, however slow they are.

The frames are rows. One thread waits for the database to say that there are new ones, reads those
of all streams that somebody follows, and adds them to a window of each stream's newest frames. A
follower is a place in its stream: it takes what is behind that place in the window, and reads pages
from the table while the window does not reach back so far. So nobody waits for anybody else, and
the frames are in memory once, however many follow.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from itertools import groupby, takewhile
from typing import Concatenate, ParamSpec, TypeVar

from infra.platform import postgres
from infra.platform.errors import DatabaseUnavailable
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.service.foundation.connections import Tables
from projections.read.session import Conn
from projections.read.streams import Frame, list_frames, list_frames_behind, read_ends

WINDOW_FRAMES = 1_024
WINDOW_BYTES = 4 * 1024 * 1024  # of a window's data, but for one frame that is larger
PAGE_FRAMES = 256
WRITE_BYTES = 64 * 1024  # but for one frame that is larger: what is written waits for its client
SHARED_PAGES = 16  # full pages that are kept for whoever comes along
NEWS_FRAMES = 4_096  # of one look at all followed streams
WAKE_S = 1.0  # also looked without being told
GATHER_S = 0.05  # between two looks when frames come without pause: all followers wake after each
PAUSE_S = 0.5  # before the next try when the database is away

P = ParamSpec("P")
T = TypeVar("T")

log = get("streams")


class Batch:
    """Frames in order, one object for all who get them together. May be empty."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        self.frames = frames
        self._writes: tuple[bytes, ...] = ()

    def render(self, epoch: str) -> tuple[bytes, ...]:
        """The frames as they travel, in writes of ``WRITE_BYTES`` at most, each of whole frames.

        They are made once: a stream has one epoch.
        """
        if not self._writes:
            self._writes = tuple(render_frames(self.frames, epoch))
        return self._writes


NOTHING = Batch(())


class Window:
    """The newest frames of one stream: all behind ``after``. Belongs to the loop."""

    def __init__(self, after: int) -> None:
        self.after = self.last = after
        self.followers = 0
        self._frames: deque[Frame] = deque()
        self._size = 0
        self._batches: dict[int, Batch] = {}  # what was asked for since the last frame came
        self._news = asyncio.Event()

    def add(self, frames: Iterable[Frame]) -> None:
        """Frames in order; those that are here already count once."""
        for frame in frames:
            if frame.seq > self.last:
                self._frames.append(frame)
                self._size += len(frame.data)
                self.last = frame.seq
        while len(self._frames) > WINDOW_FRAMES or (
            self._size > WINDOW_BYTES and len(self._frames) > 1
        ):
            oldest = self._frames.popleft()
            self._size -= len(oldest.data)
            self.after = oldest.seq
        self._batches.clear()
        self.wake()

    def behind(self, seq: int) -> Batch | None:
        """At most a page of the frames behind ``seq``; None when it does not reach back to them."""
        if seq < self.after:
            return None
        if seq >= self.last:
            return NOTHING
        if seq not in self._batches:
            newest = takewhile(lambda frame: frame.seq > seq, reversed(self._frames))
            self._batches[seq] = Batch(list(newest)[::-1][:PAGE_FRAMES])
        return self._batches[seq]

    def wake(self) -> None:
        """Whoever waits looks again."""
        self._news.set()
        self._news = asyncio.Event()

    async def wait(self) -> None:
        """Frames may have been added since; or it is time to look up."""
        await self._news.wait()


class Hub:
    """Hands the new frames of all streams to those who follow them."""

    def __init__(self, settings: Settings, tables: Tables) -> None:
        self._settings, self._tables = settings, tables
        self._windows: dict[str, Window] = {}
        self._pages: OrderedDict[tuple[str, int], asyncio.Task[Batch]] = OrderedDict()
        self._lock = threading.Lock()  # of the windows' dictionary
        self._stop = threading.Event()

    @property
    def count(self) -> int:
        """How many follow a stream now."""
        return sum(window.followers for window in self._windows.values())

    def end(self) -> None:
        """All streams end where they are; their clients come again and go on."""
        self._stop.set()
        self._wake_all()

    @asynccontextmanager
    async def running(self, wake_s: float = WAKE_S) -> AsyncIterator[Hub]:
        """Frames are handed on for the block; followers look up every ``wake_s``."""
        loop = asyncio.get_running_loop()
        thread = threading.Thread(target=self._listen, args=(loop,), name="frames", daemon=True)
        ticking = asyncio.create_task(self._tick(wake_s))
        thread.start()
        try:
            yield self
        finally:
            self.end()
            ticking.cancel()
            await asyncio.to_thread(thread.join, 2 * WAKE_S)

    async def follow(self, stream_id: str, after: int) -> AsyncGenerator[Batch, None]:
        """All frames behind ``after`` in order, as they come, up to the stream's last one.

        An empty batch says that none came for a while. It ends early with the hub.
        """
        async with self._following(stream_id) as window:
            while not self._stop.is_set():
                batch = window.behind(after)
                if batch is None:
                    batch = await self._page(stream_id, after)
                if batch.frames:
                    after = batch.frames[-1].seq
                    yield batch
                    if batch.frames[-1].is_last:
                        return
                else:
                    await window.wait()
                    if window.last <= after:
                        yield NOTHING

    @asynccontextmanager
    async def _following(self, stream_id: str) -> AsyncIterator[Window]:
        """The window of a stream: there before a page is read, so no frame falls between."""
        if stream_id not in self._windows:
            ends = await self._ask(read_ends, stream_id)
            with self._lock:
                self._windows.setdefault(stream_id, Window(ends.last))
        window = self._windows[stream_id]
        window.followers += 1
        try:
            yield window
        finally:
            window.followers -= 1
            if not window.followers:
                with self._lock:
                    del self._windows[stream_id]

    async def _page(self, stream_id: str, after: int) -> Batch:
        """A page of the table. Who asks for the same one at once, or for a full one, shares it."""
        key = (stream_id, after)
        task = self._pages.get(key)
        if task is None:
            task = asyncio.create_task(self._read_page(stream_id, after))
            self._pages[key] = task
            while len(self._pages) > SHARED_PAGES:
                self._pages.popitem(last=False)
        try:
            page = await asyncio.shield(task)
        except Exception:
            self._pages.pop(key, None)
            raise
        if len(page.frames) < PAGE_FRAMES:
            self._pages.pop(key, None)
        return page

    async def _read_page(self, stream_id: str, after: int) -> Batch:
        return Batch(await self._ask(list_frames, stream_id, after, PAGE_FRAMES))

    async def _ask(
        self, question: Callable[Concatenate[Conn, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """An outage of the database is a pause of the stream: a browser that is refused once does
        not come again. Raises DatabaseUnavailable when the hub ends meanwhile.
        """
        while True:
            try:
                return await self._tables.ask(question, *args, **kwargs)
            except DatabaseUnavailable:
                if self._stop.is_set():
                    raise
                await asyncio.sleep(PAUSE_S)

    async def _tick(self, wake_s: float) -> None:
        while True:
            await asyncio.sleep(wake_s)
            self._wake_all()

    def _wake_all(self) -> None:
        for window in self._windows.values():
            window.wake()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._stop.is_set():
            try:
                with postgres.connect(self._settings.conninfo, autocommit=True) as connection:
                    connection.execute("LISTEN cairn_frames")
                    while not self._stop.is_set():
                        self._hand_on(loop, connection)
                        postgres.next_notice(connection, WAKE_S)
            except DatabaseUnavailable as error:
                log.warning("streams.outage", reason=str(error), again_in_s=PAUSE_S)
                self._stop.wait(PAUSE_S)
            except Exception:  # a thread that ends would silence all streams, and nobody would know
                log.exception("streams.failed", again_in_s=PAUSE_S)
                self._stop.wait(PAUSE_S)

    def _hand_on(self, loop: asyncio.AbstractEventLoop, connection: Conn) -> None:
        """The frames that came are in their windows, as many looks as it takes."""
        while known := self._followed():
            found = list_frames_behind(connection, known, NEWS_FRAMES)
            if not found:
                return
            added = threading.Event()
            loop.call_soon_threadsafe(self._add, known, found, added)
            added.wait(WAKE_S)  # a loop that is busy gets more at once, and not more often
            if len(found) < NEWS_FRAMES:
                self._stop.wait(GATHER_S)

    def _followed(self) -> dict[str, int]:
        with self._lock:
            return {stream_id: window.last for stream_id, window in self._windows.items()}

    def _add(
        self, known: Mapping[str, int], found: Sequence[Frame], added: threading.Event
    ) -> None:
        """``found`` is behind ``known``; a window made since may need more, and gets it next."""
        for stream_id, frames in groupby(found, key=lambda frame: frame.stream_id):
            window = self._windows.get(stream_id)
            if window and known[stream_id] <= window.last:
                window.add(frames)
        added.set()


def render_frames(frames: Sequence[Frame], epoch: str) -> Iterator[bytes]:
    """Writes of whole frames behind their ids."""
    start, size = f"id: {epoch}".encode(), 0
    parts: list[bytes] = []
    for frame in frames:
        size += len(start) + len(frame.wire)
        if parts and size > WRITE_BYTES:
            yield b"".join(parts)
            parts, size = [], len(start) + len(frame.wire)
        parts += (start, frame.wire)
    yield b"".join(parts)
