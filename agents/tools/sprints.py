"""Tools that change sprints; which tasks are in one follows from the plan, or from update_task."""

from __future__ import annotations

from pydantic import Field

from agents.tools.items import change_of, find_item, tell_change, tell_deletion
from agents.tools.ports import Ports, ToolRefused
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult

DAY = Field(default=None, pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
CAPACITY = Field(default=None, ge=0, le=10_000)


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


def sprint_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""

    async def create_sprint(context: ToolContext, wanted: CreateSprint) -> ToolResult:
        change = {"op": "create", **wanted.model_dump(exclude_none=True)}
        return tell_change("Created", await ports.change_sprint(context, change))

    async def update_sprint(context: ToolContext, wanted: UpdateSprint) -> ToolResult:
        sprint = await find_item(ports, context.project_id, "sprint", wanted.sprint)
        change = wanted.model_dump(exclude={"sprint"}, exclude_none=True)
        if not change:
            raise ToolRefused("Say what of the sprint should change.", "no_change")
        done = await ports.change_sprint(context, change_of(sprint, "update") | change)
        return tell_change("Changed", done)

    async def delete_sprint(context: ToolContext, wanted: DeleteSprint) -> ToolResult:
        sprint = await find_item(ports, context.project_id, "sprint", wanted.sprint)
        done = await ports.change_sprint(context, change_of(sprint, "delete"))
        return tell_deletion(sprint, done)

    return [
        Tool(
            "create_sprint",
            "Create a sprint behind the last one; the plan fills it.",
            CreateSprint,
            create_sprint,
            space="sprints",
            mutating=True,
            role="pm",
        ),
        Tool(
            "update_sprint",
            "Change a sprint: goal, days, capacity; or close it. Tasks are moved by update_task.",
            UpdateSprint,
            update_sprint,
            space="sprints",
            mutating=True,
            role="pm",
        ),
        Tool(
            "delete_sprint",
            "Delete a sprint: its tasks go to other sprints; the user is asked before.",
            DeleteSprint,
            delete_sprint,
            space="sprints",
            mutating=True,
            confirm=True,
            role="pm",
        ),
    ]
