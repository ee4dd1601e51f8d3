"""What a driver tells of its model, numbered and made fit for a log.

A model may write what no log can hold: halves of surrogate pairs, NUL, five megabytes. All of it is
replaced or cut here, once for every driver, and a cut text says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agents.development.ports import StreamEvent, StreamEventType
from schemas.ids import derive_id

LONGEST_TEXT = 30_000  # characters of one text in an event; the reply itself is never cut
MOST_ITEMS = 1_000  # of one list or object in the input of a tool
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Draft:
    """An event without its number and time."""

    type: StreamEventType
    content: str
    tool_name: str | None = None
    tool_input: Mapping[str, Any] | None = None


class EventWriter:
    """Numbers the events of one agent in one workflow, from ``first_number`` on.

    An id follows from workflow, agent and number, so a run that is taken up again from the number
    of its last event writes the ids it would have written without the break.
    """

    def __init__(
        self, workflow_id: str, agent: str, now: Callable[[], datetime], *, first_number: int = 1
    ) -> None:
        self.workflow_id = workflow_id
        self.agent = agent
        self.next_number = first_number
        self._now = now

    def write(self, draft: Draft) -> StreamEvent:
        number, self.next_number = self.next_number, self.next_number + 1
        return StreamEvent(
            id=derive_id("sev", self.workflow_id, self.agent, number),
            type=draft.type,
            content=cut_text(draft.content),
            timestamp=self._now(),
            agent=self.agent,
            workflow_id=self.workflow_id,
            tool_name=None if draft.tool_name is None else clean_text(draft.tool_name)[:200],
            tool_input=None if draft.tool_input is None else _clean_object(draft.tool_input, 0),
        )


def clean_text(text: str) -> str:
    """The text without NUL and without halves of surrogate pairs, which no log can hold."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def cut_text(text: str) -> str:
    clean = clean_text(text[: LONGEST_TEXT + 1])
    if len(text) <= LONGEST_TEXT:
        return clean
    return f"{clean[:LONGEST_TEXT]}… ({len(text) - LONGEST_TEXT} more characters)"


def clean_value(value: Any, depth: int = 0) -> Any:
    """A JSON value that any log can hold: texts cut, too deep or too long parts left out."""
    if isinstance(value, str):
        return cut_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int) and abs(value) >= 2**63:  # a bool is an int, and small
        return str(value)[:100] if abs(value) < 10**100 else None
    if isinstance(value, Mapping | list) and depth >= DEEPEST:
        return "… (nested too deeply)"
    if isinstance(value, Mapping):
        return _clean_object(value, depth)
    if isinstance(value, list):
        return [clean_value(each, depth + 1) for each in value[:MOST_ITEMS]]
    return value


def _clean_object(value: Mapping[str, Any], depth: int) -> dict[str, Any]:
    items = list(value.items())[:MOST_ITEMS]
    return {clean_text(str(key))[:200]: clean_value(each, depth + 1) for key, each in items}
