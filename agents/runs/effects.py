"""The one way in which agents touch the world, so that a run can be taken up again and replayed.

An effect has a key that follows from where it stands in the run and from what it is given. When
its event is in the log, that is the answer; else the effect is made and its event is acknowledged
before the answer is used. An effect that was begun and not answered, since the process ended
meanwhile, may or may not have happened: one that changes something is therefore made through a
request whose idempotency key is the effect's key. Where the outside knows of no such key it is made
``once``: one that was begun and not answered is not made again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from schemas.ids import derive_id

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EffectKey:
    """Where an effect stands: ``run_id`` is the run, ``ordinal`` counts within the node's
    iteration, ``input_hash`` is the hash of what the effect is given.
    """

    run_id: str
    node: str
    iteration: int
    ordinal: int
    input_hash: str

    @property
    def effect_id(self) -> str:
        return derive_id(
            "eff",
            self.run_id,
            self.node,
            str(self.iteration),
            str(self.ordinal),
            self.input_hash,
        )


class Effects(Protocol):
    """The effects of one run."""

    async def run(
        self, key: EffectKey, kind: str, given: Json, make: Callable[[], Awaitable[Json]]
    ) -> Json:
        """The recorded answer of the effect, or that of ``make`` after it is recorded.

        ``kind`` is ``model``, ``tool``, ``clock`` or ``read`` (of the project's tables). ``given``
        of a tool has ``tool`` and ``args``, and ``once`` for a call that is not made again where it
        was begun and not answered: its answer says so. In a replay a missing record raises
        RecordMissing, which names it.
        """
        ...

    async def tell(self, event: str, data: Json) -> None:
        """Send a frame to whoever follows the run live; it changes nothing."""
        ...


class RecordMissing(Exception):
    """A replay needs the record of an effect that the log does not hold."""

    def __init__(self, key: EffectKey, kind: str) -> None:
        super().__init__(
            f"The log holds no record of the {kind} effect {key.effect_id}"
            f" ({key.node}, iteration {key.iteration}, number {key.ordinal})."
        )
        self.key = key
