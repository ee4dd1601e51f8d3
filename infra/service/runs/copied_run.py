"""The events of another run from which a fork takes its answers, each at its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.runs.effects import EffectKey
from infra.service.runs.family import Answered, Decided, Family
from schemas.envelope import Event


@dataclass(frozen=True, slots=True)
class CopiedRun:
    """Empty for a run that is no fork."""

    family: Family
    events: Mapping[int, Event] = field(default_factory=dict)

    def find(self, ordinal: int) -> Event | None:
        return self.events.get(ordinal)

    def find_decision(self, ordinal: int) -> Decided | None:
        """The decision in this place, if one is there."""
        event = self.events.get(ordinal)
        return event if isinstance(event, self.family.decided) else None

    def find_question(self, decision: Decided) -> int | None:
        """The number of the question that is decided: in a fork it has another id."""
        for ordinal, event in self.events.items():
            if not isinstance(event, self.family.asked):
                continue
            if event.confirmation_id == decision.confirmation_id:
                return ordinal
        return None

    def is_decided_next(self, ordinal: int) -> bool:
        """Whether a decision follows the questions from this place on: whoever follows is asked
        when none does any more.
        """
        while isinstance(self.events.get(ordinal), self.family.asked):
            ordinal += 1
        return self.find_decision(ordinal) is not None

    def is_other_call(self, ordinal: int, event: Event) -> bool:
        """Whether another call stands in the place of this one: what was approved or answered there
        is not about it.
        """
        copied, calls = self.events.get(ordinal), (self.family.called, self.family.asked)
        if not (isinstance(event, calls) and isinstance(copied, calls)):
            return False
        return (event.tool, event.arguments) != (copied.tool, copied.arguments)


def stand_alike(copied: Answered, key: EffectKey) -> bool:
    """Whether the effect of another run stands where ``key`` stands in this one. What it was given
    holds the name of its run, so that is not compared.
    """
    place = copied.position
    return (place.node, place.iteration, place.number) == (key.node, key.iteration, key.ordinal)
