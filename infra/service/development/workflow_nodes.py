"""The nodes of workflows by their names and titles, in the order of a run without detours."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.events.workflow import WorkflowType


@dataclass(frozen=True, slots=True)
class NamedNode:
    name: str
    title: str


def list_nodes(workflow_type: WorkflowType) -> list[NamedNode]:
    """The nodes of a workflow; ``title`` says what each does."""
    from agents.development.delivery import graph as delivery
    from agents.development.governed import run as governed

    if workflow_type == "delivery":
        return [NamedNode(name, name.replace("_", " ")) for name in delivery.NODES]
    nodes = governed.WORKFLOWS[workflow_type].nodes
    return [NamedNode(name, node.title) for name, node in nodes.items()]
