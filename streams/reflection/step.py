"""Stage 1b, reflection: the verdict on all candidates of a reading. Child processes import it."""

from __future__ import annotations

from schemas.envelope import Envelope, Event
from schemas.events.atom import AtomReflected, CandidatesExtracted
from schemas.events.hygiene import ChunkCreated
from schemas.versions import REFLECTION_VERSION
from streams.reflection import reflect
from streams.stage import Step


def reflect_candidates(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """Which candidates of a reading may become atoms."""
    match cause.event:
        case CandidatesExtracted() as extracted:
            return [reflect(extracted, chunk, has_model=extracted.reading.engine == "model")]
        case _:
            return []


def give_up(cause: Envelope, chunk: ChunkCreated | None, error: str) -> list[Event]:
    """A poisoned reading without candidates, so that the ledger's turn still comes."""
    match cause.event:
        case CandidatesExtracted() as extracted:
            poisoned = {"outcome": "poison", "error": error}
            reading = extracted.reading.model_copy(update=poisoned)
            return [AtomReflected(reading=reading, reflection_version=REFLECTION_VERSION)]
        case _:
            return []


REFLECT = Step(
    name="reflect",
    inputs=("atom.candidate.v1",),
    handle=reflect_candidates,
    give_up=give_up,
    with_chunk=True,
)
