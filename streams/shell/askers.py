"""Where stages ask a model: beside the loop's own work, a few calls at a time, for as long as each
may take.

A record waits in its stage's window while its answer is on the way; results are written as they
come, and what is acknowledged stays the finished prefix. Who asks is handed a model and knows no
provider. Nobody to ask is no failure: the step's own function answers then, by rules.

Decided against: a process of its own for reading with a model. The request says who is to read, and
its stage does either.
"""

from __future__ import annotations

from typing import Protocol

from agents.models.call import ChatModel
from infra.platform.settings import Settings
from schemas.envelope import Envelope, Event
from streams.ledger.judging import JUDGE
from streams.mapping import Mapping
from streams.reflection.adjudication import ADJUDICATE
from streams.shell.chunks import ChunkReader, Found
from streams.shell.model_reading import ModelReading
from streams.shell.pool import Pools
from streams.shell.single_calls import ModelAdjudication, ModelJudging
from streams.stage import Step

ATTEMPTS_WITHIN = 2.5  # limits of one attempt (CAIRN_MODEL_TIMEOUT_S): the time of a call


class Asker(Protocol):
    """Answers a stage's records with a model."""

    @property
    def window(self) -> int:
        """How many records may be under way."""
        ...

    @property
    def work(self) -> int:
        """Grows with every answer, and while calls are under way within their time."""
        ...

    async def answer(self, cause: Envelope, found: Found | None) -> list[Event] | None:
        """The stage's outputs for the record; None when its own function has to answer."""
        ...

    async def close(self) -> None: ...


def make_asker(
    step: Step, model: ChatModel | None, chunks: ChunkReader, pools: Pools, settings: Settings
) -> Asker | None:
    """Who asks the model for the step, where there is one and the step has use for it."""
    if model is None:
        return None
    timeout_s = ATTEMPTS_WITHIN * settings.model_timeout_s
    if step.name == ADJUDICATE.name:
        return ModelAdjudication(model, chunks, timeout_s=timeout_s)
    if step.name == JUDGE.name:
        return ModelJudging(model, timeout_s=timeout_s)
    pool = {"child": pools.deep, "preview_child": pools.preview}.get(step.place)
    if pool is None or not isinstance(step.handle, Mapping):
        return None
    return ModelReading(
        model,
        pool,
        step.handle.read,
        timeout_s=timeout_s,
        most_together=settings.model_pack,
    )
