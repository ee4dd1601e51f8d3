"""What the effects of decisions share: who decided when and why, and how one is refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schemas.events.hitl import PersonDecided
from streams.ledger.turns.refusals import DecisionTarget, find_refusal


class Refused(Exception):
    """The decision cannot be carried out; ``code`` says why.

    ``records`` are the ids of atoms and contradictions besides the target that show it.
    """

    def __init__(self, code: str, *records: str) -> None:
        super().__init__(code)
        self.code, self.records = code, records


@dataclass(frozen=True, slots=True)
class Ruling:
    """Who decided, when, and in which words."""

    hitl_event_id: str
    actor_id: str
    at: datetime
    rationale: str
    undoes: str | None = None

    @property
    def on_pair(self) -> dict[str, Any]:
        """The fields by which a contradiction or merge candidate names its decision."""
        return {
            "decided_by": self.actor_id,
            "decided_at": self.at,
            "hitl_event_id": self.hitl_event_id,
        }


def require_last(undoes: str | None, last: str | None, *records: str) -> None:
    """Raises Refused when a decision is to be taken back and another one came after it.

    ``records`` show that one, when it is not the target that does.
    """
    if undoes is not None and undoes != last:
        raise Refused("decided_since", *records)


def require_fit(decided: PersonDecided, target: DecisionTarget) -> None:
    """Raises Refused when the target itself shows that the decision cannot be carried out."""
    if code := find_refusal(decided, target):
        raise Refused(code)
