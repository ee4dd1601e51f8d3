"""A workflow as a table of nodes and edges, and the graph that is compiled of it.

A node answers with a change of the state and the node to go to; the table says which nodes those
can be. So the compiled graph holds every way there is, and what is proven on it holds for each run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agents.development.governed.context import GovernedRun
from agents.development.governed.node import Perform, make_node
from agents.runs.graphs import DrawnGraph, describe_graph, run_to_end
from agents.runs.review_loop import limit_steps
from schemas.events.workflow import WorkflowSettings

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from agents.runs.saver import RunSaver

    Compiled = CompiledStateGraph[Any, None, Any, Any]

Node = Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class WorkflowNode:
    """``title`` says what it does. ``targets`` are the nodes that may come next, the usual one
    first.
    """

    title: str
    perform: Perform
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Workflow:
    """One kind of workflow; its first node is the first of ``nodes``.

    ``edges_per_loop``: the steps that one round may take at most, those that rules send back
    included; ``edges_per_fix`` those of one fix of code within it. ``review`` and ``final`` are the
    nodes of the review and of the artifact; ``review`` None: nothing is built on what it makes.
    """

    name: str
    state: type
    nodes: Mapping[str, WorkflowNode]
    edges_per_loop: int
    review: str | None
    final: str
    edges_per_fix: int = 0
    is_search: bool = False

    @property
    def first(self) -> str:
        return next(iter(self.nodes))

    def limit(self, settings: WorkflowSettings) -> int:
        """The recursion limit, which the limits of the workflow itself keep it below."""
        rounds = settings.max_search_rounds if self.is_search else settings.max_iterations
        per_loop = self.edges_per_loop + self.edges_per_fix * settings.max_fix_iterations
        return limit_steps(rounds, per_loop)


def build_graph(workflow: Workflow, make: Callable[[str, WorkflowNode], Node]) -> Any:
    """The graph of a workflow, not yet compiled; ``make`` makes the nodes."""
    from langgraph.graph import START, StateGraph

    graph: StateGraph[Any, None, Any, Any] = StateGraph(workflow.state)
    for name, node in workflow.nodes.items():
        action: Any = make(name, node)
        graph.add_node(name, action)
    graph.add_edge(START, workflow.first)
    for name, node in workflow.nodes.items():
        if len(node.targets) == 1:
            graph.add_edge(name, node.targets[0])
        else:
            ways: dict[Hashable, str] = {target: target for target in node.targets}
            graph.add_conditional_edges(name, choose_target, ways)
    return graph


def choose_target(state: Mapping[str, Any]) -> str:
    """The node that the last one has chosen."""
    return str(state["goes_to"])


def compile_graph(workflow: Workflow, run: GovernedRun, saver: RunSaver | None = None) -> Compiled:
    def make(name: str, node: WorkflowNode) -> Node:
        return make_node(run, name, node.perform, node.targets[0])

    compiled: Compiled = build_graph(workflow, make).compile(checkpointer=saver, name=workflow.name)
    return compiled


def compile_drawing(workflow: Workflow) -> Compiled:
    """The compiled graph of a workflow whose nodes do nothing."""

    async def nobody(state: Any) -> Any:
        raise NotImplementedError("a drawn graph does not run")

    compiled: Compiled = build_graph(workflow, lambda name, node: nobody).compile(
        name=workflow.name
    )
    return compiled


def draw_workflow(workflow: Workflow) -> DrawnGraph:
    """The graph as it is compiled."""
    return describe_graph(compile_drawing(workflow).get_graph())


async def go_through(workflow: Workflow, run: GovernedRun) -> Mapping[str, Any]:
    """The last state of the run. Raises WaitsForConfirmation."""
    saver = run.save(run.run_id)
    begin: Mapping[str, Any] = {"visits": {}}
    # Each decision of a person may let it go round once more.
    steps = workflow.limit(run.settings) * (1 + len(run.decisions))
    last: Mapping[str, Any] = await run_to_end(
        compile_graph(workflow, run, saver), begin, steps, saver
    )
    return last
