"""A graph run to its end, and as people see it: nodes, edges, and a text that draws them.

LangGraph would send all it sees to a service when the environment of the process says so, which is
not for the environment to say: no graph is traced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from agents.runs.saver import RunSaver

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    source: str
    target: str
    is_conditional: bool


@dataclass(frozen=True, slots=True)
class DrawnGraph:
    """A graph for people: its nodes without beginning and end, its edges, and a Mermaid text."""

    nodes: tuple[str, ...]
    edges: tuple[DrawnEdge, ...]
    mermaid: str


def describe_graph(drawn: Any) -> DrawnGraph:
    """What LangGraph has drawn, as values."""
    return DrawnGraph(
        nodes=tuple(name for name in drawn.nodes if not name.startswith("__")),
        edges=tuple(
            DrawnEdge(edge.source, edge.target, bool(edge.conditional)) for edge in drawn.edges
        ),
        mermaid=str(drawn.draw_mermaid()),
    )


class Graph(Protocol):
    """A graph as it is compiled."""

    async def ainvoke(
        self, state: Any, config: Any, /, *, durability: Literal["sync"] | None
    ) -> Any: ...


async def run_to_end(graph: Graph, state: S, steps: int, saver: RunSaver | None = None) -> S:
    """Go through the graph once; its last state. ``steps`` is more than it may take by its own
    limit. Raises what the nodes raise.

    With the ``saver`` that the graph is compiled with it goes on at the step that was kept last. It
    is a run of its own also where a node of another graph starts it.
    """
    from langchain_core.runnables.config import var_child_runnable_config
    from langsmith import tracing_context

    config: dict[str, Any] = {"recursion_limit": steps}
    given: S | None = state
    if saver is not None:
        config["configurable"] = {"thread_id": saver.run_id}
        given = None if await saver.resume(config["configurable"]) else state
    # A step is kept before the next one begins: the log must not be ahead of what is kept with it.
    durability: Literal["sync"] | None = "sync" if saver else None
    around = var_child_runnable_config.set(None)
    try:
        with tracing_context(enabled=False):
            return cast(S, await graph.ainvoke(given, config, durability=durability))
    finally:
        var_child_runnable_config.reset(around)
