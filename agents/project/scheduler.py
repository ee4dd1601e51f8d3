"""The scheduler: puts work on the calendar of the project. What it answers is never reviewed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from agents.project.outputs import ScheduledWork, ScheduleList
from agents.project.specialist import SpecialistContext
from agents.project.state import AgentResult
from agents.runs.effects import Json
from agents.tools.reports import tell_schedules
from agents.tools.tool import ToolContext

SCHEDULE = "schedule_work"

Schedule = Callable[[ToolContext, str], Awaitable[Json]]
"""Schedules what a sentence asks for; answers with the schedules. Raises ToolRefused."""


async def schedule(specialist: SpecialistContext, began: datetime, do: Schedule) -> AgentResult:
    """Schedule what is asked for, in the words of the user; a question puts nothing on a calendar
    before a person has said so.
    """

    async def make(context: ToolContext, args: Json) -> Json:
        return await do(context, args["request"])

    args = {"request": specialist.ordered}
    result = await specialist.change(
        SCHEDULE, args, make, confirm=not specialist.is_asked(SCHEDULE, args)
    )
    made = result.get("items") or [result]  # what was recorded before there could be several
    items = [ScheduledWork.model_validate(schedule) for schedule in made]
    output = items[0] if len(items) == 1 else ScheduleList(items=items)
    text = "\n".join(tell_schedules(made))
    return await specialist.finish(output, text, began, requires_review=False)
