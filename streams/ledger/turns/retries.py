"""Parts of turns that were left out as undecidable, and that somebody has decided once more.

They come from ``ledger.control.v1``. The answer is a change set of its own without a turn: the turn
is applied, and the run may be over.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.envelope import Envelope
from schemas.events.ledger import Turn
from schemas.events.ledger_retry import LedgerRetryRequested
from streams.cause import Cause
from streams.ledger.turns.arrivals import Arrivals, Waiting
from streams.ledger.turns.fold import LedgerView
from streams.stage import Tables


class WaitingRetry(Waiting):
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


class Retries(Arrivals[WaitingRetry]):
    """The waiting retries of the projects of one partition."""

    def __init__(self, tables: Tables, view: LedgerView) -> None:
        super().__init__(tables, view, "retries", WaitingRetry)

    def take(self, envelope: Envelope) -> None:
        """Fold an input."""
        if isinstance(envelope.event, LedgerRetryRequested):
            self.add(envelope, requested=envelope.event)

    def next(self, project: str) -> DueRetry | None:
        """The one to answer now, if any."""
        first = self.first(project)
        return DueRetry(first.cause, first.requested) if first else None
