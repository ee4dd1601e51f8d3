"""The graph of a delivery, and how a run goes through it.

architect → plan_validator → human_approval → developer → reviewer → commit → next_task
                                                  └── evaluator ←──┘
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from agents.development.delivery.asking import At, GivenUp
from agents.development.delivery.planning import (
    after_approval,
    after_validator,
    architect,
    human_approval,
    plan_validator,
)
from agents.development.delivery.reviewing import (
    after_evaluator,
    after_reviewer,
    evaluator,
    reviewer,
)
from agents.development.delivery.run import DeliveryRun
from agents.development.delivery.state import ExecutionState, begin_state
from agents.development.delivery.tasks import after_next_task, commit, developer, next_task
from agents.development.workflow_ports import WorkflowEnd
from agents.runs.graphs import DrawnGraph, describe_graph, run_to_end
from agents.runs.numbering import RunEffects
from agents.runs.review_loop import limit_steps
from schemas.events.delivery import TaskFailed
from schemas.events.workflow import WorkflowNodeEntered, WorkflowNodeFinished, WorkflowStatus

if TYPE_CHECKING:
    from langgraph.graph import StateGraph

    Builder = StateGraph[ExecutionState, None, ExecutionState, ExecutionState]

Work = Callable[[At, ExecutionState], Awaitable[Mapping[str, Any]]]
NODES: dict[str, Work] = {
    "architect": architect,
    "plan_validator": plan_validator,
    "human_approval": human_approval,
    "developer": developer,
    "reviewer": reviewer,
    "evaluator": evaluator,
    "commit": commit,
    "next_task": next_task,
}
ROUTES: dict[str, tuple[Callable[[ExecutionState], str], tuple[str, ...]]] = {
    "architect": (lambda state: _unless_ended(state, "plan_validator"), ("plan_validator", "end")),
    "developer": (lambda state: _unless_ended(state, "reviewer"), ("reviewer", "end")),
    "plan_validator": (after_validator, ("architect", "human_approval", "end")),
    "human_approval": (after_approval, ("architect", "plan_validator", "developer", "end")),
    "reviewer": (after_reviewer, ("evaluator", "reviewer", "commit", "end")),
    "evaluator": (after_evaluator, ("developer", "reviewer", "end")),
    "next_task": (after_next_task, ("developer", "end")),
}
MOST_TASKS = 200  # of a plan
STATUS: Mapping[str, WorkflowStatus] = {"completed": "completed", "plan_rejected": "rejected"}
END_TEXTS = {
    "completed": "Each task is approved and committed.",
    "plan_invalid": "The plan cannot be read: {problems}",
    "plan_rejected": "The plan was rejected. {feedback}",
    "review_limit": "Task {task} was not approved in {limit} reviews.",
}


class Node(Protocol):
    async def __call__(self, state: ExecutionState) -> Mapping[str, Any]: ...


def build_graph(make_node: Callable[[str, Work], Node]) -> Builder:
    """The nodes and edges; ``make_node`` makes a node of what changes the state."""
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(ExecutionState)
    for name, work in NODES.items():
        graph.add_node(name, make_node(name, work))
    graph.add_edge(START, "architect")
    graph.add_edge("commit", "next_task")
    for name, (route, targets) in ROUTES.items():
        to: dict[Hashable, str] = {one: END if one == "end" else one for one in targets}
        graph.add_conditional_edges(name, route, to)
    return graph


async def run_delivery(run: DeliveryRun) -> WorkflowEnd:
    """How the delivery ends: with its last commit, or why not. Raises WaitsForConfirmation."""
    state = begin_state(dict(run.profile), dict(run.issue), run.plan)
    saver = run.save(run.run_id)
    graph = build_graph(lambda name, work: _node(run, name, work))
    limit = limit_steps(run.profile["max_review_iterations"], 3) * MOST_TASKS
    compiled = graph.compile(checkpointer=saver, name="delivery")
    last = await run_to_end(compiled, state, limit, saver)
    if last["ended"] != "completed" and last["human_approved"]:
        await run.records.record(
            TaskFailed,
            index=last["current_task_index"],
            reason=last["ended"],
            message=_tell_end(last),
            iterations=last["task_review_iteration"],
        )
    is_done = last["ended"] == "completed"
    return WorkflowEnd(
        status=STATUS.get(last["ended"], "failed"),
        artifact_type="commit" if is_done else "",
        artifact_hash=last["commits"][-1] if is_done else "",
        error="" if is_done else last["ended"],
        message=_tell_end(last),
    )


def describe_drawing() -> DrawnGraph:
    """The graph as it is compiled."""

    def nobody(name: str, work: Work) -> Node:
        async def node(state: ExecutionState) -> Mapping[str, Any]:
            return {}

        return node

    return describe_graph(build_graph(nobody).compile(name="delivery").get_graph())


def _unless_ended(state: ExecutionState, following: str) -> str:
    return "end" if state["ended"] else following


def _node(run: DeliveryRun, name: str, work: Work) -> Node:
    async def node(state: ExecutionState) -> Mapping[str, Any]:
        iteration = state["entries"].get(name, 0) + 1
        await run.records.record(WorkflowNodeEntered, node=name, iteration=iteration)
        at = At(run, name, RunEffects(run.effects, run.run_id, run.project_id, name, iteration))
        try:
            change = dict(await work(at, state))
        except GivenUp as given_up:
            change = {
                "agentic_status": "failed",
                "ended": given_up.code,
                "problems": [str(given_up)],
            }
        await run.records.record(WorkflowNodeFinished, node=name, iteration=iteration)
        return {**change, "entries": {**state["entries"], name: iteration}}

    return node


def _tell_end(state: ExecutionState) -> str:
    text = END_TEXTS.get(state["ended"])
    if text is None:
        return " ".join(state["problems"])
    return text.format(
        problems=" ".join(state["problems"]),
        feedback=state["human_feedback"],
        task=state["current_task_index"] + 1,
        limit=state["max_review_iterations"],
    ).strip()
