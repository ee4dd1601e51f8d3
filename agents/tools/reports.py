"""Tools that have something written or judged: reports, forecasts, task lists, quality runs.

Each asks the one writer that does it for everybody. Nothing that a person has written is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pydantic import Field

from agents.tools.items import Reference, cite_items, find_item, show_item
from agents.tools.ports import Json, Ports
from agents.tools.show import answer, name_of, show_list
from agents.tools.tool import Tool, ToolArguments, ToolContext, ToolResult
from schemas.inflection import count

_REPORTS = (
    (
        "standup",
        "generate_standup",
        "Write a standup report of a day: what each member has done, does, is blocked by.",
    ),
    (
        "sprint",
        "generate_sprint_report",
        "Write a report on the sprint: points planned and completed, what is left, risks.",
    ),
    (
        "retro",
        "generate_retro",
        "Write a retrospective of the sprint: what was done and what not, what came in between,"
        " what the ledger has gained, the velocity of closed sprints.",
    ),
)


class AsOf(ToolArguments):
    """``as_of``: the day that the report is about, such as 2026-01-31; without it today."""

    as_of: str | None = Field(default=None, pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")


class QualityOf(ToolArguments):
    """``reference``: `prd`, or the id of a feature such as `art_…`."""

    reference: str = Field(min_length=1, max_length=300)


class Schedule(ToolArguments):
    """``request``: the work and its times, in English words, such as `sprint report every monday at
    09:00`; times are those of the project's time zone.
    """

    request: str = Field(min_length=1, max_length=500)


def report_tools(ports: Ports) -> list[Tool]:
    """The tools that have a report on work done written, over these ports."""

    async def write(report: str, context: ToolContext, wanted: AsOf) -> ToolResult:
        return show_item(await ports.request_report(context, report, wanted.as_of))

    return [
        Tool(
            name,
            description,
            AsOf,
            partial(write, report),
            space="reports",
            mutating=True,
            role="member",
        )
        for report, name, description in _REPORTS
    ]


def forecast_tools(ports: Ports) -> list[Tool]:
    """The tool that has a forecast written, over these ports."""

    async def forecast_delivery(context: ToolContext, wanted: AsOf) -> ToolResult:
        report = await ports.request_report(context, "forecast", wanted.as_of)
        forecast = report["fields"].get("forecast") or {}
        days = (
            f"{count(forecast.get('remaining_points', 0), 'point')} left,"
            f" {count(forecast.get('sprints_needed', 0), 'sprint')} needed: half likely by"
            f" {forecast.get('p50_date')}, rather sure by {forecast.get('p85_date')}"
            f" (confidence {forecast.get('confidence')})."
        )
        shown = show_item(report)
        assumed = show_list("Assumptions", forecast.get("assumptions") or ())
        return answer([days, *assumed, shown.text], report, shown.citations)

    return [
        Tool(
            "forecast_delivery",
            "Forecast when the remaining work will be done, with the assumptions behind it.",
            AsOf,
            forecast_delivery,
            space="analysis",
            mutating=True,
            role="member",
        ),
    ]


def breakdown_tools(ports: Ports) -> list[Tool]:
    """The tool that has tasks written, over these ports."""

    async def break_down_feature(context: ToolContext, wanted: Reference) -> ToolResult:
        feature = await find_item(ports, context.project_id, "feature", wanted.reference)
        await ports.request_generation(context, "task_breakdown")
        tasks = [
            item
            for item in await ports.list_items(context.project_id, "task")
            if item["fields"].get("feature_id") == feature["artifact_id"]
        ]
        lines = [f"{name_of(task)} [{task['artifact_id']}]" for task in tasks]
        data = {"feature_id": feature["artifact_id"], "tasks": tasks}
        shown = show_list(f"Tasks of {name_of(feature)}", lines)
        return answer(shown, data, cite_items([feature, *tasks]))

    return [
        Tool(
            "break_down_feature",
            "Have the tasks of a feature written from what is known of it.",
            Reference,
            break_down_feature,
            space="ai",
            mutating=True,
            role="pm",
        ),
    ]


def quality_tools(ports: Ports) -> list[Tool]:
    """The tool that has a text judged, over these ports."""

    async def run_quality_check(context: ToolContext, wanted: QualityOf) -> ToolResult:
        run = await ports.run_quality(context, wanted.reference)
        lines = [
            f"{run['title'] or 'It'}: {run['status']}, tier {run['final_tier'] or 'unknown'}.",
            *(
                f"- {dimension['name']}: tier {dimension['tier']}. {dimension['critique']}"
                for dimension in run["dimensions"]
            ),
        ]
        return answer(lines, run, cite_items([{**run, "title": run["title"] or "PRD"}]))

    return [
        Tool(
            "run_quality_check",
            "Have the quality gate judge the PRD (`prd`) or a feature; it changes no text.",
            QualityOf,
            run_quality_check,
            space="ai",
            mutating=True,
            role="pm",
        ),
    ]


def schedule_tools(ports: Ports) -> list[Tool]:
    """The tool that puts work on the calendar, over these ports."""

    async def schedule_work(context: ToolContext, wanted: Schedule) -> ToolResult:
        made = await ports.schedule_work(context, wanted.request)
        return answer(tell_schedules(made["items"]), made)

    return [
        Tool(
            "schedule_work",
            "Have work done at times, both in words: `sprint report every monday at 09:00`.",
            Schedule,
            schedule_work,
            space="operations",
            mutating=True,
            role="pm",
        )
    ]


def tell_schedules(made: Sequence[Json]) -> list[str]:
    """What was put on the calendar, a line a schedule."""
    return [
        f"Scheduled: {schedule['title']},"
        f" next at {schedule['next_run_at'] or 'no time that is known yet'}"
        f" ({schedule['recurrence']})."
        for schedule in made
    ]
