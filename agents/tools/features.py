"""Tools that change features and their priority: what a person decides, no later run changes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agents.tools.items import change_of, find_item, tell_change, tell_deletion
from agents.tools.ports import Ports, ToolRefused
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult

Priority = Literal["must", "should", "could", "wont"]
Status = Literal["planned", "in_progress", "done"]


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
    status: Status | None = None


class DeleteFeature(ToolArguments):
    """``feature``: an id, a number such as `feat-001`, or the title."""

    feature: str = Field(min_length=1, max_length=300)


def feature_tools(ports: Ports) -> list[Tool]:
    """The tools of the group, over these ports."""

    async def create_feature(context: ToolContext, wanted: CreateFeature) -> ToolResult:
        change = {"op": "create", **wanted.model_dump(exclude_none=True)}
        return tell_change("Created", await ports.change_feature(context, change))

    async def update_feature(context: ToolContext, wanted: UpdateFeature) -> ToolResult:
        feature = await find_item(ports, context.project_id, "feature", wanted.feature)
        change = wanted.model_dump(exclude={"feature"}, exclude_none=True, exclude_defaults=True)
        if not change.keys() - {"reason", "atom_ids"}:
            raise ToolRefused("Say what of the feature should change.", "no_change")
        done = await ports.change_feature(context, change_of(feature, "update") | change)
        return tell_change("Changed", done)

    async def delete_feature(context: ToolContext, wanted: DeleteFeature) -> ToolResult:
        feature = await find_item(ports, context.project_id, "feature", wanted.feature)
        done = await ports.change_feature(context, change_of(feature, "delete"))
        return tell_deletion(feature, done)

    return [
        Tool(
            "create_feature",
            "Create a feature in the user's words; the plan gives it dates.",
            CreateFeature,
            create_feature,
            space="features",
            mutating=True,
            role="pm",
        ),
        Tool(
            "update_feature",
            "Change a feature: title, text, effort, status, or its priority with a reason and the"
            " atoms that speak for it; the plan follows.",
            UpdateFeature,
            update_feature,
            space="features",
            mutating=True,
            role="pm",
        ),
        Tool(
            "delete_feature",
            "Delete a feature with the tasks that were cut from it; the user is asked before.",
            DeleteFeature,
            delete_feature,
            space="features",
            mutating=True,
            confirm=True,
            role="pm",
        ),
    ]
