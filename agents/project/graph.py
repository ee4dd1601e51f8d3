"""The project graph: every request enters at the supervisor, who routes it to one of six
specialists and may look at what they have made before it is answered.

Who decides and who does the work is handed in. The graph alone keeps to the limit of a turn, and
tells each step as an event before the next one begins.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from agents.project.state import (
    END,
    SPECIALISTS,
    SUPERVISOR,
    AgentResult,
    AgentState,
    AgentThought,
    NextAgent,
    Specialist,
)
from agents.runs.graphs import DrawnGraph, describe_graph, run_to_end
from schemas.events.agent import (
    AgentCitation,
    AgentEngine,
    AgentEvent,
    AgentOutput,
    LimitReached,
    ResultProduced,
    ReviewRequested,
    Routed,
    ThoughtRecorded,
)

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from agents.runs.saver import RunSaver

SCHEDULER = "scheduler"
LIMIT_SAID = "The turn has reached its limit of {limit} steps; this is the best result so far."
NOTHING_SAID = "The turn has reached its limit of {limit} steps without a result."

AfterSupervisor = Literal[Specialist, "__end__"]
AfterSpecialist = Literal["supervisor", "__end__"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What the supervisor has decided. ``message_to_agent`` of ``end`` is the answer itself; empty:
    the last result is the answer. ``doubts`` are further thoughts worth a record.
    """

    next_agent: NextAgent
    message_to_agent: str
    thought: str
    engine: AgentEngine = "rules"
    doubts: tuple[str, ...] = ()


class Record(Protocol):
    """Tells an event of the turn; its time, once it is acknowledged."""

    async def __call__(self, kind: type[AgentEvent], /, **fields: Any) -> datetime: ...


Decide = Callable[[AgentState], Awaitable[Decision]]
Perform = Callable[[AgentState], Awaitable[AgentResult]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the graph is built of."""

    decide: Decide
    specialists: Mapping[Specialist, Perform]
    record: Record


class Node(Protocol):
    async def __call__(self, state: AgentState) -> dict[str, Any]: ...


def supervise_with(parts: Parts) -> Node:
    async def supervisor(state: AgentState) -> dict[str, Any]:
        """Route the request, or look at the last result: accept it, send it back, ask another."""
        iteration = state["iteration"] + 1
        decision = await parts.decide({**state, "iteration": iteration})
        change = await _tell_decision(parts.record, decision, iteration)
        if decision.next_agent == END:
            message = decision.message_to_agent or _last_response(state)
            return change | {"should_end": True, "final_response": message}
        if iteration >= state["max_iterations"]:
            return change | await _stop(parts.record, state["results"], state, iteration)
        return change

    return supervisor


def work_with(parts: Parts, name: Specialist) -> Node:
    async def specialist(state: AgentState) -> dict[str, Any]:
        """Do the work; its result is reviewed where it says so."""
        iteration = state["iteration"] + 1
        at_work: AgentState = {**state, "iteration": iteration, "current_agent": name}
        result = await parts.specialists[name](at_work)
        if name == SCHEDULER:
            result = result.model_copy(update={"requires_review": False})
        await parts.record(ResultProduced, iteration=iteration, result=describe_result(result))
        change = {"current_agent": name, "iteration": iteration, "results": [result]}
        if not result.requires_review:
            return change | {"final_response": result.response, "should_end": True}
        if iteration >= state["max_iterations"]:
            results = [*state["results"], result]
            return change | await _stop(parts.record, results, state, iteration)
        await parts.record(ReviewRequested, agent=name, iteration=iteration)
        return change

    return specialist


def after_supervisor(state: AgentState) -> AfterSupervisor:
    if state["should_end"]:
        return "__end__"
    return cast(AfterSupervisor, state["next_agent"])


def after_specialist(state: AgentState) -> AfterSpecialist:
    return "__end__" if state["should_end"] else "supervisor"


def build_graph(
    parts: Parts, saver: RunSaver | None = None
) -> CompiledStateGraph[AgentState, None, AgentState, AgentState]:
    from langgraph.graph import END as LAST
    from langgraph.graph import START, StateGraph

    graph = StateGraph(AgentState)
    graph.add_node(SUPERVISOR, supervise_with(parts))
    for name in SPECIALISTS:
        graph.add_node(name, work_with(parts, name))
    graph.add_edge(START, SUPERVISOR)
    graph.add_conditional_edges(SUPERVISOR, after_supervisor)
    for name in SPECIALISTS:
        if name == SCHEDULER:
            graph.add_edge(name, LAST)
        else:
            graph.add_conditional_edges(name, after_specialist)
    return graph.compile(checkpointer=saver, name="project")


async def run_graph(parts: Parts, state: AgentState, saver: RunSaver | None = None) -> AgentState:
    """Go through the graph once; its last state. Raises what the parts raise."""
    steps = state["max_iterations"] + 2  # the graph keeps its own limit; this one is never met
    return await run_to_end(build_graph(parts, saver), state, steps, saver)


def draw_graph() -> DrawnGraph:
    """The graph as it is compiled."""

    async def nobody(*_: object, **__: object) -> Any:
        raise NotImplementedError("a drawn graph does not run")

    parts = Parts(nobody, dict.fromkeys(SPECIALISTS, nobody), nobody)
    return describe_graph(build_graph(parts).get_graph())


def describe_result(result: AgentResult) -> AgentOutput:
    """The result as it stands in its event."""
    import json

    fields = result.model_dump(exclude={"output", "citations"})
    return AgentOutput(
        **fields,
        output=json.dumps(result.output, ensure_ascii=False, sort_keys=True),
        citations=[AgentCitation(**citation.model_dump()) for citation in result.citations],
    )


def find_best(results: Sequence[AgentResult]) -> AgentResult | None:
    """The last result without an error, else the last one."""
    sound = [result for result in results if not result.error]
    return next(iter(reversed(sound or results)), None)


async def _tell_decision(record: Record, decision: Decision, iteration: int) -> dict[str, Any]:
    at = await record(
        Routed,
        agent=SUPERVISOR,
        iteration=iteration,
        next_agent=decision.next_agent,
        message_to_agent=decision.message_to_agent,
        thought=decision.thought,
        engine=decision.engine,
    )
    by = partial(AgentThought, agent=SUPERVISOR, engine=decision.engine)
    thoughts = [by(thought=decision.thought, at=at)]
    for doubt in decision.doubts:
        at = await record(ThoughtRecorded, agent=SUPERVISOR, thought=doubt)
        thoughts.append(by(thought=doubt, at=at))
    return {
        "current_agent": SUPERVISOR,
        "next_agent": decision.next_agent,
        "message_to_agent": decision.message_to_agent,
        "iteration": iteration,
        "thoughts": thoughts,
    }


async def _stop(
    record: Record, results: Sequence[AgentResult], state: AgentState, iteration: int
) -> dict[str, Any]:
    """End at the limit, with the best there is."""
    limit = state["max_iterations"]
    await record(LimitReached, iteration=iteration, max_iterations=limit)
    best = find_best(results)
    text = (LIMIT_SAID if best else NOTHING_SAID).format(limit=limit)
    if best and best.response:
        text = f"{best.response}\n\n{text}"
    return {"should_end": True, "limit_reached": True, "final_response": text}


def _last_response(state: AgentState) -> str:
    best = find_best(state["results"])
    return best.response if best else ""
