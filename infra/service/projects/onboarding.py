"""Onboarding: a new project from its sources to a planned sprint, as one pipeline.

The pipeline is a row with a version. A job goes through its stages; it ends when the pipeline is
over, has failed, or waits for a person, and what the person does puts the next job into the queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from infra.platform.errors import Conflict, Refusal, Unavailable
from infra.platform.log import get
from infra.platform.machine_paths import hide_paths_of
from infra.platform.settings import Settings
from infra.service.foundation.database import ask, transact
from infra.service.foundation.publishing import check_key, draw_key
from infra.store.jobs import queue
from infra.store.jobs.outbox import Conn
from infra.store.jobs.queue import NewJob
from infra.store.onboarding import Step, change_pipeline, create_pipeline
from projections.read import onboarding as read
from projections.read import projects
from projections.read.onboarding import Pipeline, PipelineEvent
from schemas import onboarding
from schemas.envelope import SYSTEM, Actor
from schemas.events.pipeline import PipelineRecord, StageChanged, StageName, StageStatus

GATE: StageName = "prd_quality_gate"
LONGEST_ERROR = 500

log = get("onboarding")


@dataclass(frozen=True, slots=True)
class StartedPipeline:
    """``is_new`` is false for a pipeline that was there before under the same key."""

    record: PipelineRecord
    is_new: bool


async def start_onboarding(
    settings: Settings,
    project: str,
    sources: Sequence[str] = (),
    *,
    actor: str,
    key: str | None = None,
) -> StartedPipeline:
    """Start a pipeline over ``sources``, or over what the project has. Once for each key.

    Raises Invalid, NotFound, Unavailable.
    """
    key = key or draw_key()
    check_key(key)
    project_id = await ask(settings, lambda tables: projects.find_project(tables, project))

    def begin(tables: Conn) -> tuple[PipelineRecord, bool]:
        with tables.transaction():
            record, is_new = create_pipeline(tables, project_id, key, list(sources), _human(actor))
            if is_new:
                _enqueue(tables, project_id, record, actor)
        return record, is_new

    return StartedPipeline(*await transact(settings, begin))


async def read_onboarding(settings: Settings, pipeline_id: str) -> Pipeline:
    """A pipeline as it is now. Raises NotFound, DatabaseUnavailable."""
    return await ask(settings, lambda tables: read.read_pipeline(tables, pipeline_id))


async def read_onboarding_events(settings: Settings, pipeline_id: str) -> list[PipelineEvent]:
    """The changes of a pipeline, oldest first, as the log tells them."""
    return await ask(settings, lambda tables: read.list_pipeline_events(tables, pipeline_id))


async def resume_onboarding(
    settings: Settings, pipeline_id: str, *, actor: str, expected_version: int | None = None
) -> PipelineRecord:
    """Go on where the pipeline waits or has failed. Raises NotFound, Conflict."""
    return await _continue(settings, pipeline_id, [onboarding.resume], actor, expected_version)


async def accept_onboarding(
    settings: Settings, pipeline_id: str, *, actor: str, expected_version: int | None = None
) -> PipelineRecord:
    """Take the PRD as it is although the quality gate has not passed it. Raises Conflict."""

    def accept(pipeline: PipelineRecord, at: datetime) -> StageChanged:
        if "accept" not in pipeline.actions:
            raise onboarding.IllegalMove("The pipeline does not wait for a PRD to be accepted.")
        return onboarding.move_stage(
            pipeline, GATE, "completed", at, reason=f"accepted as it is by {actor}"
        )

    steps: list[Step] = [accept, onboarding.resume]
    return await _continue(settings, pipeline_id, steps, actor, expected_version)


async def skip_onboarding_stage(
    settings: Settings,
    pipeline_id: str,
    reason: str,
    *,
    actor: str,
    expected_version: int | None = None,
) -> PipelineRecord:
    """Leave out the stage that waits, where it can be left out, and go on. Raises Conflict."""

    def skip(pipeline: PipelineRecord, at: datetime) -> StageChanged:
        if "skip" not in pipeline.actions:
            raise onboarding.IllegalMove(f"The stage {pipeline.current_stage} cannot be skipped.")
        return onboarding.move_stage(pipeline, pipeline.current_stage, "skipped", at, reason=reason)

    steps: list[Step] = [skip, onboarding.resume]
    return await _continue(settings, pipeline_id, steps, actor, expected_version)


async def cancel_onboarding(
    settings: Settings, pipeline_id: str, *, actor: str, expected_version: int | None = None
) -> PipelineRecord:
    """End the pipeline; what it has made stays. Raises NotFound, Conflict."""
    return await _change(
        settings, pipeline_id, [onboarding.cancel], _human(actor), expected_version
    )


async def advance(settings: Settings, pipeline_id: str, actor: str) -> PipelineRecord:
    """Go through the stages until the pipeline is over, fails, or waits for a person.

    Raises Unavailable, after which it can be called again.
    """
    pipeline = await read_onboarding(settings, pipeline_id)
    record = pipeline.record
    while record.status in ("pending", "running"):
        try:
            record = await _advance(settings, pipeline.project_id, record, actor)
        except Conflict as error:
            if error.code != "illegal_move":
                raise
            log.info("onboarding.moved_meanwhile", pipeline_id=pipeline_id, reason=str(error))
            record = (await read_onboarding(settings, pipeline_id)).record
    return record


async def fail_onboarding(settings: Settings, pipeline_id: str, error: str) -> None:
    """The stage under way has failed for good; the pipeline waits to be resumed."""
    record = (await read_onboarding(settings, pipeline_id)).record
    stage = onboarding.next_stage(record)
    if stage is not None and onboarding.stage_of(record, stage).status == "running":
        await _change(settings, pipeline_id, _failed(stage, error), SYSTEM)


async def _advance(
    settings: Settings, project_id: str, record: PipelineRecord, actor: str
) -> PipelineRecord:
    """One stage further."""
    from infra.service.projects.onboarding_stages import STAGE_WORK, Setting

    change = partial(_change, settings, record.pipeline_id, by=SYSTEM)
    stage = onboarding.next_stage(record)
    if stage is None:
        return await change([onboarding.complete])
    if onboarding.stage_of(record, stage).status != "running":
        record = await change([partial(onboarding.move_stage, name=stage, to="running")])
    at = Setting(
        settings,
        record.pipeline_id,
        project_id,
        tuple(record.sources),
        started_on=record.created_at.date().isoformat(),
        actor=actor,
        version=record.version,
    )
    try:
        outcome = await STAGE_WORK[stage](at)
    except Unavailable:
        raise
    except Refusal as error:
        return await change(_failed(stage, hide_paths_of(settings, str(error))))
    steps: list[Step] = []
    if outcome.attached:
        steps.append(partial(onboarding.attach, artifacts=outcome.attached))
    if outcome.actions:
        actions = [*outcome.actions, "cancel"]
        steps.append(partial(onboarding.wait, reason=outcome.reason, actions=actions))
    else:
        to: StageStatus = "skipped" if outcome.is_skipped else "completed"
        steps.append(partial(onboarding.move_stage, name=stage, to=to, reason=outcome.reason))
    return await change(steps)


def _failed(stage: StageName, error: str) -> list[Step]:
    told = error[:LONGEST_ERROR]
    return [
        partial(onboarding.move_stage, name=stage, to="failed", error=told),
        partial(onboarding.fail, error=told),
    ]


async def _continue(
    settings: Settings,
    pipeline_id: str,
    steps: Sequence[Step],
    actor: str,
    expected_version: int | None,
) -> PipelineRecord:
    """Make the changes of a person, and put the job that goes on into the queue with them."""

    def go_on(tables: Conn) -> PipelineRecord:
        with tables.transaction():
            record = change_pipeline(tables, pipeline_id, steps, _human(actor), expected_version)
            project_id = read.read_pipeline(tables, pipeline_id).project_id
            _enqueue(tables, project_id, record, actor)
        return record

    return await transact(settings, go_on)


async def _change(
    settings: Settings,
    pipeline_id: str,
    steps: Sequence[Step],
    by: Actor,
    expected_version: int | None = None,
) -> PipelineRecord:
    return await transact(
        settings, lambda tables: change_pipeline(tables, pipeline_id, steps, by, expected_version)
    )


def _enqueue(tables: Conn, project_id: str, record: PipelineRecord, actor: str) -> None:
    new = NewJob(
        project_id=project_id,
        job_type="onboarding",
        key=f"{record.pipeline_id}|{record.version}",
        payload={"pipeline_id": record.pipeline_id},
        created_by=f"human:{actor}",
        priority="urgent",
        correlation_id=record.pipeline_id,
    )
    queue.enqueue(tables, new, _human(actor))


def _human(name: str) -> Actor:
    return Actor(type="human", id=name)
