"""States of runs in the database, or in this process alone, sealed with the key of this
installation.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Protocol

from infra.platform.errors import Unavailable
from infra.platform.settings import Settings
from infra.service.access.signed import signature_of
from infra.service.access.stream_tokens import read_stream_key
from infra.service.foundation.database import ask, transact
from infra.service.runs.run_log import RunLog
from infra.store.checkpoints import (
    CheckpointRow,
    drop_checkpoint,
    find_checkpoint,
    keep_checkpoint,
)
from schemas.code_version import code_version
from schemas.ids import sha256_hex

if TYPE_CHECKING:
    from agents.runs.saver import KeptState, RunSaver

PURPOSE = b"checkpoint:"
MOST_KEPT = 1_000  # states in memory, some tens of kilobytes each: the oldest is left first


class States(Protocol):
    """Where the last state of each run is kept; see `agents.runs.saver.StateStore`."""

    async def read(self, run_id: str) -> KeptState | None: ...

    async def keep(self, run_id: str, kept: KeptState) -> None: ...

    async def drop(self, run_id: str) -> None:
        """Also of the work that agents have handed over in the run."""
        ...


def open_states(settings: Settings) -> States:
    """The states of this installation, where its settings keep them."""
    return _IN_MEMORY if settings.checkpoints == "memory" else StoredStates(settings)


class StatesInMemory:
    """The last state of each run that this process has worked on last."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[str, KeptState] = OrderedDict()

    async def read(self, run_id: str) -> KeptState | None:
        return self._kept.get(run_id)

    async def keep(self, run_id: str, kept: KeptState) -> None:
        self._kept[run_id] = kept
        self._kept.move_to_end(run_id)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    async def drop(self, run_id: str) -> None:
        for known in [it for it in self._kept if it == run_id or it.startswith(f"{run_id}.")]:
            del self._kept[known]


_IN_MEMORY = StatesInMemory()


class StoredStates:
    """The last state of each run, in its row."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def read(self, run_id: str) -> KeptState | None:
        from agents.runs.saver import KeptState

        row = await ask(self._settings, partial(find_checkpoint, run_id=run_id))
        if row is None:
            return None
        return KeptState(row.position, row.kind, row.state, row.seal)

    async def keep(self, run_id: str, kept: KeptState) -> None:
        row = CheckpointRow(
            position=kept.position, kind=kept.kind, state=kept.state, seal=kept.seal
        )
        with suppress(Unavailable):  # a cache: the run begins at an earlier step without it
            await transact(self._settings, partial(keep_checkpoint, run_id=run_id, row=row))

    async def drop(self, run_id: str) -> None:
        await transact(self._settings, partial(drop_checkpoint, run_id=run_id))


def make_saver(settings: Settings, run_log: RunLog, run_id: str, types: Sequence[type]) -> RunSaver:
    """The saver of a run whose state holds values of these ``types``."""
    from agents.runs.saver import RunSaver

    key = read_stream_key(settings)

    def seal(data: bytes) -> str:
        return signature_of(key, PURPOSE, sha256_hex(data))

    program = f"{code_version('agents', 'schemas')}+langgraph-{version('langgraph')}"
    return RunSaver(run_id, run_log, open_states(settings), seal, program, types)
