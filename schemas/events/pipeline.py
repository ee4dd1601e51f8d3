"""What becomes of onboarding pipelines. The database decides, these are its changes as facts.

Key ``pipeline_id``. Each fact has the whole pipeline as it is afterwards, at one ``version``.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal, get_args

from schemas.envelope import Event, Part

StageName = Literal[
    "sources",
    "ingestion",
    "insights",
    "prd_generation",
    "prd_quality_gate",
    "feature_generation",
    "team_setup",
    "sprint_planning",
]
StageStatus = Literal["pending", "running", "completed", "failed", "skipped"]
PipelineStatus = Literal[
    "pending", "running", "waiting_for_human", "completed", "failed", "cancelled"
]
STAGES: tuple[StageName, ...] = get_args(StageName)


class StageRecord(Part):
    """A stage; ``attempt`` counts how often it began. ``reason``: why it is skipped or waits."""

    name: StageName
    status: StageStatus = "pending"
    attempt: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    error: str = ""
    reason: str = ""


class Attached(Part):
    """The artifacts of one type that the pipeline has led to."""

    artifact_type: str
    artifact_ids: list[str]


class PipelineRecord(Part):
    """A pipeline after a change. ``actions``: what a person may do while it waits for one.

    ``sources`` are read by the pipeline; with none, it goes on from what the project has.
    """

    pipeline_id: str
    idempotency_key: str
    status: PipelineStatus
    current_stage: StageName
    stages: list[StageRecord]
    sources: list[str] = []
    artifacts: list[Attached] = []
    actions: list[str] = []
    last_checkpoint: StageName | None = None
    version: int
    created_by: str
    created_at: datetime
    updated_at: datetime


class PipelineChanged(Event):
    """One change of one pipeline; its subclasses say which."""

    topic: ClassVar[str] = "pipeline.v1"

    pipeline: PipelineRecord

    @property
    def aggregate_id(self) -> str:
        return self.pipeline.pipeline_id

    @property
    def local_key(self) -> str:
        return f"{self.pipeline.pipeline_id}|{self.pipeline.version}"


class PipelineStarted(PipelineChanged):
    type_name: ClassVar[str] = "pipeline.started"


class StageChanged(PipelineChanged):
    """A stage moved from ``before`` to ``after``."""

    type_name: ClassVar[str] = "pipeline.stage_changed"

    stage: StageName
    before: StageStatus
    after: StageStatus


class ArtifactsAttached(PipelineChanged):
    type_name: ClassVar[str] = "pipeline.artifact_attached"

    attached: Attached


class PipelineWaits(PipelineChanged):
    """The stage goes on only when a person does one of the ``actions``."""

    type_name: ClassVar[str] = "pipeline.waiting_for_human"

    stage: StageName
    reason: str


class PipelineResumed(PipelineChanged):
    type_name: ClassVar[str] = "pipeline.resumed"


class PipelineCompleted(PipelineChanged):
    type_name: ClassVar[str] = "pipeline.completed"


class PipelineFailed(PipelineChanged):
    type_name: ClassVar[str] = "pipeline.failed"

    stage: StageName
    error: str


class PipelineCancelled(PipelineChanged):
    type_name: ClassVar[str] = "pipeline.cancelled"


PIPELINE_FACTS: tuple[type[PipelineChanged], ...] = (
    PipelineStarted,
    StageChanged,
    ArtifactsAttached,
    PipelineWaits,
    PipelineResumed,
    PipelineCompleted,
    PipelineFailed,
    PipelineCancelled,
)
