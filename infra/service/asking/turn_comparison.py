"""Two turns side by side: how far they are the same, what they cost, which tools they called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agents.runs.comparing import Divergence, Step, find_divergence
from agents.runs.cost import Cost, read_cost
from infra.platform.settings import Settings
from infra.service.asking.agents import TurnStatus
from infra.service.asking.turn_events import read_turn
from projections.read.agents import TurnEvent
from projections.read.session import ReadModel
from schemas.events.agent import (
    ConfirmationGiven,
    ConfirmationRequested,
    EffectRecorded,
    RequestReceived,
    Responded,
    ToolCalled,
)

JSON_TEXTS = ("answer", "arguments", "output")


class TurnSummary(ReadModel):
    """A turn by its log. What a fork has taken over counts as its own: tokens and costs are those
    of the answers, whoever paid for them. ``tools`` are those called, in order.
    """

    turn_id: str
    conversation_id: str
    forked_from: str
    forked_at: int | None
    status: TurnStatus
    events: int
    model_calls: int
    tokens: int
    cost_usd: float
    tools: list[str]


class TurnStep(ReadModel):
    """An event of a turn with its content; JSON texts in it are read."""

    ordinal: int
    event_type: str
    data: dict[str, Any]


class TurnDivergence(ReadModel):
    """The first event that is not the same. None: the turn has no event there. ``fields`` are the
    places in the contents that differ, as dotted paths.
    """

    ordinal: int
    a: TurnStep | None
    b: TurnStep | None
    fields: list[str]


class TurnComparison(ReadModel):
    """``first`` is None where both are the same up to their ends."""

    a: TurnSummary
    b: TurnSummary
    first: TurnDivergence | None


async def compare_turns(settings: Settings, project: str, a: str, b: str) -> TurnComparison:
    """Both turns of the project, event by event. Raises NotFound."""
    return compare_events(
        await read_turn(settings, project, a), await read_turn(settings, project, b)
    )


def compare_events(known_a: Sequence[TurnEvent], known_b: Sequence[TurnEvent]) -> TurnComparison:
    """The same for the events of two turns."""
    steps_a, steps_b = list_steps(known_a), list_steps(known_b)
    return TurnComparison(
        a=_summarise(known_a, steps_a),
        b=_summarise(known_b, steps_b),
        first=_describe(find_divergence(steps_a, steps_b)),
    )


def list_steps(known: Sequence[TurnEvent]) -> list[Step]:
    return [Step(each.ordinal, each.event_type, _read_texts(each.data)) for each in known]


def _summarise(known: Sequence[TurnEvent], steps: Sequence[Step]) -> TurnSummary:
    cost = Cost()
    for step in steps:
        if step.event_type == EffectRecorded.type_name and step.data["kind"] == "model":
            cost += read_cost(step.data["answer"])
    first = steps[0].data if steps[0].event_type == RequestReceived.type_name else {}
    return TurnSummary(
        turn_id=known[0].turn_id,
        conversation_id=known[0].conversation_id,
        forked_from=first.get("forked_from", ""),
        forked_at=first.get("forked_at"),
        status=_status_of(steps),
        events=len(steps),
        model_calls=cost.model_calls,
        tokens=cost.tokens,
        cost_usd=cost.cost_usd,
        tools=[step.data["tool"] for step in steps if step.event_type == ToolCalled.type_name],
    )


def _status_of(steps: Sequence[Step]) -> TurnStatus:
    last = steps[-1]
    if last.event_type == Responded.type_name:
        return "failed" if last.data["error"] else "answered"
    asked, decided = (
        {step.data["confirmation_id"] for step in steps if step.event_type == kind.type_name}
        for kind in (ConfirmationRequested, ConfirmationGiven)
    )
    return "waiting" if asked - decided else "running"


def _describe(first: Divergence | None) -> TurnDivergence | None:
    if first is None:
        return None
    return TurnDivergence(
        ordinal=first.ordinal, a=_show(first.a), b=_show(first.b), fields=list(first.fields)
    )


def _show(step: Step | None) -> TurnStep | None:
    if step is None:
        return None
    return TurnStep(ordinal=step.ordinal, event_type=step.event_type, data=dict(step.data))


def _read_texts(value: Any) -> Any:
    """The content with its JSON texts read."""
    if isinstance(value, dict):
        return {
            name: json.loads(each)
            if name in JSON_TEXTS and isinstance(each, str)
            else _read_texts(each)
            for name, each in value.items()
        }
    return value
