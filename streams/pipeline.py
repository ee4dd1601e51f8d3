"""The topology as one table: which stages there are, what they read and what they write.

Stage 0 is apart: it decrypts, computes long and answers with a commit record, so it has a
runner of its own (``HYGIENE``). Names of stages are names of consumer groups and never change once
released. ``Pipeline.parts`` says which share a process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from streams.frames import FRAME
from streams.ledger.judging import JUDGE
from streams.ledger.writer import LEDGER
from streams.mapping import Read, map_step
from streams.publishing import PUBLISH
from streams.reduce.writer import REDUCE
from streams.reflection.adjudication import ADJUDICATE
from streams.reflection.step import reflect_step
from streams.repartitioning import REPARTITIONER
from streams.run_control.writer import RUN_CONTROL
from streams.stage import Step, Writer

HYGIENE = "hygiene"
HYGIENE_INPUT = "source.v1"
DECIDING = (REPARTITIONER, RUN_CONTROL, LEDGER, REDUCE, PUBLISH, FRAME)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """All stages but stage 0, in the order a fact travels."""

    steps: tuple[Step, ...]
    writers: tuple[Writer[Any], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Every stage's name, stage 0 first."""
        return (HYGIENE, *(step.name for step in self.steps), *(w.name for w in self.writers))

    @property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """The stages of a process by its work: ``reading`` texts, ``deciding`` on what they gave.

        They meet on topics only. What gives way to previews is together in ``reading``.
        """
        deciding = tuple(stage.name for stage in DECIDING)
        reading = tuple(name for name in self.names if name not in deciding)
        return {"reading": reading, "deciding": deciding, "all": self.names}


def pipeline(read: Read, sampled_percent: float = 0) -> Pipeline:
    """The whole topology with ``read`` as the reader of stage 1.

    ``sampled_percent``: of a model's sure statements, how many are sent for a verdict.
    """
    reflect = reflect_step(sampled_percent)
    return Pipeline(
        steps=(
            REPARTITIONER,
            map_step("preview", read, reflect),
            map_step("deep", read, reflect),
            reflect,
            ADJUDICATE,
            JUDGE,
            PUBLISH,
            FRAME,
        ),
        writers=(RUN_CONTROL, LEDGER, REDUCE),
    )
