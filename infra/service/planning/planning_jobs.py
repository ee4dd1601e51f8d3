"""Jobs that make lists, sprint plans and reports."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic import Field

from infra.service.foundation.job_kind import Payload, Workplace, name_of
from infra.store.jobs.keeper import RunningJob
from schemas.events.change import ListPhase
from schemas.events.team import ReportType


class GenerationPayload(Payload):
    """Nothing: a list is made again from what is known."""


class SprintPlanningPayload(Payload):
    """From which day sprints count, and the points of one; what is left out stays as it is."""

    start_day: date | None = None
    velocity: int | None = Field(default=None, ge=1, le=10_000)


class ReportPayload(Payload):
    """A report and its day, which is given: a job that is done again must not tell another one."""

    report_type: ReportType
    as_of: date


async def generate_list(
    phase: ListPhase, place: Workplace, job: RunningJob, payload: Payload
) -> Mapping[str, Any]:
    """Have a list made again; what it has already stays. Its stream shows what is new."""
    from infra.service.planning.planning import request_generation

    lease = job.lease
    made = await request_generation(
        place.settings, lease.project_id, phase, actor=name_of(lease), key=lease.key
    )
    told: dict[str, Any] = {"artifact_ids": made.artifact_ids}
    return told | (made.loop.model_dump() if made.loop else {})


async def plan_sprints(
    place: Workplace, job: RunningJob, payload: SprintPlanningPayload
) -> Mapping[str, Any]:
    """Say from when sprints count, where that is given, and have them planned again."""
    from infra.service.planning.team import set_plan

    lease = job.lease
    if payload.start_day is not None or payload.velocity is not None:
        await set_plan(
            place.settings,
            lease.project_id,
            start_day=payload.start_day.isoformat() if payload.start_day else None,
            velocity=payload.velocity,
            actor=name_of(lease),
            key=lease.key,
        )
    return await generate_list("sprint_planning", place, job, payload)


async def make_report(
    place: Workplace, job: RunningJob, payload: ReportPayload
) -> Mapping[str, Any]:
    """Have a report made; one that was asked for before is the same."""
    from infra.service.planning.planning import request_report

    lease = job.lease
    made = await request_report(
        place.settings,
        lease.project_id,
        payload.report_type,
        as_of=payload.as_of.isoformat(),
        actor=name_of(lease),
        key=lease.key,
    )
    return {"artifact_id": made.artifact_id, "number": made.number}
