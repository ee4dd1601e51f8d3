"""The nodes of one task: it is done, and, once it is approved, committed; then comes the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.development.delivery.asking import At, drive_agent, say
from agents.development.delivery.state import ExecutionState
from agents.development.trailers import TASK, list_trailers
from agents.fence import FENCE_RULE, fence
from agents.runs.effects import Json
from schemas.events.delivery import TaskCommitted, TaskStarted

Step = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """``place`` says in words which task of how many it is."""

    title: str
    text: str
    place: str


def current_task(state: ExecutionState) -> Task:
    """The task in hand; a plan without tasks is one."""
    total, index = state["total_tasks"], state["current_task_index"]
    if total is None:
        return Task(state["goal"], state["plan_markdown"], "the whole plan")
    one = state["tasks"][index]
    return Task(one["title"], one["text"], f"{index + 1} of {total}")


async def developer(at: At, state: ExecutionState) -> Step:
    """The task is done, or what a review has left to do."""
    task = current_task(state)
    if state["task_review_iteration"] == 0:
        await at.run.records.record(
            TaskStarted,
            index=state["current_task_index"],
            total=state["total_tasks"],
            title=task.title,
        )
    prompt = say(
        "developer",
        "task",
        goal=fence(state["goal"]),
        place=task.place,
        task=fence(task.text),
        items=_tell_items(state),
    )
    system = f"{say('developer', 'system')}\n\n{FENCE_RULE}"
    session = state["driver_session_id"]
    answer = await drive_agent(at, "developer", prompt, system, session, state["tree"])
    return {
        "tree": answer["tree_id"],
        "driver_session_id": answer["session_id"],
        "tool_calls": list(answer["calls"]),
        "tool_results": list(answer["results"]),
    }


async def commit(at: At, state: ExecutionState) -> Step:
    """The tree that was reviewed becomes a commit, whatever lies in the folder by now."""
    run, task, tree = at.run, current_task(state), state["reviewed_tree"]
    trailers = [
        *list_trailers(run.run_id, run.origin),
        f"{TASK}: {state['current_task_index']}",
        f"Cairn-Reviewed-Tree: {tree}",
    ]
    summary = str((state["last_review"] or {}).get("summary", ""))
    message = write_message(task.title, summary, trailers)

    async def make(key: str) -> Json:
        commit = await run.trees.commit(tree, message, key)
        changes = await run.trees.list_changes(state["base_tree"], tree)
        return {**commit.model_dump(), "files": [one.path for one in changes]}

    answer = await at.effects.call("commit", {"tree_id": tree}, make)
    await run.records.record(
        TaskCommitted,
        index=state["current_task_index"],
        sha=answer["commit_id"],
        tree=answer["tree_id"],
        title=task.title,
        branch=answer["branch"],
        trailers=trailers,
        files=answer["files"],
    )
    return {"commits": [*state["commits"], answer["commit_id"]]}


async def next_task(at: At, state: ExecutionState) -> Step:
    """The counters of a task begin anew; after the last one the delivery is done."""
    index = state["current_task_index"] + 1
    if index >= (state["total_tasks"] or 1):
        return {"agentic_status": "completed", "ended": "completed"}
    return {
        "current_task_index": index,
        "task_review_iteration": 0,
        "review_pass": 0,
        "last_review": None,
        "evaluation_result": None,
        "approved_items": [],
        "problems": [],
        "tree": state["reviewed_tree"],
        "base_tree": state["reviewed_tree"],
        "reviewed_tree": "",
    }


def after_next_task(state: ExecutionState) -> str:
    return "end" if state["ended"] else "developer"


def write_message(title: str, summary: str, trailers: list[str]) -> str:
    """The message of a commit: one line, why, and the trailers as the last paragraph."""
    first = " ".join(title.split())[:72] or "Change the code"
    body = "\n".join(line.rstrip() for line in summary.strip().splitlines())
    return "\n\n".join(part for part in (first, body, "\n".join(trailers)) if part) + "\n"


def _tell_items(state: ExecutionState) -> str:
    if not state["approved_items"]:
        return ""
    lines = [
        f"- {one['file'] or 'the change'}{':' + str(one['line']) if one['line'] else ''}"
        f" ({one['severity']}): {one['description']}"
        + (f" A person says: {one['answer']}" if one.get("answer") else "")
        for one in state["approved_items"]
    ]
    return "Your work was reviewed. Do this, and nothing else:\n" + fence("\n".join(lines))
