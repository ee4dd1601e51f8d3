"""The scheduler: puts work on the calendar of the project. What it answers is never reviewed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from agents.project.desk import Desk
from agents.project.effects import Json
from agents.project.outputs import ScheduledWork
from agents.project.state import AgentResult
from agents.tools.tool import ToolContext

Schedule = Callable[[ToolContext, str], Awaitable[Json]]
"""Schedules what a sentence asks for; answers with the work. Raises ToolRefused."""


async def schedule(desk: Desk, began: datetime, do: Schedule) -> AgentResult:
    """Schedule what is asked for, in the words of the user."""

    async def make(context: ToolContext) -> Json:
        return await do(context, desk.request)

    told = await desk.change("schedule_work", {"request": desk.request}, make)
    work = ScheduledWork.model_validate(told)
    when = work.next_run_at or "no time that is known yet"
    said = f"Scheduled: {work.title}, next at {when} ({work.recurrence})."
    return await desk.finish(work, said, began, requires_review=False)
