"""Repartitioner: carries stage 0's answers from the source's key to the project's, for run control.

Outside of the code it is called ``repartitioner``: so its consumer group is named.
"""

from __future__ import annotations

from schemas.envelope import Envelope, Event
from schemas.events.hygiene import ChunkCreated, SourceProcessed
from schemas.events.ingestion_request import SourceReady
from streams.stage import Step


def carry_over(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """``source.ready`` for a source's ``source.processed``; nothing for its chunks."""
    match cause.event:
        case SourceProcessed() as processed:
            return [SourceReady(processed=processed)]
        case _:
            return []


def give_up(cause: Envelope, chunk: ChunkCreated | None, error: str) -> list[Event]:
    """The source as one that could not be read, so that no run waits for it."""
    match cause.event:
        case SourceProcessed() as processed:
            poisoned = {"outcome": "skipped", "skip_reason": "poison", "skip_detail": error}
            return [SourceReady(processed=processed.model_copy(update=poisoned))]
        case _:
            return []


REPARTITIONER = Step(
    name="repartitioner",
    inputs=("chunk.v1",),
    handle=carry_over,
    give_up=give_up,
    only=(SourceProcessed.type_name,),
)
