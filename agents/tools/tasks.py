"""Tools that change tasks. What a person has made or changed no later run overwrites."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from agents.tools.items import change_of, find_item, tell_change, tell_deletion
from agents.tools.members import find_member
from agents.tools.ports import Ports, ToolRefused
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult

Status = Literal["todo", "in_progress", "in_review", "done", "blocked"]
TITLE = Field(min_length=1, max_length=200)
REFERENCE = Field(default=None, min_length=1, max_length=300)
BY_PLAN = "auto"
_NAMED = ("feature", "assignee", "sprint")


class CreateTask(ToolArguments):
    """``title``: up to 200 characters. ``description``: what is to be done. ``solutions``: how it
    will be done, a step each, and more than the title; without them what the ledger says of it,
    else an open question. ``acceptance_criteria``: a sentence each. ``feature``, ``assignee``,
    ``sprint``: an id, a number such as `feat-001` or `sprint-002`, or a name. ``estimate_points``:
    story points, 0 to 100. ``required_skills``: such as `security`. ``atom_ids``: the atoms that
    the task rests on, such as `atm_…`; without them it is the user's own words.
    """

    title: str = TITLE
    description: str = Field(default="", max_length=5_000)
    solutions: list[str] = Field(default=[], max_length=20)
    acceptance_criteria: list[str] = Field(default=[], max_length=20)
    feature: str | None = REFERENCE
    assignee: str | None = REFERENCE
    sprint: str | None = REFERENCE
    estimate_points: int | None = Field(default=None, ge=0, le=100)
    required_skills: list[str] = Field(default=[], max_length=10)
    atom_ids: list[str] = Field(default=[], max_length=20)


class UpdateTask(ToolArguments):
    """``task``: an id, a number such as `task-003`, or the title. What is left out stays.
    ``title``, ``description``, ``solutions``, ``acceptance_criteria``: the new text, whole.
    ``assignee``: a name or id. ``sprint``: the sprint to move it into, such as `sprint-002`;
    `auto`: the plan chooses again. ``estimate_points``: story points, 0 to 100. ``status``: how far
    it is.
    """

    task: str = Field(min_length=1, max_length=300)
    title: str | None = Field(default=None, min_length=1, max_length=200)
    description: str | None = Field(default=None, min_length=1, max_length=5_000)
    solutions: list[str] | None = Field(default=None, min_length=1, max_length=20)
    acceptance_criteria: list[str] | None = Field(default=None, min_length=1, max_length=20)
    assignee: str | None = REFERENCE
    sprint: str | None = REFERENCE
    estimate_points: int | None = Field(default=None, ge=0, le=100)
    status: Status | None = None


class DeleteTask(ToolArguments):
    """``task``: an id, a number such as `task-003`, or the title."""

    task: str = Field(min_length=1, max_length=300)


def task_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""

    async def create_task(context: ToolContext, wanted: CreateTask) -> ToolResult:
        change: dict[str, Any] = wanted.model_dump(exclude=set(_NAMED))
        change |= await _find_named(context, wanted)
        return tell_change("Created", await ports.change_task(context, {"op": "create", **change}))

    async def update_task(context: ToolContext, wanted: UpdateTask) -> ToolResult:
        task = await find_item(ports, context.project_id, "task", wanted.task)
        change = wanted.model_dump(exclude={"task", *_NAMED}, exclude_none=True)
        change |= await _find_named(context, wanted)
        if not change:
            raise ToolRefused("Say what of the task should change.", "nothing_changes")
        done = await ports.change_task(context, change_of(task, "update") | change)
        return tell_change("Changed", done)

    async def delete_task(context: ToolContext, wanted: DeleteTask) -> ToolResult:
        task = await find_item(ports, context.project_id, "task", wanted.task)
        return tell_deletion(task, await ports.change_task(context, change_of(task, "delete")))

    async def _find_named(context: ToolContext, wanted: CreateTask | UpdateTask) -> dict[str, Any]:
        """The ids of what the task is told to belong to."""
        fields: dict[str, Any] = {}
        feature, sprint = getattr(wanted, "feature", None), wanted.sprint
        if feature:
            item = await find_item(ports, context.project_id, "feature", feature)
            fields["feature_id"] = item["artifact_id"]
        if wanted.assignee:
            member = find_member(await ports.list_members(context.project_id), wanted.assignee)
            fields["assignee_id"] = member["member_id"]
        if sprint == BY_PLAN:
            fields["sprint_id"] = ""
        elif sprint:
            item = await find_item(ports, context.project_id, "sprint", sprint)
            fields["sprint_id"] = item["artifact_id"]
        return fields

    return [
        Tool(
            "create_task",
            "Create a task in the user's words; the plan gives it a sprint.",
            CreateTask,
            create_task,
            space="tasks",
            mutating=True,
            role="member",
        ),
        Tool(
            "update_task",
            "Change a task: title, text, approach, assignee, sprint, points or status.",
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
