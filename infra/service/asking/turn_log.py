"""The log of a turn of a conversation: a run whose events are those of `agent.v1`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from infra.service.asking.turn_frames import frame_of
from infra.service.asking.turn_payload import AskedAssistant, Fork
from infra.service.runs.family import Family, RunEvent, RunPlace
from infra.service.runs.run_log import Check, Publish, RunLog
from projections.read.agents import TurnEvent
from schemas.envelope import Actor
from schemas.events import EVENT_TYPES
from schemas.events.agent import (
    AgentEvent,
    ConfirmationGiven,
    ConfirmationRequested,
    EffectRecorded,
    RequestReceived,
    Responded,
    ToolCalled,
    ToolReturned,
)
from schemas.strings import Redactor

TURNS = Family(
    begun=RequestReceived,
    called=ToolCalled,
    returned=ToolReturned,
    recorded=EffectRecorded,
    asked=ConfirmationRequested,
    decided=ConfirmationGiven,
    ended=Responded,
    frame_of=frame_of,
    agent=Actor(type="agent", id="project_agents"),
    said=("text",),
    fixed=("project.project_id", "asked_by", "text", "memory_id", "memories"),
)

REQUEST = ("text", "role", "forked_from", "forked_at")
OF_ASSISTANT = ("agent", "owner", "project", "workflow", "time_zone")


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """Which turn of which conversation of which project, and who asks."""

    project_id: str
    conversation_id: str
    turn_id: str
    asked_by: str


class TurnLog(RunLog):
    """The events of one turn; see `RunLog`."""

    def __init__(
        self,
        place: TurnPlace,
        known: Sequence[TurnEvent],
        redactor: Redactor,
        publish: Publish | None,
        attempt: str = "",
        check: Check | None = None,
    ) -> None:
        fields = {"conversation_id": place.conversation_id, "turn_id": place.turn_id}
        run = RunPlace(place.project_id, place.turn_id, place.asked_by, fields)
        super().__init__(TURNS, run, list_events(known), redactor, publish, attempt, check)

    async def begin(
        self,
        text: str,
        role: str,
        fork: Fork | None = None,
        assistant: AskedAssistant | None = None,
    ) -> RequestReceived:
        """The request of the turn, as it was when that began: with ``text`` where it begins now."""
        said: dict[str, Any] = {"text": text, "role": role}
        if fork is not None:
            said |= {"forked_from": fork.turn_id, "forked_at": fork.at}
        if assistant is not None:
            said |= assistant.model_dump()
        if self.first is not None:
            said = {name: getattr(self.first, name) for name in REQUEST + OF_ASSISTANT}
        await self.record(RequestReceived, **said)
        assert isinstance(self.first, RequestReceived)
        return self.first

    async def record_failure(self, code: str, said: str) -> None:
        """The turn is over without an answer; ``said`` is why, a call without one is added."""
        if not self.has_ended:
            text = said + self.tell_open_calls()
            await self.append(Responded, text=text, agent="supervisor", error=code)


def list_events(known: Sequence[TurnEvent]) -> list[RunEvent]:
    return [RunEvent(each.ordinal, event_of(each), each.occurred_at) for each in known]


def event_of(known: TurnEvent) -> AgentEvent:
    """The event as it was told."""
    place: dict[str, Any] = known.model_dump(include={"turn_id", "conversation_id", "ordinal"})
    event = EVENT_TYPES[known.event_type].model_validate(known.data | place)
    assert isinstance(event, AgentEvent)
    return event
