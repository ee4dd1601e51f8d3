"""Frames for clients that follow a project or a run while it goes on. Key ``stream_id``."""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event


class StreamFrame(Event):
    """One frame of a stream of Server-Sent Events.

    ``stream_id`` is the project, whose stream has no end, or one run. ``name`` is the frame's event
    name, ``data`` one JSON object as text. The record's offset orders the frames of a stream.
    ``is_last``: the stream ends with this frame.
    """

    type_name: ClassVar[str] = "stream.frame"
    topic: ClassVar[str] = "stream.v1"

    stream_id: str
    ordinal: int
    name: str
    data: str
    is_last: bool = False

    @property
    def aggregate_id(self) -> str:
        return self.stream_id

    @property
    def local_key(self) -> str:
        return f"{self.stream_id}|{self.ordinal}"
