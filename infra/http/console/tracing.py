"""What the assistant did for each message, from the events of its turns: who handed what on to
whom, and which tools were called.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from projections.read.agents import TurnEvent

TYPES = (
    "agent.request_received",
    "agent.handoff_started",
    "agent.handoff_finished",
    "agent.tool_called",
    "agent.tool_returned",
    "agent.followups_suggested",
)


@dataclass(slots=True)
class Step:
    """A call of ``tool``, or ``task`` handed ``by`` an agent on ``to`` another one. ``depth``: how
    many have handed on before whoever did it.
    """

    depth: int
    by: str
    tool: str = ""
    to: str = ""
    task: str = ""
    is_error: bool = False


@dataclass(slots=True)
class TurnTrace:
    """``project_id`` is that of the project chosen for the message, empty where none was."""

    project_id: str = ""
    steps: list[Step] = field(default_factory=list)
    suggested: list[str] = field(default_factory=list)


def trace_turns(events: Iterable[TurnEvent]) -> dict[str, TurnTrace]:
    """The traces of turns by id; ``events`` come turn by turn, in their order."""
    return {turn_id: _trace(of_turn) for turn_id, of_turn in groupby(events, attrgetter("turn_id"))}


def _trace(events: Iterable[TurnEvent]) -> TurnTrace:
    trace, depths, begun = TurnTrace(), dict[str, int](), dict[str, Step]()
    inner = 0  # of who was handed something last
    for event in events:
        data = event.data
        match event.event_type:
            case "agent.request_received":
                trace.project_id = data["project"]
            case "agent.handoff_started":
                depth = depths.get(data["from_agent"], 0)
                inner = depths[data["to_agent"]] = depth + 1
                step = Step(depth, data["from_agent"], to=data["to_agent"], task=data["task"])
                begun[data["call_id"]] = step
                trace.steps.append(step)
            case "agent.tool_called":
                by = data["position"]["node"]
                step = Step(depths.get(by, inner), by, tool=data["tool"])
                begun[data["position"]["effect_id"]] = step
                trace.steps.append(step)
            case "agent.handoff_finished":
                inner = depths.get(data["from_agent"], 0)
                begun[data["call_id"]].is_error = data["is_error"]
            case "agent.tool_returned":
                begun[data["position"]["effect_id"]].is_error = data["is_error"]
            case "agent.followups_suggested":
                trace.suggested = data["actions"]
            case _:
                pass
    return trace
