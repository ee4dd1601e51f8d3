"""What the stages of onboarding do. Each may be entered again after a crash and repeats nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from infra.platform.errors import Refusal, Unavailable
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, wait_for
from infra.service.ingesting.ingestion import IngestRequest, SourceIngested, ingest
from infra.service.planning.team import set_plan
from infra.service.writing.quality import GateRequest, run_quality
from projections.read import artifacts, progress, projects, team
from projections.read.artifacts import Artifact, Item
from projections.read.session import Conn
from schemas.events.pipeline import Attached, StageName

RUNS_END_WITHIN_S = 3600.0
PLANNED_WITHIN_S = 60.0
SHOWN_WITHIN_S = 10.0
LOOK_EVERY_S = 0.5
DRAFT = "draft"


@dataclass(frozen=True, slots=True)
class Setting:
    """The pipeline that a stage works for, at the ``version`` at which it entered the stage."""

    settings: Settings
    pipeline_id: str
    project_id: str
    sources: tuple[str, ...]
    started_on: str
    actor: str
    version: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stage came to: it is over, is skipped, or waits for one of the ``actions``.

    ``reason`` says why it is skipped or waits.
    """

    attached: Attached | None = None
    reason: str = ""
    actions: tuple[str, ...] = ()
    is_skipped: bool = False


Stage = Callable[[Setting], Awaitable[Outcome]]


async def take_sources(at: Setting) -> Outcome:
    """Feed the sources; it is over when the project has one, which may be on its way."""
    if at.sources:
        async for _ in ingest(at.settings, _request(at, wait=False)):
            pass
    if await wait_for(at.settings, partial(_has_source, at.project_id), timeout_s=SHOWN_WITHIN_S):
        return Outcome()
    return Outcome(reason="The project has no source.", actions=("add_sources", "resume"))


async def read_sources(at: Setting) -> Outcome:
    """Wait for the runs; it is over when they ended normally and gave a statement."""
    if at.sources:
        done = [
            step
            async for step in ingest(at.settings, _request(at, wait=True))
            if isinstance(step, SourceIngested)
        ]
        failed = [run.run_id for each in done for run in each.runs if run.status == "failed"]
        if failed:
            raise Refusal(f"Run {failed[0]} failed.", code="run_failed")
    else:
        await _wait_until_settled(at)
    if (await _project(at)).atoms == 0:
        return Outcome(
            reason="Nothing that was read states anything.", actions=("add_sources", "resume")
        )
    return Outcome()


async def find_insights(at: Setting) -> Outcome:
    found = await _ready(at, "insight")
    if found is None:
        return Outcome(reason="What was read gives no insight.", is_skipped=True)
    return Outcome(found)


async def write_prd(at: Setting) -> Outcome:
    found = await _ready(at, "prd")
    if found is None:
        return Outcome(
            reason="The PRD is a draft: too little is known for more.",
            actions=("add_sources", "resume"),
        )
    return Outcome(found)


async def judge_prd(at: Setting) -> Outcome:
    """The gate judges the PRD as it is, once each time that somebody sends the pipeline here."""
    request = GateRequest(at.project_id, key=f"{at.pipeline_id}|{at.version}")
    run = await run_quality(at.settings, request)
    if run.status == "passed":
        return Outcome()
    return Outcome(
        reason=f"The quality gate says {run.final_tier}: quality run {run.quality_run_id} has what"
        " each section lacks. Accept the PRD, or edit it and have it judged again.",
        actions=("accept", "edit", "resume"),
    )


async def find_features(at: Setting) -> Outcome:
    found = await _ready(at, "feature")
    if found is None:
        return Outcome(reason="What was read names no feature.", actions=("add_sources", "resume"))
    return Outcome(found)


async def set_up_team(at: Setting) -> Outcome:
    members = await ask(at.settings, lambda tables: team.list_members(tables, at.project_id))
    if any(member.capacity_points > 0 for member in members):
        return Outcome()
    return Outcome(
        reason="No member has capacity.",
        actions=("add_members", "skip"),
    )


async def plan_sprint(at: Setting) -> Outcome:
    """The plan follows the members by itself, so it may be on its way.

    Where nobody has said when the first sprint begins, it begins on the pipeline's own day.
    """
    plan = await ask(at.settings, partial(team.read_plan, project_id=at.project_id))
    if not plan.start_day:
        key = f"onboarding|{at.pipeline_id}"
        await set_plan(at.settings, at.project_id, start_day=at.started_on, actor=at.actor, key=key)

    def look(tables: Conn) -> Attached | None:
        return _attached(
            "sprint_plan", artifacts.list_items(tables, at.project_id, "sprint_plan").items
        )

    found = await wait_for(at.settings, look, timeout_s=PLANNED_WITHIN_S)
    if found is None:
        return Outcome(
            reason="There is no plan: no task, or nobody who can do it.",
            actions=("add_members", "resume", "skip"),
        )
    return Outcome(found)


STAGE_WORK: Mapping[StageName, Stage] = {
    "sources": take_sources,
    "ingestion": read_sources,
    "insights": find_insights,
    "prd_generation": write_prd,
    "prd_quality_gate": judge_prd,
    "feature_generation": find_features,
    "team_setup": set_up_team,
    "sprint_planning": plan_sprint,
}


def _has_source(project_id: str, tables: Conn) -> bool | None:
    (found,) = projects.list_projects(tables, only=[project_id]).items
    return True if found.sources else None


def _request(at: Setting, *, wait: bool) -> IngestRequest:
    return IngestRequest(
        sources=at.sources,
        project=at.project_id,
        actor=at.actor,
        key=f"onboarding|{at.pipeline_id}",
        key_may_repeat=True,
        wait=wait,
    )


async def _project(at: Setting) -> projects.Project:
    """The project with its numbers of sources and live atoms."""
    found = await ask(
        at.settings, lambda tables: projects.list_projects(tables, only=[at.project_id])
    )
    return found.items[0]


async def _wait_until_settled(at: Setting) -> None:
    """Return when all that the project was asked to read is settled. Raises Unavailable."""
    deadline_s = time.monotonic() + RUNS_END_WITHIN_S
    while not await ask(at.settings, partial(progress.is_settled, project_id=at.project_id)):
        if time.monotonic() > deadline_s:
            raise Unavailable("Runs of the project are still under way.", code="runs_under_way")
        await asyncio.sleep(LOOK_EVERY_S)


async def _ready(at: Setting, artifact_type: str) -> Attached | None:
    """The artifacts of a type that are no drafts, if there are any."""

    def question(tables: Conn) -> Attached | None:
        if artifact_type != "prd":
            return _attached(
                artifact_type, artifacts.list_items(tables, at.project_id, artifact_type).items
            )
        if not artifacts.has_artifact(tables, at.project_id, artifact_type):
            return None
        return _attached(
            artifact_type, [artifacts.read_only_artifact(tables, at.project_id, artifact_type)]
        )

    return await ask(at.settings, question)


def _attached(artifact_type: str, found: Sequence[Artifact | Item]) -> Attached | None:
    ids = [each.artifact_id for each in found if each.artifact_state != DRAFT]
    return Attached(artifact_type=artifact_type, artifact_ids=ids) if ids else None
