"""What a child makes of a revision: cleaned, decided and encoded, so that the loop only sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schemas.codec import decode
from schemas.envelope import Event
from schemas.events.hygiene import ChunkCreated, SourceProcessed
from schemas.events.source import SourceInfo, SourceRevised
from streams.shell.outgoing import Outgoing, plain, stamped

Clean = Callable[[SourceInfo, bytes, bool], Any]
Decide = Callable[[SourceProcessed | None, SourceRevised, Any], list[Event]]


@dataclass(frozen=True, slots=True)
class Made:
    """A revision's answer: records to write first, and the marker, which waits for their places.

    ``chunk_ids`` are those of the records, empty for one that is no chunk.
    """

    before: tuple[Outgoing, ...]
    chunk_ids: tuple[str, ...]
    marker: SourceProcessed


def made_of(
    clean: Clean,
    decide: Decide,
    value: bytes,
    content: bytes,
    previous: SourceProcessed | None,
    at: datetime,
) -> Made:
    """The answer to the revision in the record ``value``, whose bytes in clear are ``content``.

    Raises RecordTooLarge, also for the marker, whose places are not known yet.
    """
    cause = decode(value)
    revised = cause.event
    assert isinstance(revised, SourceRevised)
    cleaned = clean(revised.source, content, revised.force_include)
    *facts, marker = decide(previous, revised, cleaned)
    assert isinstance(marker, SourceProcessed)
    stamped(cause.caused(marker), at)
    return Made(
        before=tuple(plain(stamped(cause.caused(fact), at)) for fact in facts),
        chunk_ids=tuple(fact.chunk_id if isinstance(fact, ChunkCreated) else "" for fact in facts),
        marker=marker,
    )
