"""Parts of turns that were left out as undecidable, and that somebody has decided once more.

The table is fed from ``ledger.control.v1`` alone and emptied by the ledger's own output, like that
of ``decisions``. The answer is a change set of its own without a turn: the turn is applied, and the
run may be over.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.envelope import Envelope, Part
from schemas.events.ledger import Turn
from schemas.events.ledger_retry import LedgerRetryRequested
from streams.cause import Cause
from streams.ledger.fold import LedgerView
from streams.stage import Table, Tables


class WaitingRetry(Part):
    cause: Cause
    arrival: int
    requested: LedgerRetryRequested


@dataclass(frozen=True, slots=True)
class DueRetry:
    """What was left out of ``turn`` takes the next place; its change set has no turn."""

    cause: Cause
    requested: LedgerRetryRequested

    @property
    def turn(self) -> Turn:
        """The turn it was left out of: its run, lane and reader are those of the statements."""
        return self.requested.turn


class Retries:
    """The waiting retries of the projects of one partition."""

    def __init__(self, tables: Tables, view: LedgerView) -> None:
        self._view = view
        self.waiting: Table[WaitingRetry] = tables.table("waiting_retries", WaitingRetry)
        self.arrivals: Table[int] = tables.table("retry_arrivals", int)

    def projects(self) -> set[str]:
        """The projects in which one waits."""
        return {key.split("|", 1)[0] for key, _ in self.waiting.items()}

    def take(self, envelope: Envelope) -> None:
        """Fold an input; the first one with an id counts, an answered one is dropped."""
        requested, project = envelope.event, envelope.project_id
        if not isinstance(requested, LedgerRetryRequested):
            return
        key = f"{project}|{envelope.event_id}"
        if key in self.waiting or key in self._view.causes:
            return
        arrival = self.arrivals.get(project, 0)
        self.arrivals[project] = arrival + 1
        cause = Cause.of(envelope)
        self.waiting[key] = WaitingRetry(cause=cause, arrival=arrival, requested=requested)

    def drop_answered(self, project: str, event_id: str) -> None:
        """Drop the one that the ledger has answered."""
        self.waiting.pop(f"{project}|{event_id}", None)

    def next(self, project: str) -> DueRetry | None:
        """The one to answer now, if any."""
        first = min(
            (waiting for _, waiting in self.waiting.with_prefix(f"{project}|")),
            key=lambda waiting: waiting.arrival,
            default=None,
        )
        return DueRetry(first.cause, first.requested) if first else None
