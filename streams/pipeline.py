"""The topology as one table: which stages there are, what they read and what they write.

Stage 0 stands beside it: it decrypts, computes long and answers with a marker, so it has a runner
of its own (``HYGIENE``). Names of stages are names of consumer groups and never change once
released.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schemas.envelope import Envelope, Event
from schemas.events.atom import AtomReflected, CandidatesExtracted
from schemas.events.hygiene import ChunkCreated
from streams.ledger.writer import LEDGER
from streams.mapping import Read, map_step
from streams.publishing import PUBLISH
from streams.reduce.writer import REDUCE
from streams.reflection import reflect
from streams.rekeying import REKEYER
from streams.run_control.writer import RUN_CONTROL
from streams.stage import Step, Writer

HYGIENE = "hygiene"
HYGIENE_INPUT = "source.v1"


def reflect_candidates(cause: Envelope, chunk: ChunkCreated | None) -> list[Event]:
    """Stage 1b: the judgement on all candidates of one reading."""
    match cause.event:
        case CandidatesExtracted() as extracted:
            return [reflect(extracted, chunk)]
        case _:
            return []


def give_up_judging(cause: Envelope, chunk: ChunkCreated | None, error: str) -> list[Event]:
    """The ledger's turn comes all the same: a poisoned reading without candidates."""
    match cause.event:
        case CandidatesExtracted() as extracted:
            poisoned = {"outcome": "poison", "error": error}
            return [AtomReflected(reading=extracted.reading.model_copy(update=poisoned))]
        case _:
            return []


REFLECT = Step(
    name="reflect",
    inputs=("atom.candidate.v1",),
    handle=reflect_candidates,
    give_up=give_up_judging,
    with_chunk=True,
)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """All stages but stage 0, in the order a fact travels."""

    steps: tuple[Step, ...]
    writers: tuple[Writer[Any], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Every stage's name, stage 0 first."""
        return (HYGIENE, *(step.name for step in self.steps), *(w.name for w in self.writers))


def pipeline(read: Read) -> Pipeline:
    """The whole topology with ``read`` as the reader of stage 1."""
    return Pipeline(
        steps=(REKEYER, map_step("preview", read), map_step("deep", read), REFLECT, PUBLISH),
        writers=(RUN_CONTROL, LEDGER, REDUCE),
    )
