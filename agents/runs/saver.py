"""What LangGraph keeps of a run between two steps of its graph: a cache of the run's log.

With it a run that is taken up again begins at the step where it was, not at its first. It is used
only where its seal is that of this very run, of the events that its log holds up to there, and of
this program. Deleted, tampered with or of another program it is no answer: the run begins at its
first step, finds each effect in the log, and keeps its state again. One state a run is kept.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

Seal = Callable[[bytes], str]
"""A text that only this installation can give these bytes."""


@dataclass(frozen=True, slots=True)
class KeptState:
    """``position`` is the number of events that the log held when the state was kept."""

    position: int
    kind: str
    state: bytes
    seal: str


class StateStore(Protocol):
    """The last state of each run."""

    async def read(self, run_id: str) -> KeptState | None: ...

    async def keep(self, run_id: str, kept: KeptState) -> None: ...


class LogPrefix(Protocol):
    """The log of the run, as far as a state rests on it."""

    @property
    def position(self) -> int:
        """The number of the next event."""
        ...

    def hash_until(self, position: int) -> str | None:
        """The hash of the events before ``position``; None where the log does not reach there."""
        ...

    async def go_to(self, position: int) -> None:
        """The steps before ``position`` are done."""
        ...


class RunSaver(BaseCheckpointSaver[int]):
    """The saver of one run. ``program`` names the code whose state it is, ``types`` are those that
    the state may hold besides plain values.
    """

    def __init__(
        self,
        run_id: str,
        log: LogPrefix,
        store: StateStore,
        seal: Seal,
        program: str,
        types: Sequence[type],
    ) -> None:
        allowed = tuple((each.__module__, each.__name__) for each in types)
        super().__init__(serde=JsonPlusSerializer(allowed_msgpack_modules=allowed))
        self.run_id = run_id
        self._log, self._store, self._seal, self._program = log, store, seal, program
        self._latest: CheckpointTuple | None = None

    async def resume(self, configurable: Mapping[str, Any]) -> bool:
        """Whether the run goes on from a state that was kept; its log is there, too."""
        kept = await self._store.read(self.run_id)
        if kept is None or kept.position < self._log.position or not self._is_sealed(kept):
            return False
        checkpoint, metadata = self.serde.loads_typed((kept.kind, kept.state))
        at = {**configurable, "checkpoint_ns": "", "checkpoint_id": checkpoint["id"]}
        self._latest = CheckpointTuple({"configurable": at}, checkpoint, metadata)
        await self._log.go_to(kept.position)
        return True

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._latest

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        at = {**config["configurable"], "checkpoint_id": checkpoint["id"]}
        self._latest = CheckpointTuple({"configurable": at}, checkpoint, metadata)
        if metadata.get("source") == "input":  # before the first step there is nothing to keep
            return {"configurable": at}
        try:
            kind, state = self.serde.dumps_typed((checkpoint, metadata))
        except (TypeError, ValueError, OverflowError, RecursionError):
            return {"configurable": at}  # a cache: the run begins at an earlier step without it
        position = self._log.position
        seal = self._seal(self._sealed(position, kind, state))
        await self._store.keep(self.run_id, KeptState(position, kind, state, seal))
        return {"configurable": at}

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """What a node has written before its step ended is not kept: the node runs again."""

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        if self._latest is not None:
            yield self._latest

    def _is_sealed(self, kept: KeptState) -> bool:
        if self._log.hash_until(kept.position) is None:
            return False
        seal = self._seal(self._sealed(kept.position, kept.kind, kept.state))
        return hmac.compare_digest(kept.seal.encode(), seal.encode())

    def _sealed(self, position: int, kind: str, state: bytes) -> bytes:
        about = (self.run_id, self._program, str(position), self._log.hash_until(position), kind)
        return "\n".join(map(str, about)).encode() + b"\n" + state
