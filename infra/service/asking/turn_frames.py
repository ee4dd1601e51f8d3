"""What whoever follows a turn live gets to see of its events."""

from __future__ import annotations

import json
from typing import Any

from infra.service.runs.family import Frame
from schemas.events.agent import (
    AgentEvent,
    ConfirmationRequested,
    Responded,
    ResultProduced,
    Routed,
    ThoughtRecorded,
    ToolCalled,
    ToolReturned,
)

ENDS = frozenset(("done", "error"))
PAUSES = frozenset(("confirmation_requested",))


def frame_of(event: AgentEvent) -> Frame | None:
    """The frame of an event; None where nobody needs to see it."""
    match event:
        case Routed():
            return "routing", _pick(event, "agent next_agent message_to_agent thought engine")
        case ThoughtRecorded():
            return "thinking", _pick(event, "agent thought")
        case ToolCalled():
            called = {"call_id": event.position.effect_id, "tool": event.tool}
            return "tool_call", called | {"arguments": json.loads(event.arguments)}
        case ToolReturned():
            return "tool_result", _returned(event)
        case ResultProduced():
            shown = event.result.model_dump(mode="json", exclude={"output", "requires_review"})
            return "result", shown | {"output": json.loads(event.result.output)}
        case ConfirmationRequested():
            asked = _pick(event, "confirmation_id tool summary")
            return "confirmation_requested", asked | {"arguments": json.loads(event.arguments)}
        case Responded() if event.error:
            told = {"code": event.error, "message": event.text, "retriable": False}
            return "error", told | _ids(event)
        case Responded():
            return "done", _ids(event) | _pick(event, "text agent citations engine")
        case _:
            return None


def _returned(event: ToolReturned) -> dict[str, Any]:
    answer = json.loads(event.answer)
    shown = {name: answer[name] for name in ("text", "citations") if name in answer}
    returned = {"call_id": event.position.effect_id, "tool": event.tool, "is_error": event.is_error}
    return returned | shown


def _ids(event: AgentEvent) -> dict[str, Any]:
    return _pick(event, "conversation_id turn_id")


def _pick(event: AgentEvent, names: str) -> dict[str, Any]:
    return event.model_dump(mode="json", include=set(names.split()))
