"""Frames of live streams. What the topic has forgotten, the table forgets at the end of a run."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from projections.rows import Rows
from schemas.envelope import Envelope, Event
from schemas.events.stream import StreamFrame
from schemas.topics import BY_NAME

KEPT = timedelta(milliseconds=BY_NAME[StreamFrame.topic].retention_ms)
PLACE = (
    'UPDATE stream_frames f SET seq = p."offset" FROM event_places p'
    " WHERE p.event_id = f.event_id AND f.event_id = %s"
)
FORGET = "DELETE FROM stream_frames WHERE recorded_at < %s"


def stream_frame(rows: Rows, fact: Envelope, event: StreamFrame) -> None:
    rows.add(
        fact,
        "stream_frames",
        {
            "event_id": fact.event_id,
            "stream_id": event.stream_id,
            "name": event.name,
            "data": event.data,
            "is_last": event.is_last,
            "recorded_at": fact.recorded_at,
        },
    )
    rows.then(PLACE, (fact.event_id,))
    if event.is_last and fact.recorded_at is not None:
        rows.then(FORGET, (fact.recorded_at - KEPT,))


FOLDS: dict[type[Event], Any] = {StreamFrame: stream_frame}
