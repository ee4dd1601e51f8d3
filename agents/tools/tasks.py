"""Tools that change tasks. What a person has made or changed no later run overwrites."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from agents.tools.items import find_item, show_item
from agents.tools.ports import Json, Ports, ToolRefused
from agents.tools.show import answer, cite_item, name_of
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult

Status = Literal["todo", "in_progress", "in_review", "done", "blocked"]
TITLE = Field(min_length=1, max_length=200)


class CreateTask(ToolArguments):
    """``solutions``: how it will be done, a step each. ``feature`` and ``assignee`` are ids or
    names. ``atom_ids``: atoms that the task rests on; without them it is the user's own words.
    """

    title: str = TITLE
    description: str = Field(default="", max_length=5_000)
    solutions: list[str] = Field(default=[], max_length=20)
    acceptance_criteria: list[str] = Field(default=[], max_length=20)
    feature: str | None = None
    assignee: str | None = None
    estimate_points: int | None = Field(default=None, ge=0, le=100)
    required_skills: list[str] = Field(default=[], max_length=10)
    atom_ids: list[str] = Field(default=[], max_length=20)


class UpdateTask(ToolArguments):
    """What is left out stays. ``task``: an id, a number such as ``task-003``, or the title."""

    task: str = Field(min_length=1, max_length=300)
    title: str | None = Field(default=None, min_length=1, max_length=200)
    description: str | None = Field(default=None, min_length=1, max_length=5_000)
    solutions: list[str] | None = Field(default=None, min_length=1, max_length=20)
    acceptance_criteria: list[str] | None = Field(default=None, min_length=1, max_length=20)
    assignee: str | None = None
    estimate_points: int | None = Field(default=None, ge=0, le=100)
    status: Status | None = None


class DeleteTask(ToolArguments):
    """``task``: an id, a number such as ``task-003``, or the title."""

    task: str = Field(min_length=1, max_length=300)


def task_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""

    async def create_task(context: ToolContext, wanted: CreateTask) -> ToolResult:
        change: dict[str, Any] = wanted.model_dump(exclude={"feature", "assignee"})
        if wanted.feature:
            feature = await find_item(ports, context.project_id, "feature", wanted.feature)
            change["feature_id"] = feature["artifact_id"]
        if wanted.assignee:
            change["assignee_id"] = await _find_member(ports, context, wanted.assignee)
        return _tell("Created", await ports.change_task(context, {"op": "create", **change}))

    async def update_task(context: ToolContext, wanted: UpdateTask) -> ToolResult:
        task = await find_item(ports, context.project_id, "task", wanted.task)
        change = wanted.model_dump(exclude={"task", "assignee"}, exclude_none=True)
        if wanted.assignee:
            change["assignee_id"] = await _find_member(ports, context, wanted.assignee)
        if not change:
            raise ToolRefused("Say what of the task should change.", "nothing_changes")
        return _tell("Changed", await ports.change_task(context, _of(task, "update") | change))

    async def delete_task(context: ToolContext, wanted: DeleteTask) -> ToolResult:
        task = await find_item(ports, context.project_id, "task", wanted.task)
        done = await ports.change_task(context, _of(task, "delete"))
        text = "Asked to delete" if done.get("accepted") else "Deleted"
        return answer([f"{text} {name_of(task)}."], done, cite_item(task)[:1])

    return [
        Tool(
            "create_task",
            "Create a task in the user's words.",
            CreateTask,
            create_task,
            space="tasks",
            mutating=True,
            role="member",
        ),
        Tool(
            "update_task",
            "Change a task: title, text, approach, assignee, points or status.",
            UpdateTask,
            update_task,
            space="tasks",
            mutating=True,
            role="member",
        ),
        Tool(
            "delete_task",
            "Delete a task; the user is asked before.",
            DeleteTask,
            delete_task,
            space="tasks",
            mutating=True,
            confirm=True,
            role="member",
        ),
    ]


def _of(task: Json, op: str) -> dict[str, Any]:
    return {"op": op, "task_id": task["artifact_id"], "expected_version": task["version"]}


async def _find_member(ports: Ports, context: ToolContext, name: str) -> str:
    members = await ports.list_members(context.project_id)
    found = [
        one for one in members if name.lower() in (one["name"].lower(), one["member_id"].lower())
    ]
    if len(found) != 1:
        raise ToolRefused(f"There is no one member {name!r}.", "unknown_member")
    member_id: str = found[0]["member_id"]
    return member_id


def _tell(verb: str, done: Json) -> ToolResult:
    if done.get("accepted"):
        return answer(["Accepted; the tables do not show it yet."], done)
    shown = show_item(done)
    return answer([f"{verb}: {shown.text}"], done, shown.citations)
