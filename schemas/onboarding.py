"""Onboarding as a state machine: from a pipeline and what happens to it, the pipeline after it.

Stages run in order, each one from ``pending`` over ``running`` to ``completed``, ``failed`` or
``skipped``; a failed one runs again when the pipeline is resumed. Nothing else is legal. No clock:
times are handed in.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from schemas.events.pipeline import (
    STAGES,
    ArtifactsAttached,
    Attached,
    PipelineCancelled,
    PipelineCompleted,
    PipelineFailed,
    PipelineRecord,
    PipelineResumed,
    PipelineStarted,
    PipelineWaits,
    StageChanged,
    StageName,
    StageRecord,
    StageStatus,
)

SKIPPABLE: frozenset[StageName] = frozenset(("insights", "team_setup", "sprint_planning"))
MOVES: Mapping[StageStatus, frozenset[StageStatus]] = {
    "pending": frozenset(("running",)),
    "running": frozenset(("completed", "failed", "skipped")),
    "failed": frozenset(("running",)),
    "completed": frozenset(),
    "skipped": frozenset(),
}
ENDED = frozenset(("completed", "cancelled"))


class IllegalMove(Exception):
    """The pipeline cannot do this now. The message is a sentence for people."""


def start(
    pipeline_id: str, key: str, sources: list[str], *, created_by: str, at: datetime
) -> PipelineStarted:
    """A new pipeline that has not begun its first stage."""
    return PipelineStarted(
        pipeline=PipelineRecord(
            pipeline_id=pipeline_id,
            idempotency_key=key,
            status="pending",
            current_stage=STAGES[0],
            stages=[StageRecord(name=name) for name in STAGES],
            sources=sources,
            version=1,
            created_by=created_by,
            created_at=at,
            updated_at=at,
        )
    )


def next_stage(pipeline: PipelineRecord) -> StageName | None:
    """The first stage that is not over; None when all are."""
    over = ("completed", "skipped")
    return next((stage.name for stage in pipeline.stages if stage.status not in over), None)


def stage_of(pipeline: PipelineRecord, name: StageName) -> StageRecord:
    return pipeline.stages[STAGES.index(name)]


def move_stage(
    pipeline: PipelineRecord,
    name: StageName,
    to: StageStatus,
    at: datetime,
    *,
    reason: str = "",
    error: str = "",
) -> StageChanged:
    """The stage has moved. Raises IllegalMove."""
    stage = stage_of(pipeline, name)
    _check_move(pipeline, stage, to, reason)
    begins = to == "running"
    moved = stage.model_copy(
        update={
            "status": to,
            "attempt": stage.attempt + begins,
            "started_at": at if begins else stage.started_at,
            "finished_at": None if begins else at,
            "error": error,
            "reason": reason,
        }
    )
    over = to in ("completed", "skipped")
    after = _change(
        pipeline,
        at,
        status="running" if pipeline.status == "pending" else pipeline.status,
        current_stage=name,
        stages=[moved if each.name == name else each for each in pipeline.stages],
        last_checkpoint=name if over else pipeline.last_checkpoint,
    )
    return StageChanged(pipeline=after, stage=name, before=stage.status, after=to)


def attach(pipeline: PipelineRecord, artifacts: Attached, at: datetime) -> ArtifactsAttached:
    """These are the artifacts of their type now."""
    others = [each for each in pipeline.artifacts if each.artifact_type != artifacts.artifact_type]
    return ArtifactsAttached(
        pipeline=_change(pipeline, at, artifacts=[*others, artifacts]), attached=artifacts
    )


def wait(pipeline: PipelineRecord, reason: str, actions: list[str], at: datetime) -> PipelineWaits:
    """The present stage waits for a person, for this reason."""
    stages = _give_reason(pipeline, reason)
    after = _change(pipeline, at, status="waiting_for_human", actions=actions, stages=stages)
    return PipelineWaits(pipeline=after, stage=pipeline.current_stage, reason=reason)


def resume(pipeline: PipelineRecord, at: datetime) -> PipelineResumed:
    """The pipeline goes on where it waits or has failed. Raises IllegalMove when not."""
    if pipeline.status not in ("waiting_for_human", "failed"):
        raise IllegalMove(f"The pipeline is {pipeline.status}: there is nothing to resume.")
    stages = _give_reason(pipeline, "")
    after = _change(pipeline, at, status="running", actions=[], stages=stages)
    return PipelineResumed(pipeline=after)


def fail(pipeline: PipelineRecord, error: str, at: datetime) -> PipelineFailed:
    """The present stage has failed, and the pipeline with it, until it is resumed."""
    after = _change(pipeline, at, status="failed", actions=["resume", "cancel"])
    return PipelineFailed(pipeline=after, stage=pipeline.current_stage, error=error)


def complete(pipeline: PipelineRecord, at: datetime) -> PipelineCompleted:
    """All stages are over. Raises IllegalMove."""
    if (left := next_stage(pipeline)) is not None:
        raise IllegalMove(f"The stage {left} is not over.")
    return PipelineCompleted(pipeline=_change(pipeline, at, status="completed", actions=[]))


def cancel(pipeline: PipelineRecord, at: datetime) -> PipelineCancelled:
    """The pipeline ends; what it has made stays. Raises IllegalMove when it has ended."""
    if pipeline.status in ENDED:
        raise IllegalMove(f"The pipeline is {pipeline.status} already.")
    return PipelineCancelled(pipeline=_change(pipeline, at, status="cancelled", actions=[]))


def _check_move(pipeline: PipelineRecord, stage: StageRecord, to: StageStatus, reason: str) -> None:
    if pipeline.status in ENDED:
        raise IllegalMove(f"The pipeline is {pipeline.status}.")
    if to not in MOVES[stage.status]:
        raise IllegalMove(f"The stage {stage.name} is {stage.status}: it cannot be {to} now.")
    if (due := next_stage(pipeline)) != stage.name:
        raise IllegalMove(f"The stage {due} comes before {stage.name}.")
    if to == "skipped" and stage.name not in SKIPPABLE:
        raise IllegalMove(f"The stage {stage.name} cannot be skipped.")
    if to == "skipped" and not reason.strip():
        raise IllegalMove("Say why the stage is skipped.")


def _give_reason(pipeline: PipelineRecord, reason: str) -> list[StageRecord]:
    """The stages, the one under way with the reason for which it waits; "" when it does not."""
    return [
        each.model_copy(update={"reason": reason}) if each.status == "running" else each
        for each in pipeline.stages
    ]


def _change(pipeline: PipelineRecord, at: datetime, **values: Any) -> PipelineRecord:
    return pipeline.model_copy(update=values | {"version": pipeline.version + 1, "updated_at": at})
