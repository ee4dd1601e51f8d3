"""A turn for tests: its log on a topic in memory, which may die, and a graph over it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from agents.project.graph import Decision, Parts, run_graph
from agents.project.state import (
    MAX_ITERATIONS,
    SPECIALISTS,
    SUPERVISOR,
    AgentResult,
    AgentState,
    ProjectState,
    Specialist,
)
from agents.runs.saver import RunSaver
from infra.service.asking.turn_log import TurnLog, TurnPlace
from projections.read.agents import TurnEvent
from schemas.envelope import Envelope
from schemas.events.agent import AgentEvent
from schemas.events.stream import StreamFrame
from streams.hygiene.redaction.strings import StageRedactor

PLACE = TurnPlace("prj_1", "cnv_1", "trn_1", "ana")
EVENT_PLACE = {"turn_id", "conversation_id", "ordinal"}


def in_loop(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """A test that is a coroutine, run to its end."""

    @wraps(test)
    def run_test() -> None:
        asyncio.run(test())

    return run_test


class Killed(BaseException):
    """The process is gone: nothing catches this."""


@dataclass
class Topic:
    """What was published, in order. It takes no more than ``room`` facts."""

    facts: list[Envelope] = field(default_factory=list)
    room: int | None = None

    async def publish(self, facts: Sequence[Envelope]) -> None:
        for fact in facts:
            if self.room is not None and len(self.facts) >= self.room:
                raise Killed
            self.facts.append(fact)

    def first_ones(self) -> list[Envelope]:
        """The facts, each once: the first record with an id counts."""
        return list({fact.event_id: fact for fact in reversed(self.facts)}.values())

    @property
    def events(self) -> list[AgentEvent]:
        found = [fact.event for fact in self.first_ones()]
        events = [event for event in found if isinstance(event, AgentEvent)]
        return sorted(events, key=lambda event: event.ordinal)

    @property
    def types(self) -> list[str]:
        return [event.type_name.removeprefix("agent.") for event in self.events]

    @property
    def frames(self) -> list[str]:
        """The names of the frames in the order in which they came."""
        seen: dict[Any, str] = {}
        for fact in self.facts:
            if isinstance(fact.event, StreamFrame):
                seen.setdefault(fact.event_id, fact.event.name)
        return list(seen.values())

    def known(self, without: int | None = None) -> list[TurnEvent]:
        """The events as the tables hold them; ``without``: one of them is lost."""
        return [
            TurnEvent(
                turn_id=event.turn_id,
                ordinal=event.ordinal,
                project_id=fact.project_id,
                conversation_id=event.conversation_id,
                event_type=event.type_name,
                data=event.model_dump(mode="json", exclude=EVENT_PLACE),
                occurred_at=fact.occurred_at,
                event_id=fact.event_id,
            )
            for fact in self.first_ones()
            if isinstance(event := fact.event, AgentEvent) and event.ordinal != without
        ]

    def open_log(self, attempt: str = "1") -> TurnLog:
        return TurnLog(PLACE, self.known(), StageRedactor(), self.publish, attempt)

    def open_replay(self, without: int | None = None) -> TurnLog:
        return TurnLog(PLACE, self.known(without), StageRedactor(), publish=None)


def a_state(request: str = "How is it?", **changed: Any) -> AgentState:
    state: AgentState = {
        "request": request,
        "project": ProjectState(project_id=PLACE.project_id, name="demo"),
        "current_agent": SUPERVISOR,
        "next_agent": "",
        "message_to_agent": "",
        "iteration": 0,
        "max_iterations": MAX_ITERATIONS,
        "results": [],
        "thoughts": [],
        "final_response": "",
        "should_end": False,
        "limit_reached": False,
        "chat_history": [],
    }
    state.update(changed)  # type: ignore[typeddict-item]
    return state


async def run(
    topic_log: TurnLog,
    parts: dict[str, Any],
    request: str = "How is it?",
    saver: RunSaver | None = None,
) -> AgentState:
    """Go through the graph; ``parts`` are `decide` and specialists by name."""

    async def nobody(state: AgentState) -> AgentResult:
        raise AssertionError("nobody was to be asked")

    specialists: dict[Specialist, Any] = {name: parts.get(name, nobody) for name in SPECIALISTS}
    decide = parts.get("decide", accept_after("assistant"))
    return await run_graph(Parts(decide, specialists, topic_log.record), a_state(request), saver)


def accept_after(first: Specialist) -> Any:
    """A supervisor that routes to one and accepts what comes back."""

    async def decide(state: AgentState) -> Decision:
        if state["results"]:
            return Decision("end", "", "It is sound.")
        return Decision(first, state["request"], "It fits.")

    return decide
