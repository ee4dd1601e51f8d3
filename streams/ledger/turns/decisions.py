"""Decisions of people that wait for their place between two turns; they come from ``hitl.v1``."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.envelope import Envelope
from schemas.events import EVENT_TYPES
from schemas.events.hitl import PersonDecided
from schemas.events.ledger import HumanDecision
from streams.cause import Cause
from streams.ledger.turns.arrivals import Arrivals, Waiting
from streams.ledger.turns.fold import LedgerView
from streams.stage import Tables


class WaitingDecision(Waiting):
    """A decision as it came; ``content`` is the event's JSON."""

    actor_id: str
    event_type: str
    content: str


@dataclass(frozen=True, slots=True)
class DueDecision:
    """A decision that takes the next place; it belongs to no turn.

    ``proposal`` is what it accepts or declines.
    """

    cause: Cause
    actor_id: str
    decided: PersonDecided
    turn: None = None
    proposal: HumanDecision | None = None


class Decisions(Arrivals[WaitingDecision]):
    """The waiting decisions of the projects of one partition."""

    def __init__(self, tables: Tables, view: LedgerView) -> None:
        super().__init__(tables, view, "decisions", WaitingDecision)

    def take(self, envelope: Envelope) -> None:
        """Fold an input."""
        if isinstance(decided := envelope.event, PersonDecided):
            content = decided.model_dump_json()
            told = {"actor_id": envelope.actor.id, "event_type": decided.type_name}
            self.add(envelope, **told, content=content)

    def next(self, project: str) -> DueDecision | None:
        """The decision to answer now, if any."""
        first = self.first(project)
        if first is None:
            return None
        decided = EVENT_TYPES[first.event_type].model_validate_json(first.content)
        assert isinstance(decided, PersonDecided)
        return DueDecision(first.cause, first.actor_id, decided)
