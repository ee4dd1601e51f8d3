"""Tools that make, change and delete tasks, features and sprints. What a person has made or changed
no later run overwrites; which tasks are in a sprint follows from the plan, or from update_task.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from agents.tools.items import TYPES, change_of, find_item, tell_change, tell_deletion
from agents.tools.members import find_member
from agents.tools.ports import Ports, ToolRefused
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult, ToolRole

TaskStatus = Literal["todo", "in_progress", "in_review", "done", "blocked"]
FeatureStatus = Literal["planned", "in_progress", "done"]
Priority = Literal["must", "should", "could", "wont"]
REFERENCE = Field(default=None, min_length=1, max_length=300)
DAY = Field(default=None, pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
CAPACITY = Field(default=None, ge=0, le=10_000)
BY_PLAN = "auto"
NAMED = ("feature", "assignee", "sprint")  # what an item belongs to, as people name it
EXPLAINING = {"reason", "atom_ids"}  # changes nothing alone


class CreateTask(ToolArguments):
    """``title``: up to 200 characters. ``description``: what is to be done. ``solutions``: how it
    will be done, a step each, and more than the title; without them what the ledger says of it,
    else an open question. ``acceptance_criteria``: a sentence each. ``feature``, ``assignee``,
    ``sprint``: an id, a number such as `feat-001` or `sprint-002`, or a name. ``estimate_points``:
    story points, 0 to 100. ``required_skills``: such as `security`. ``atom_ids``: the atoms that
    the task rests on, such as `atm_…`; without them it is the user's own words.
    """

    title: str = Field(min_length=1, max_length=200)
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
    status: TaskStatus | None = None


class DeleteTask(ToolArguments):
    """``task``: an id, a number such as `task-003`, or the title."""

    task: str = Field(min_length=1, max_length=300)


class CreateFeature(ToolArguments):
    """``title``: up to 200 characters. ``description``: what it does for whom; without it the title
    is it. ``acceptance_criteria``: a sentence each. ``priority``: `wont` is not made.
    ``effort_points``: story points, 0 to 100. ``atom_ids``: the atoms that the feature rests on,
    such as `atm_…`; without them it is the user's own words.
    """

    title: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=5_000)
    acceptance_criteria: list[str] = Field(default=[], max_length=20)
    priority: Priority | None = None
    effort_points: int | None = Field(default=None, ge=0, le=100)
    atom_ids: list[str] = Field(default=[], max_length=20)


class UpdateFeature(ToolArguments):
    """``feature``: an id, a number such as `feat-001`, or the title. What is left out stays.
    ``title``, ``description``, ``acceptance_criteria``: the new text, whole. ``priority``: a
    feature that is `wont` has no dates and no tasks. ``reason``: why it has this priority, up to
    1,000 characters. ``atom_ids``: the atoms that speak for the priority and the new text, such as
    `atm_…`. ``effort_points``: story points, 0 to 100. ``status``: `planned` has not begun.
    """

    feature: str = Field(min_length=1, max_length=300)
    title: str | None = Field(default=None, min_length=1, max_length=200)
    description: str | None = Field(default=None, min_length=1, max_length=5_000)
    acceptance_criteria: list[str] | None = Field(default=None, min_length=1, max_length=20)
    priority: Priority | None = None
    reason: str = Field(default="", max_length=1_000)
    atom_ids: list[str] = Field(default=[], max_length=20)
    effort_points: int | None = Field(default=None, ge=0, le=100)
    status: FeatureStatus | None = None


class DeleteFeature(ToolArguments):
    """``feature``: an id, a number such as `feat-001`, or the title."""

    feature: str = Field(min_length=1, max_length=300)


class CreateSprint(ToolArguments):
    """``goal``: a sentence of up to 200 characters. ``start_date``, ``end_date``: days such as
    2026-01-31, both in the sprint, at most 60 days apart; without them it begins after the last
    sprint and has 14 days. ``capacity_points``: story points that the team can do in it; without it
    what the members have.
    """

    goal: str = Field(min_length=1, max_length=200)
    start_date: str | None = DAY
    end_date: str | None = DAY
    capacity_points: int | None = CAPACITY


class UpdateSprint(ToolArguments):
    """``sprint``: an id, a number such as `sprint-002`, or the title. What is left out stays.
    ``goal``: a sentence of up to 200 characters. ``start_date``, ``end_date``: days such as
    2026-01-31, both in the sprint. ``capacity_points``: story points that the team can do in it.
    ``closed``: true closes the sprint: what is done stays in it, the rest goes to later ones; false
    opens it again.
    """

    sprint: str = Field(min_length=1, max_length=300)
    goal: str | None = Field(default=None, min_length=1, max_length=200)
    start_date: str | None = DAY
    end_date: str | None = DAY
    capacity_points: int | None = CAPACITY
    closed: bool | None = None


class DeleteSprint(ToolArguments):
    """``sprint``: an id, a number such as `sprint-002`, or the title."""

    sprint: str = Field(min_length=1, max_length=300)


def change_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""
    tasks = _build_tools(
        ports,
        "task",
        "member",
        (CreateTask, "Create a task in the user's words; the plan gives it a sprint."),
        (
            UpdateTask,
            "Change a task: title, text, approach, assignee, sprint, points or status.",
        ),
        (DeleteTask, "Delete a task; the user is asked before."),
    )
    features = _build_tools(
        ports,
        "feature",
        "pm",
        (CreateFeature, "Create a feature in the user's words; the plan gives it dates."),
        (
            UpdateFeature,
            "Change a feature: title, text, effort, status, or its priority with a reason and the"
            " atoms that speak for it; the plan follows.",
        ),
        (
            DeleteFeature,
            "Delete a feature with the tasks that were cut from it; the user is asked before.",
        ),
    )
    sprints = _build_tools(
        ports,
        "sprint",
        "pm",
        (CreateSprint, "Create a sprint behind the last one; the plan fills it."),
        (
            UpdateSprint,
            "Change a sprint: goal, days, capacity; or close it. Tasks are moved by update_task.",
        ),
        (
            DeleteSprint,
            "Delete a sprint: its tasks go to other sprints; the user is asked before.",
        ),
    )
    return [*tasks, *features, *sprints]


def _build_tools(
    ports: Ports, kind: str, role: ToolRole, *described: tuple[type[ToolArguments], str]
) -> list[Tool]:
    """The three tools of a kind: the arguments and the description of each."""

    async def create(context: ToolContext, wanted: ToolArguments) -> ToolResult:
        change = await _read(ports, context, kind, wanted)
        done = await ports.change_item(context, TYPES[kind][1], {"op": "create", **change})
        return tell_change("Created", done)

    async def update(context: ToolContext, wanted: ToolArguments) -> ToolResult:
        item = await find_item(ports, context.project_id, kind, getattr(wanted, kind))
        change = await _read(ports, context, kind, wanted)
        if not change.keys() - EXPLAINING:
            raise ToolRefused(f"Say what of the {kind} should change.", "nothing_changes")
        change = change_of(item, "update") | change
        return tell_change("Changed", await ports.change_item(context, TYPES[kind][1], change))

    async def delete(context: ToolContext, wanted: ToolArguments) -> ToolResult:
        item = await find_item(ports, context.project_id, kind, getattr(wanted, kind))
        change = change_of(item, "delete")
        return tell_deletion(item, await ports.change_item(context, TYPES[kind][1], change))

    return [
        Tool(
            f"{call.__name__}_{kind}",
            description,
            arguments,
            call,
            space=TYPES[kind][0],
            mutating=True,
            confirm=call is delete,
            role=role,
        )
        for call, (arguments, description) in zip((create, update, delete), described, strict=True)
    ]


async def _read(
    ports: Ports, context: ToolContext, kind: str, wanted: ToolArguments
) -> dict[str, Any]:
    """What is said of the item, with the ids of what it is told to belong to."""
    fields = wanted.model_dump(exclude_defaults=True)
    fields = {name: value for name, value in fields.items() if name not in (kind, *NAMED)}
    if "closed" in fields:
        fields["is_closed"] = fields.pop("closed")
    feature, assignee, sprint = (
        None if name == kind else getattr(wanted, name, None) for name in NAMED
    )
    if feature:
        item = await find_item(ports, context.project_id, "feature", feature)
        fields["feature_id"] = item["artifact_id"]
    if assignee:
        member = find_member(await ports.list_members(context.project_id), assignee)
        fields["assignee_id"] = member["member_id"]
    if sprint == BY_PLAN:
        fields["sprint_id"] = ""
    elif sprint:
        item = await find_item(ports, context.project_id, "sprint", sprint)
        fields["sprint_id"] = item["artifact_id"]
    return fields
