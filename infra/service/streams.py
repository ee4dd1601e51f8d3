"""Live streams: whoever follows one gets every frame once and in order, however slow they are.

The frames are rows. One thread waits for the database to say that there are new ones, reads those
of all streams that somebody follows, and hands them to their followers. A follower that falls
behind by more than its queue reads pages from the table until it has caught up, so nobody waits for
anybody else, and a frame is never kept twice.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import groupby

import infra.postgres
from infra.errors import DatabaseUnavailable
from infra.log import get
from infra.service.http_tables import Tables
from infra.settings import Settings
from projections.read.session import Conn
from projections.read.streams import Frame as Frame
from projections.read.streams import Stream as Stream
from projections.read.streams import ends_of as ends_of
from projections.read.streams import frames as read_page
from projections.read.streams import frames_behind
from projections.read.streams import stream as stream
from projections.read.streams import unknown_stream as unknown_stream

QUEUE_FRAMES = 256
PAGE_FRAMES = 256
NEWS_FRAMES = 4_096  # of one look at all followed streams
WAKE_S = 1.0  # also looked without being told
PAUSE_S = 0.5  # before the next try when the database is away

log = get("streams")


class Follower:
    """A bounded queue of frames of one stream; ``is_behind`` when it could not hold them."""

    def __init__(self) -> None:
        self._frames: deque[Frame] = deque()
        self._news = asyncio.Event()
        self.is_behind = False

    def offer(self, frames: Sequence[Frame]) -> None:
        """Keep the frames, or none at all when they are too many."""
        if self.is_behind or len(self._frames) + len(frames) > QUEUE_FRAMES:
            self.is_behind = True
            self._frames.clear()
        else:
            self._frames.extend(frames)
        self._news.set()

    def start_again(self) -> None:
        self._frames.clear()
        self.is_behind = False

    async def take(self, timeout_s: float) -> list[Frame]:
        """What has come; nothing when nothing came in time, or when it is behind."""
        try:
            await asyncio.wait_for(self._news.wait(), timeout_s)
        except TimeoutError:
            return []
        self._news.clear()
        frames = list(self._frames)
        self._frames.clear()
        return frames


class Hub:
    """Hands the new frames of all streams to those who follow them."""

    def __init__(self, settings: Settings, tables: Tables) -> None:
        self._settings, self._tables = settings, tables
        self._followers: dict[str, set[Follower]] = {}
        self._known: dict[str, int] = {}  # by stream, the last frame that was handed on
        self._lock = threading.Lock()
        self._stop = threading.Event()

    @property
    def count(self) -> int:
        """How many follow a stream now."""
        return sum(len(each) for each in self._followers.values())

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Hub]:
        """Frames are handed on for the block."""
        loop = asyncio.get_running_loop()
        thread = threading.Thread(target=self._listen, args=(loop,), name="frames", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            await asyncio.to_thread(thread.join, 2 * WAKE_S)

    async def follow(
        self, stream_id: str, after: int, heartbeat_s: float
    ) -> AsyncGenerator[Sequence[Frame], None]:
        """All frames behind ``after`` in order, as they come, up to the stream's last one.

        An empty batch says that none came for ``heartbeat_s``.
        """
        with self._following(stream_id) as follower:
            await self._begin(stream_id)
            while True:
                follower.start_again()
                is_more = True
                while is_more:
                    page = await self._tables.ask(read_page, stream_id, after, PAGE_FRAMES)
                    is_more = len(page) == PAGE_FRAMES
                    if page:
                        after = page[-1].seq
                        yield page
                        if page[-1].is_last:
                            return
                while not follower.is_behind:
                    news = await follower.take(heartbeat_s)
                    if follower.is_behind:
                        break
                    fresh = [frame for frame in news if frame.seq > after]
                    if news and not fresh:
                        continue
                    after = fresh[-1].seq if fresh else after
                    yield fresh
                    if fresh and fresh[-1].is_last:
                        return

    async def _begin(self, stream_id: str) -> None:
        """What the stream gets from now on is handed on; what it has by then is in its pages."""
        if stream_id not in self._known:
            ends = await self._tables.ask(ends_of, stream_id)
            with self._lock:
                self._known.setdefault(stream_id, ends.last)

    @contextmanager
    def _following(self, stream_id: str) -> Iterator[Follower]:
        """A follower, there before its first page is read, so that no frame falls between."""
        follower = Follower()
        with self._lock:
            self._followers.setdefault(stream_id, set()).add(follower)
        try:
            yield follower
        finally:
            with self._lock:
                self._followers[stream_id].discard(follower)
                if not self._followers[stream_id]:
                    del self._followers[stream_id]
                    self._known.pop(stream_id, None)

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._stop.is_set():
            try:
                with infra.postgres.connect(self._settings.conninfo, autocommit=True) as connection:
                    connection.execute("LISTEN cairn_frames")
                    while not self._stop.is_set():
                        self._hand_on(loop, connection)
                        for _ in connection.notifies(timeout=WAKE_S, stop_after=1):
                            pass
            except DatabaseUnavailable as error:
                log.warning("streams.database_away", reason=str(error), again_in_s=PAUSE_S)
                self._stop.wait(PAUSE_S)
            except Exception:  # a thread that ends would silence all streams, and nobody would know
                log.exception("streams.failed", again_in_s=PAUSE_S)
                self._stop.wait(PAUSE_S)

    def _hand_on(self, loop: asyncio.AbstractEventLoop, connection: Conn) -> None:
        """The frames that came are with their followers, as many looks as it takes."""
        while known := self._followed():
            found = frames_behind(connection, known, NEWS_FRAMES)
            for stream_id, group in groupby(found, key=lambda frame: frame.stream_id):
                batch = list(group)
                with self._lock:
                    if stream_id in self._known:
                        self._known[stream_id] = batch[-1].seq
                loop.call_soon_threadsafe(self._offer, stream_id, batch)
            if len(found) < NEWS_FRAMES:
                return

    def _followed(self) -> dict[str, int]:
        with self._lock:
            return dict(self._known)

    def _offer(self, stream_id: str, frames: Sequence[Frame]) -> None:
        for follower in self._followers.get(stream_id, ()):
            follower.offer(frames)
