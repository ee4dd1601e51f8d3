"""A graph as people see it: nodes, edges, and a text that draws them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


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
