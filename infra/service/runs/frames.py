"""What whoever follows a run live sees of what every run tells: calls, their results, questions."""

from __future__ import annotations

import json
from typing import Any

from infra.service.runs.family import Asked, Called, Family, Frame, Returned
from schemas.envelope import Event

ENDS = frozenset(("done", "error"))
QUESTION = "confirmation_requested"
OF_A_RESULT = ("text", "citations")


def frame_of(family: Family, event: Event) -> Frame | None:
    """The frame of an event; None where nobody needs to see it."""
    if isinstance(event, family.called):
        return "tool_call", _name_call(event) | {"arguments": json.loads(event.arguments)}
    if isinstance(event, family.returned):
        return "tool_result", _name_call(event) | _show_result(event)
    if isinstance(event, family.asked):
        return QUESTION, show_question(event, event.more, event.ordinal + 1)
    return family.frame_of(event)


def _name_call(event: Called | Returned) -> dict[str, Any]:
    return {"call_id": event.position.effect_id, "tool": event.tool}


def _show_result(event: Returned) -> dict[str, Any]:
    answer = json.loads(event.answer)
    shown = {name: answer[name] for name in OF_A_RESULT if name in answer}
    return {"is_error": event.is_error} | shown


def show_question(event: Asked, more: int, events: int) -> dict[str, Any]:
    """A call that waits. ``events`` are those that the log holds by now."""
    return {
        "confirmation_id": event.confirmation_id,
        "tool": event.tool,
        "summary": event.summary,
        "arguments": json.loads(event.arguments),
        "more": more,
        "events": events,
    }


class StopFinder:
    """Finds the frame at which a run ends or waits for a person.

    A run asks about several calls one by one, and waits at the last one. Where one of them is
    ``decided``, it asked before that decision came to it, and goes on.
    """

    def __init__(self, decided: str = "") -> None:
        self._decided = decided
        self._asked: set[str] = set()

    def stops_at(self, name: str, data: str) -> bool:
        """Whether the run goes no further than the next frame; ``data`` is its JSON."""
        if name != QUESTION:
            return name in ENDS
        asked = json.loads(data)
        self._asked.add(asked["confirmation_id"])
        if asked.get("more"):
            return False
        is_decided, self._asked = self._decided in self._asked, set()
        return not is_decided
