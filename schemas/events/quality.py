"""What a run of the quality gate tells while it goes on.

All are on ``quality.v1``, key ``artifact_id``. ``seq`` counts the events of a run from 1 without
gaps, so that the rows of ``quality_run_events`` are these events one to one.
"""

from __future__ import annotations

from typing import ClassVar

from schemas.envelope import Event
from schemas.events.artifact_quality import DimensionScore, QualityMode, QualityRun, QualityTier
from schemas.events.artifact_sections import Section


class QualityEvent(Event):
    """An event of one run, and its number in it."""

    topic: ClassVar[str] = "quality.v1"

    quality_run_id: str
    artifact_id: str
    seq: int

    @property
    def aggregate_id(self) -> str:
        return self.artifact_id

    @property
    def local_key(self) -> str:
        return f"{self.quality_run_id}|{self.seq}"


class QualityRunStarted(QualityEvent):
    """The gate begins with a version, as it is at a position of the ledger."""

    type_name: ClassVar[str] = "quality.run_started"

    artifact_version: int
    input_ledger_seq: int
    mode: QualityMode
    max_iterations: int
    dimensions: list[str]
    engine: str
    model: str | None = None


class DimensionScored(QualityEvent):
    """An evaluation has judged one dimension."""

    type_name: ClassVar[str] = "quality.dimension_scored"

    iteration: int
    dimension: DimensionScore
    tier_name: QualityTier


class IterationCompleted(QualityEvent):
    """An evaluation is whole; what fails is what a reviser may change."""

    type_name: ClassVar[str] = "quality.iteration_completed"

    iteration: int
    passed: bool
    failing_dimensions: list[str] = []
    failing_sections: list[str] = []


class SectionRevised(QualityEvent):
    """The reviser has made another section of one that failed."""

    type_name: ClassVar[str] = "quality.section_revised"

    iteration: int
    section: Section
    previous_content_hash: str


class QualityRunFinished(QualityEvent):
    """The run is over, see ``QualityRun``."""

    type_name: ClassVar[str] = "quality.run_finished"

    run: QualityRun
