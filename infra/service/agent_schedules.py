"""Schedules what a person says in a sentence, as the scheduler among the agents asks for it."""

from __future__ import annotations

from typing import Any

from agents.project.scheduling_words import parse_schedule
from agents.tools.ports import ToolRefused
from agents.tools.tool import ToolContext
from infra.clock import SystemClock
from infra.errors import Refusal
from infra.service.schedules import (
    ScheduledWork,
    WorkRequest,
    read_project_settings,
    schedule_work,
)
from infra.settings import Settings

NOT_UNDERSTOOD = (
    "I did not understand what is to be done, and when: say it like"
    " 'every monday at 09:00: sprint report' or 'remind me on friday to review the risks'."
)


async def schedule_sentence(
    settings: Settings, context: ToolContext, sentence: str
) -> dict[str, Any]:
    """The work that the sentence asks for, on the calendar of the project. Raises ToolRefused."""
    try:
        known = await read_project_settings(settings, context.project_id)
        parsed = parse_schedule(sentence, SystemClock().now(), known.timezone)
        if parsed is None:
            raise ToolRefused(NOT_UNDERSTOOD, "schedule_not_understood")
        wanted = WorkRequest(
            recurrence=parsed.recurrence,
            title=parsed.work.title,
            agent=parsed.work.agent,
            job_type=parsed.work.job_type,
            payload=parsed.work.payload,
            priority=parsed.priority,
        )
        work = await schedule_work(
            settings,
            context.project_id,
            wanted,
            actor=context.actor,
            key=context.idempotency_key,
        )
    except Refusal as refused:
        raise ToolRefused(str(refused), refused.code) from refused
    return _describe(work)


def _describe(work: ScheduledWork) -> dict[str, Any]:
    told = work.model_dump(mode="json", include={"work_item_id", "title", "agent", "priority"})
    recurrence = work.recurrence.kind if work.recurrence else "once"
    at = work.next_run_at
    return told | {"recurrence": recurrence, "next_run_at": at.isoformat() if at else None}
