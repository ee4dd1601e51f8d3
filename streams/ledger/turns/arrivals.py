"""Inputs that wait for a place between two turns, in the order in which they came.

The table is fed from one input topic alone and emptied by the ledger's own output, like those of
``turns``; what the ledger has answered already is not taken in. Once taken, ``ledger_seq`` holds
the place.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from schemas.envelope import Envelope, Part
from streams.cause import Cause
from streams.ledger.turns.fold import LedgerView
from streams.stage import Table, Tables


class Waiting(Part):
    """An input as it came; ``arrival`` counts those of its project."""

    cause: Cause
    arrival: int


Row = TypeVar("Row", bound=Waiting)


class Arrivals(Generic[Row]):
    """The waiting inputs of one sort, of the projects of one partition."""

    def __init__(self, tables: Tables, view: LedgerView, name: str, row: type[Row]) -> None:
        self._view = view
        self._row = row
        self.waiting: Table[Row] = tables.table(f"waiting_{name}", row)
        self.counts: Table[int] = tables.table(f"{name}_arrived", int)

    def projects(self) -> set[str]:
        """The projects in which one waits."""
        return {key.split("|", 1)[0] for key, _ in self.waiting.items()}

    def add(self, envelope: Envelope, **fields: Any) -> None:
        """Take an input in; the first one with an id counts, an answered one is dropped."""
        project = envelope.project_id
        key = f"{project}|{envelope.event_id}"
        if key in self.waiting or key in self._view.causes:
            return
        arrival = self.counts.get(project, 0)
        self.counts[project] = arrival + 1
        self.waiting[key] = self._row(cause=Cause.of(envelope), arrival=arrival, **fields)

    def drop_answered(self, project: str, event_id: str) -> None:
        """Drop the one that the ledger has answered."""
        self.waiting.pop(f"{project}|{event_id}", None)

    def first(self, project: str) -> Row | None:
        """The one that came first, if any."""
        return min(
            (waiting for _, waiting in self.waiting.with_prefix(f"{project}|")),
            key=lambda waiting: waiting.arrival,
            default=None,
        )
