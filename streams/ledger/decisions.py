"""Decisions of people that wait for their place between two turns.

The table is fed from ``hitl.v1`` alone and emptied by the ledger's own output, like those of
``turns``; a decision whose change set is there already is not taken in. Among decisions that wait
the one that arrived first comes first; once taken, ``ledger_seq`` holds its place.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.envelope import Envelope, Part
from schemas.events import EVENT_TYPES
from schemas.events.hitl import PersonDecided
from schemas.events.ledger import HumanDecision
from streams.cause import Cause
from streams.ledger.fold import LedgerView
from streams.stage import Table, Tables


class WaitingDecision(Part):
    """A decision as it came; ``content`` is the event's JSON."""

    cause: Cause
    arrival: int
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


class Decisions:
    """The waiting decisions of the projects of one partition."""

    def __init__(self, tables: Tables, view: LedgerView) -> None:
        self._view = view
        self.waiting: Table[WaitingDecision] = tables.table("waiting_decisions", WaitingDecision)
        self.arrivals: Table[int] = tables.table("decision_arrivals", int)

    def projects(self) -> set[str]:
        """The projects in which a decision waits."""
        return {key.split("|", 1)[0] for key, _ in self.waiting.items()}

    def take(self, envelope: Envelope) -> None:
        """Fold an input; the first one with an id counts, an answered one is dropped."""
        decided, project = envelope.event, envelope.project_id
        if not isinstance(decided, PersonDecided):
            return
        key = f"{project}|{envelope.event_id}"
        if key in self.waiting or key in self._view.causes:
            return
        arrival = self.arrivals.get(project, 0)
        self.arrivals[project] = arrival + 1
        self.waiting[key] = WaitingDecision(
            cause=Cause.of(envelope),
            arrival=arrival,
            actor_id=envelope.actor.id,
            event_type=decided.type_name,
            content=decided.model_dump_json(),
        )

    def drop_answered(self, project: str, event_id: str) -> None:
        """Drop the decision that the ledger has answered."""
        self.waiting.pop(f"{project}|{event_id}", None)

    def next(self, project: str) -> DueDecision | None:
        """The decision to answer now, if any."""
        first = min(
            (waiting for _, waiting in self.waiting.with_prefix(f"{project}|")),
            key=lambda waiting: waiting.arrival,
            default=None,
        )
        if first is None:
            return None
        decided = EVENT_TYPES[first.event_type].model_validate_json(first.content)
        assert isinstance(decided, PersonDecided)
        return DueDecision(first.cause, first.actor_id, decided)
