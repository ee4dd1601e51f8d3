"""A whole artifact at one version, and the answers that say what changed in it and why."""

from __future__ import annotations

from typing import Literal

from schemas.envelope import Part
from schemas.events.artifact_items import EpicFields, FeatureFields, InsightFields, TaskFields
from schemas.events.artifact_plans import SprintPlanFields
from schemas.events.artifact_quality import QualityTier
from schemas.events.artifact_reports import ReportFields
from schemas.events.artifact_sections import ReviewFinding, Section

ArtifactType = Literal["insight", "prd", "epic", "feature", "task", "sprint_plan", "report"]
ArtifactState = Literal["draft", "preview_stable", "stable"]
Outcome = Literal["published", "state_changed", "rejected", "unchanged"]

# The phase in which an artifact of a type is made; all but the PRD come out of a loop.
PHASES: dict[ArtifactType, str] = {
    "prd": "prd_generation",
    "insight": "insight_generation",
    "epic": "epic_generation",
    "feature": "feature_generation",
    "task": "task_breakdown",
}

OwnFields = (
    InsightFields | EpicFields | FeatureFields | TaskFields | SprintPlanFields | ReportFields
)


class ArtifactSnapshot(Part):
    """A whole artifact at one version. One of the last six fields is set, by its type.

    ``engine`` is ``model`` where a model has worded one of its sections at least.
    """

    artifact_id: str
    artifact_type: ArtifactType
    number: str
    title: str
    artifact_state: ArtifactState
    version: int
    sections: list[Section]
    content_hash: str
    rendered_markdown: str
    lane: Literal["preview", "deep"]
    engine: str
    model: str | None = None
    prompt_version: str | None = None
    run_id: str | None = None
    input_ledger_seq: int
    upstream_artifact_ids: list[str] = []
    blocked_by: list[str] = []
    quality_tier: QualityTier | None = None
    quality_run_id: str | None = None
    edited_by: str | None = None
    insight: InsightFields | None = None
    epic: EpicFields | None = None
    feature: FeatureFields | None = None
    task: TaskFields | None = None
    sprint_plan: SprintPlanFields | None = None
    report: ReportFields | None = None

    @property
    def own(self) -> OwnFields | None:
        """What its type has besides statements; None for a PRD."""
        return (
            self.insight
            or self.epic
            or self.feature
            or self.task
            or self.sprint_plan
            or self.report
        )


class ArtifactChange(Part):
    """What a settled ledger position, or a request, changed in one artifact besides the PRD."""

    outcome: Outcome
    snapshot: ArtifactSnapshot
    recomputed_sections: list[str] = []
    reason: str = ""
    state_before: ArtifactState | None = None
    reason_codes: list[str] = []
    findings: list[ReviewFinding] = []


EditRefusal = Literal[
    "stale_version",
    "unknown_artifact",
    "unknown_section",
    "no_suggestion",
    "not_valid",
    "edited_by_person",
    "no_change",
    "stale_input",
    "repeats_another",
    "no_solutions",
    "empty_text",
    "closed",
    "unknown_feature",
    "unknown_sprint",
    "undecidable",
]


class EditAnswer(Part):
    """What became of a request to change an artifact; ``refusal`` is None where it was done.

    ``model`` is the model whose words these are, if any.

    ``version`` is the one that there is now. ``uncited_atom_ids`` are atoms that the artifact cited
    before and cites no longer: they stay in the ledger until somebody dismisses them.
    """

    artifact_id: str
    editor: str
    editor_kind: Literal["person", "quality_gate", "model"]
    artifact_type: ArtifactType = "prd"
    model: str | None = None
    section_ids: list[str]
    expected_version: int
    version: int
    refusal: EditRefusal | None = None
    findings: list[ReviewFinding] = []
    uncited_atom_ids: list[str] = []
