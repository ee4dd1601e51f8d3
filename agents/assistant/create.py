"""Builds the graph of an agent: hooks before its model, the model, its calls, and hooks at its end.

    filter → system prompt → trim → agent → tools → filter …
                                      └→ end hooks → end

One builder makes all of them, so what holds for one holds for all: each reply and each call is an
effect of the run's log, a call that a person has to confirm pauses the whole run, and a repeat of
the run takes each step from its record.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, Protocol

from agents.assistant.calls import make_calls
from agents.assistant.replies import MAX_ROUNDS, think
from agents.assistant.run import AssistantRun
from agents.assistant.state import AssistantState
from agents.assistant.store import RunStore
from agents.assistant.work import Agent, AtWork, Change
from agents.runs.graphs import run_to_end
from agents.runs.numbering import RunEffects

if TYPE_CHECKING:
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

    from agents.runs.saver import RunSaver

    Compiled = CompiledStateGraph[AssistantState, None, AssistantState, AssistantState]

AGENT, TOOLS = "agent", "tools"
MakeChange = Callable[[AtWork, AssistantState], Awaitable[Change]]


class Node(Protocol):
    async def __call__(self, state: AssistantState) -> Change: ...


def create_agent(at_work: AtWork, saver: RunSaver | None = None) -> Compiled:
    """The graph of ``at_work.agent``, with its saver and its store."""
    graph = build_graph(at_work.agent, lambda name, change: _node(at_work, name, change))
    return graph.compile(checkpointer=saver, store=at_work.store, name=at_work.agent.name)


def build_graph(
    agent: Agent, make_node: Callable[[str, MakeChange], Node]
) -> StateGraph[AssistantState, None, AssistantState, AssistantState]:
    """The nodes and edges of an agent; ``make_node`` makes a node of what changes the state."""
    from langgraph.graph import END, START, StateGraph

    before = [hook.name for hook in agent.pre_model_hooks]
    after = [hook.name for hook in agent.end_hooks]
    graph = StateGraph(AssistantState)
    for hook in (*agent.pre_model_hooks, *agent.end_hooks):
        graph.add_node(hook.name, make_node(hook.name, hook.change))
    graph.add_node(AGENT, make_node(AGENT, think))
    graph.add_node(TOOLS, make_node(TOOLS, make_calls))
    entry, last = (*before, AGENT)[0], (*after, END)[0]
    graph.add_edge(START, entry)
    for steps in ([*before, AGENT], [*after, END] if after else []):
        for first, second in pairwise(steps):
            graph.add_edge(first, second)
    to: dict[Hashable, str] = {"tools": TOOLS, "again": entry, "end": last}
    graph.add_conditional_edges(AGENT, after_agent, to)
    graph.add_conditional_edges(TOOLS, after_tools, {"again": entry, "end": last})
    return graph


def after_agent(state: AssistantState) -> Literal["tools", "again", "end"]:
    """Whether the reply calls tools, was objected to, or ends the work."""
    if state["ended"]:
        return "end"
    return "tools" if getattr(state["messages"][-1], "tool_calls", None) else "again"


def after_tools(state: AssistantState) -> Literal["again", "end"]:
    return "end" if state["ended"] else "again"


async def run_agent(
    run: AssistantRun, agent: Agent, work_id: str, begin: AssistantState
) -> AssistantState:
    """One piece of work of an agent up to its end. Raises WaitsForConfirmation."""
    at_work = put_to_work(run, agent, work_id)
    saver = run.save(work_id)
    steps = (len(agent.pre_model_hooks) + 2) * (MAX_ROUNDS + 2) + len(agent.end_hooks)
    return await run_to_end(create_agent(at_work, saver), begin, steps, saver)


def put_to_work(run: AssistantRun, agent: Agent, work_id: str) -> AtWork:
    """The agent where it begins a piece of work."""
    effects = RunEffects(run.effects, work_id, run.project_id, agent.name, 0)
    return AtWork(run, agent, work_id, RunStore(run.ports, run.records, effects, run.began))


def _node(at_work: AtWork, name: str, change: MakeChange) -> Node:
    async def node(state: AssistantState) -> Change:
        at_work.store.effects = at_work.effects_at(f"{at_work.agent.name}:{name}", state["round"])
        return await change(at_work, state)

    return node
