"""What a delivery has come to, between two nodes of its graph."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal, TypedDict

AgenticStatus = Literal["running", "awaiting_approval", "completed", "failed", "cancelled"]


class ExecutionState(TypedDict):
    """Plain values alone, so that each state can be kept.

    ``total_tasks`` None: the plan names no tasks, and is done as one. ``current_task_index`` counts
    from 0. ``tree`` is the state of the files after the last node, ``base_tree`` that before the
    current task. ``driver_session_id`` lets the developer go on in its
    conversation. ``tries`` counts the plans that were not taken, ``problems`` is what is wrong with
    the last work. ``entries`` counts how often each node was entered. ``ended`` is empty while the
    delivery goes on, then why it has ended: ``completed``, or a code.
    """

    profile: dict[str, Any]
    issue: dict[str, Any]
    goal: str
    plan_markdown: str
    key_files: list[str]
    external_plan: bool
    tool_calls: Annotated[list[dict[str, Any]], operator.add]
    tool_results: Annotated[list[dict[str, Any]], operator.add]
    human_approved: bool
    human_feedback: str
    last_review: dict[str, Any] | None
    review_iteration: int
    max_review_iterations: int
    review_pass: int
    max_review_passes: int
    driver_session_id: str | None
    agentic_status: AgenticStatus
    total_tasks: int | None
    current_task_index: int
    task_review_iteration: int
    evaluation_result: dict[str, Any] | None
    approved_items: list[dict[str, Any]]
    tasks: list[dict[str, str]]
    commits: list[str]
    tree: str
    base_tree: str
    reviewed_tree: str
    tries: int
    problems: list[str]
    entries: dict[str, int]
    ended: str


def begin_state(profile: dict[str, Any], issue: dict[str, Any], plan: str) -> ExecutionState:
    """The state before the first node; ``plan`` is one from outside, or empty."""
    return {
        "profile": profile,
        "issue": issue,
        "goal": "",
        "plan_markdown": plan,
        "key_files": [],
        "external_plan": bool(plan),
        "tool_calls": [],
        "tool_results": [],
        "human_approved": False,
        "human_feedback": "",
        "last_review": None,
        "review_iteration": 0,
        "max_review_iterations": profile["max_review_iterations"],
        "review_pass": 0,
        "max_review_passes": profile["max_review_passes"],
        "driver_session_id": None,
        "agentic_status": "running",
        "total_tasks": None,
        "current_task_index": 0,
        "task_review_iteration": 0,
        "evaluation_result": None,
        "approved_items": [],
        "tasks": [],
        "commits": [],
        "tree": "",
        "base_tree": "",
        "reviewed_tree": "",
        "tries": 0,
        "problems": [],
        "entries": {},
        "ended": "",
    }
