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
from streams.shell.outgoing import Outgoing, plain, stamp

Clean = Callable[[SourceInfo, bytes, bool], Any]
Decide = Callable[[SourceProcessed | None, SourceRevised, Any], list[Event]]


@dataclass(frozen=True, slots=True)
class MadeAnswer:
    """A revision's answer: records to write first; the commit record will name their places.

    ``chunk_ids`` are those of the records, empty for one that is no chunk.
    """

    before: tuple[Outgoing, ...]
    chunk_ids: tuple[str, ...]
    commit_record: SourceProcessed


def make_answer(
    clean: Clean,
    decide: Decide,
    value: bytes,
    content: bytes,
    previous: SourceProcessed | None,
    at: datetime,
) -> MadeAnswer:
    """The answer to the revision in the record ``value``, whose bytes in clear are ``content``.

    Raises RecordTooLarge, also for the commit record, whose places are not known yet.
    """
    cause = decode(value)
    revised = cause.event
    assert isinstance(revised, SourceRevised)
    cleaned = clean(revised.source, content, revised.force_include)
    *facts, commit_record = decide(previous, revised, cleaned)
    assert isinstance(commit_record, SourceProcessed)
    stamp(cause.caused(commit_record), at)
    return MadeAnswer(
        before=tuple(plain(stamp(cause.caused(fact), at)) for fact in facts),
        chunk_ids=tuple(fact.chunk_id if isinstance(fact, ChunkCreated) else "" for fact in facts),
        commit_record=commit_record,
    )
