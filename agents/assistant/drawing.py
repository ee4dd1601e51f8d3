"""The graphs of the assistant's agents, as people see them."""

from __future__ import annotations

from typing import Any

from agents.assistant.comms import COMMS, COMMS_AGENT
from agents.assistant.create import MakeChange, Node, build_graph
from agents.assistant.executor import EXECUTOR, describe_executor
from agents.assistant.providers import Provider
from agents.assistant.subagents import subagent_of
from agents.assistant.work import Agent
from agents.runs.graphs import DrawnGraph, describe_graph
from agents.tools.retrieval import ToolRegistry

PROVIDER = "provider"
AGENTS = (COMMS, EXECUTOR, PROVIDER)


def draw_agent(name: str) -> DrawnGraph:
    """The graph of comms, the executor or any provider's specialist, as it is compiled."""
    graph = build_graph(_find(name), _draw_node)
    return describe_graph(graph.compile(name=name).get_graph())


def _find(name: str) -> Agent:
    if name == COMMS:
        return COMMS_AGENT
    if name == EXECUTOR:
        return describe_executor(ToolRegistry({}), ())
    return subagent_of(Provider(PROVIDER, "", "", ()), ToolRegistry({}))


def _draw_node(name: str, change: MakeChange) -> Node:
    async def nobody(state: Any) -> Any:
        raise NotImplementedError("a drawn graph does not run")

    return nobody
