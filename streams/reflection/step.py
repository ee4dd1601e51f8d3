"""Stage 1b, reflection: the verdict on all candidates of a reading. Child processes import it."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.envelope import Envelope, Event
from schemas.events.atom import AtomReflected, CandidatesExtracted
from schemas.events.hygiene import ChunkCreated
from schemas.versions import REFLECTION_VERSION
from streams.reflection import reflect
from streams.stage import Step


@dataclass(frozen=True, slots=True)
class Reflection:
    """Decides which candidates of a reading may become atoms. Picklable.

    ``sampled_percent``: of the sure ones of a model, how many are sent for a verdict, too.
    """

    sampled_percent: float = 0

    def __call__(self, cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
        match cause.event:
            case CandidatesExtracted() as extracted:
                has_model = extracted.reading.engine == "model"
                return [reflect(extracted, chunk, has_model, self.sampled_percent)]
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


def reflect_step(sampled_percent: float = 0) -> Step:
    """Stage 1b."""
    return Step(
        name="reflect",
        inputs=("atom.candidate.v1",),
        handle=Reflection(sampled_percent),
        give_up=give_up,
        with_chunk=True,
    )
