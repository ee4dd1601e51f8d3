"""Stage 1: one chunk in, candidate atoms out; who reads is handed in.

Every request gets exactly one result, whatever happens: the ledger waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from schemas.envelope import Envelope, Event
from schemas.events.atom import CandidatesExtracted, Reading
from schemas.events.extract import ExtractRequested
from schemas.events.hygiene import ChunkCreated
from schemas.model_reading import NOBODY_ASKED
from schemas.versions import EXTRACTOR_VERSION
from streams.stage import Step

Read = Callable[[ExtractRequested, ChunkCreated], CandidatesExtracted]


@dataclass(frozen=True, slots=True)
class Mapping:
    """Answers a request with what the reader finds. Picklable when ``read`` is."""

    read: Read

    def __call__(self, cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
        match cause.event:
            case ExtractRequested() if chunk is None:
                return give_up(cause, None, "chunk_not_found")
            case ExtractRequested() as request if chunk is not None:
                return [_note_engine(request, self.read(request, chunk))]
            case _:
                return []


def _note_engine(
    request: ExtractRequested, candidates_extracted: CandidatesExtracted
) -> CandidatesExtracted:
    """The result with the reason where rules have read what a model was to read."""
    if (
        request.engine != "model"
        or candidates_extracted.reading.engine == "model"
        or candidates_extracted.reading.error
    ):
        return candidates_extracted
    reading = candidates_extracted.reading.model_copy(update={"error": NOBODY_ASKED})
    return candidates_extracted.model_copy(update={"reading": reading})


def give_up(cause: Envelope, chunk: ChunkCreated | None, error: str) -> list[Event]:
    """The answer for a chunk that could not be read: poison, with the class of the error."""
    request = cause.event
    if not isinstance(request, ExtractRequested):
        return []
    reading = Reading(
        run_id=request.run_id,
        batch_no=request.batch_no,
        position=request.position,
        batch_size=request.batch_size,
        lane=request.lane,
        chunk_id=request.chunk_id,
        source_id=request.source_id,
        sanitized_hash=chunk.sanitized_hash if chunk else "",
        structure_path=chunk.structure_path if chunk else [],
        outcome="poison",
        error=error,
        engine=request.engine,
        extractor_version=EXTRACTOR_VERSION,
        input_tokens=chunk.token_estimate if chunk else 0,
    )
    return [
        CandidatesExtracted(
            reading=reading,
            chunk_partition=request.chunk_partition,
            chunk_offset=request.chunk_offset,
        )
    ]


def map_step(lane: Literal["preview", "deep"], read: Read, then: Step | None = None) -> Step:
    """The map stage of one lane; the deep one computes below the others' priority."""
    return Step(
        name=f"map_{lane}",
        inputs=(f"extract.{lane}.v1",),
        handle=Mapping(read),
        give_up=give_up,
        with_chunk=True,
        place="preview_child" if lane == "preview" else "child",
        then=then,
    )
