"""Whether a piece of work has recorded anything yet: published a fact, or changed a row for good.

A request that is refused before that has left nothing behind, so its idempotency key may come again
with a mended body.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Recording:
    is_begun: bool = False


_current: ContextVar[Recording | None] = ContextVar("recording", default=None)


@contextmanager
def watch_recording() -> Iterator[Recording]:
    """During the block, what the work records is noted; also in tasks that it starts."""
    watched = Recording()
    mark = _current.set(watched)
    try:
        yield watched
    finally:
        _current.reset(mark)


def note_recording() -> None:
    """Say that something is recorded from here on, or may be."""
    if watched := _current.get():
        watched.is_begun = True
