"""The graphs of agents, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.platform.errors import NotFound

if TYPE_CHECKING:
    from agents.runs.graphs import DrawnGraph

OF_WORKFLOWS = ("issue", "requirements", "implementation_spec", "tdd_implementation", "scout")
DELIVERY = "delivery"
GRAPHS = ("project", "quality", "comms", "executor", "provider", *OF_WORKFLOWS, DELIVERY)


def describe_agent_graph(name: str) -> DrawnGraph:
    """A graph as it is compiled; `GRAPHS` are their names. Raises NotFound."""
    from agents.assistant.drawing import AGENTS, draw_agent
    from agents.development.delivery.graph import describe_drawing
    from agents.development.governed.run import draw
    from agents.project import graph as project_graph
    from agents.quality import graph as quality_graph

    if name in AGENTS:
        return draw_agent(name)
    if name in OF_WORKFLOWS:
        return draw(name)
    drawings = dict.fromkeys(("quality", "quality_gate"), quality_graph.describe_drawing)
    drawings |= {"project": project_graph.draw_graph, DELIVERY: describe_drawing}
    if name not in drawings:
        known = ", ".join(GRAPHS)
        raise NotFound(f"There is no graph {name}: there are {known}.", code="unknown_graph")
    return drawings[name]()
