"""What whoever follows a run live sees of what every run tells: calls, their results, questions."""

from __future__ import annotations

import json
from typing import Any

from infra.service.runs.family import Asked, Called, Family, Frame, Returned
from schemas.envelope import Event

ENDS = frozenset(("done", "error"))
PAUSES = frozenset(("confirmation_requested",))
OF_A_RESULT = ("text", "citations")


def frame_of(family: Family, event: Event) -> Frame | None:
    """The frame of an event; None where nobody needs to see it."""
    if isinstance(event, family.called):
        return "tool_call", _name_call(event) | {"arguments": json.loads(event.arguments)}
    if isinstance(event, family.returned):
        return "tool_result", _name_call(event) | _show_result(event)
    if isinstance(event, family.asked):
        return "confirmation_requested", _show_question(event)
    return family.frame_of(event)


def _name_call(event: Called | Returned) -> dict[str, Any]:
    return {"call_id": event.position.effect_id, "tool": event.tool}


def _show_result(event: Returned) -> dict[str, Any]:
    answer = json.loads(event.answer)
    shown = {name: answer[name] for name in OF_A_RESULT if name in answer}
    return {"is_error": event.is_error} | shown


def _show_question(event: Asked) -> dict[str, Any]:
    return {
        "confirmation_id": event.confirmation_id,
        "tool": event.tool,
        "summary": event.summary,
        "arguments": json.loads(event.arguments),
    }
