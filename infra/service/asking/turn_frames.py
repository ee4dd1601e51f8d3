"""What whoever follows a turn live gets to see of its events, besides calls and questions."""

from __future__ import annotations

import json
from typing import Any

from infra.service.runs.family import Frame
from schemas.events.agent import (
    AgentEvent,
    FollowupsSuggested,
    HandoffFinished,
    HandoffStarted,
    Responded,
    ResultProduced,
    Routed,
    ThoughtRecorded,
)
from schemas.events.memory import MemoryStored


def frame_of(event: AgentEvent) -> Frame | None:
    """The frame of an event; None where nobody needs to see it."""
    match event:
        case Routed():
            return "routing", _pick(event, "agent next_agent message_to_agent thought engine")
        case ThoughtRecorded():
            return "thinking", _pick(event, "agent thought")
        case ResultProduced():
            shown = event.result.model_dump(mode="json", exclude={"output", "requires_review"})
            return "result", shown | {"output": json.loads(event.result.output)}
        case HandoffStarted():
            return "handoff_started", _pick(event, "call_id from_agent to_agent task")
        case HandoffFinished():
            return "handoff_finished", _pick(event, "call_id from_agent to_agent summary is_error")
        case FollowupsSuggested():
            return "follow_up_actions", {"follow_up_actions": event.actions}
        case MemoryStored():
            return "memory_stored", _pick(event, "memory_id namespace text relation")
        case Responded() if event.error:
            told = {"code": event.error, "message": event.text, "retriable": False}
            return "error", told | _ids(event)
        case Responded():
            return "done", _ids(event) | _pick(event, "text agent citations engine")
        case _:
            return None


def _ids(event: AgentEvent) -> dict[str, Any]:
    return _pick(event, "conversation_id turn_id")


def _pick(event: AgentEvent, names: str) -> dict[str, Any]:
    return event.model_dump(mode="json", include=set(names.split()))
