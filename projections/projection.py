"""A projection as a value: which topics become rows of which tables, and in which schema they are.

Several run side by side in one database. Each has a schema, a checkpoint and locks of its own, so a
rebuild of one does not touch another, and a schema can be closed to readers of the others. Every
schema has the tables ``projection_offsets``, ``event_places`` and ``dead_letters``; one that folds
a numbered log (`projections.sequence`) also has ``log_heads`` and ``ledger_change_sets``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from projections.rows import Rows
from projections.tables import Table
from schemas.envelope import Envelope
from schemas.events import EVENT_TYPES
from schemas.ids import sha256_hex

Fold = Callable[[Rows, Envelope, Any], None]


@dataclass(frozen=True, slots=True)
class Projection:
    """``name`` is in the checkpoint and never changes; ``folds`` are by event type.

    ``tables`` are all of the schema but ``projection_offsets``.
    """

    name: str
    schema: str
    topics: tuple[str, ...]
    folds: Mapping[str, Fold]
    tables: Mapping[str, Table]

    @property
    def rebuild_schema(self) -> str:
        """Where a rebuild folds the log again."""
        return f"{self.schema}_rebuild"

    def passes_over(self, event_type: str) -> bool:
        """Whether it leaves records of a known type unread."""
        return event_type in EVENT_TYPES and event_type not in self.folds

    def lock(self, work: str) -> int:
        """The advisory lock of work that only one session may do at a time."""
        return int(sha256_hex(f"{self.name}|{work}")[:15], 16)
