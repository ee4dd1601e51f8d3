"""What artifacts are made of: sections, statements, citations, fields by type, quality."""

from __future__ import annotations

from typing import Literal

from schemas.envelope import Part

ArtifactType = Literal["insight", "prd", "epic", "feature", "task", "sprint_plan", "report"]
ArtifactState = Literal["draft", "preview_stable", "stable"]
SectionState = Literal[
    "pending", "generating", "generated", "invalidated", "edited", "insufficient_evidence"
]


Outcome = Literal["published", "state_changed", "rejected", "unchanged"]
QualityTier = Literal["incomplete", "basic", "intermediate", "advanced"]
QualityMode = Literal["full", "light"]
StopReason = Literal[
    "duplicate_detected",
    "coverage_confident",
    "should_continue_false",
    "error_threshold",
    "hard_ceiling",
    "budget_exceeded",
    "cancelled",
]


# The phase in which an artifact of a type is made; all but the PRD come out of a loop.
PHASES: dict[ArtifactType, str] = {
    "prd": "prd_generation",
    "insight": "insight_generation",
    "epic": "epic_generation",
    "feature": "feature_generation",
    "task": "task_breakdown",
}


class Citation(Part):
    atom_id: str
    atom_revision: int


class Statement(Part):
    """One sentence or item with the atoms it rests on.

    ``provisional`` when all of them are drafts; ``contradiction_ids`` are the open contradictions
    of the cited atoms; the text names them, or they are among the open questions. A line of a plan
    or report may rest on artifacts, too: ``artifact_ids``. ``written_by`` is the person whose words
    these are, None for what was written from atoms; ``backed_by`` are those of the cited atoms that
    were read out of a person's words, by id.
    """

    statement_id: str
    text: str
    citations: list[Citation]
    provisional: bool = False
    confidence: float
    contradiction_ids: list[str] = []
    artifact_ids: list[str] = []
    written_by: str | None = None
    backed_by: list[str] = []


class Suggestion(Part):
    """What a section that a person has edited would say with the lines that are new, and with the
    person's own lines where they stand.
    """

    statements: list[Statement]
    gap: str = ""
    input_hash: str


class Section(Part):
    """One section. Of an ``edited`` one, ``edited_by`` says who wrote in it: the lines of people
    are not overwritten, and lines that would be added are its ``suggestion`` until somebody answers
    that. ``removed_atom_ids`` are the atoms of lines that a person has taken out or declined.

    ``engine`` says who worded it: ``heuristic`` are rules, ``model`` is the model named beside it.
    """

    section_id: str
    title: str
    state: SectionState
    statements: list[Statement] = []
    gap: str = ""
    content_hash: str
    input_hash: str
    edited_by: str | None = None
    suggestion: Suggestion | None = None
    removed_atom_ids: list[str] = []
    engine: str = "heuristic"
    model: str | None = None
    prompt_version: str | None = None


class ReviewFinding(Part):
    """Something the citation validator objects to."""

    code: str
    section_id: str
    statement_id: str
    detail: str = ""
    warning: bool = False


InsightCategory = Literal["pattern", "gap", "risk", "opportunity", "conflict", "trend"]
Priority = Literal["must", "should", "could", "wont"]


class InsightFields(Part):
    """What an insight has besides its statements."""

    category: InsightCategory
    atom_ids: list[str]
    source_ids: list[str]
    confidence: float
    cross_source: bool


class EpicFields(Part):
    """``completed`` when the loop that made its features stopped by its own judgement."""

    prd_section_ids: list[str]
    atom_ids: list[str]
    feature_ids: list[str]
    completed: bool


FeatureStatus = Literal["proposed", "planned", "in_progress", "done", "dropped"]


class PriorityChoice(Part):
    """The priority that a person has decided on. ``reason`` is why, in their words or in those that
    were proposed to them; ``atom_ids`` are the atoms that speak for it.
    """

    priority: Priority
    decided_by: str
    reason: str = ""
    atom_ids: list[str] = []


class UserEditedFeature(Part):
    """What a person has changed in a feature, which no run overwrites; None: as the rules say.

    ``is_user_created``: a person made it, and no cluster of atoms is behind it. ``is_deleted``: it
    does not return, also when the same cluster comes again.
    """

    is_user_created: bool = False
    is_deleted: bool = False
    title: str | None = None
    priority: PriorityChoice | None = None
    effort_points: int | None = None
    status: FeatureStatus | None = None


class FeatureFields(Part):
    """What a feature has besides its statements. Dates are days, ``2026-01-31``.

    ``computed_priority`` is what the rules say, where a person has decided on ``priority``;
    ``user_edited`` is what a person has changed in it. A feature that will not be made (``wont``)
    has no dates and no tasks.
    """

    epic_id: str | None = None
    atom_ids: list[str]
    contradiction_ids_considered: list[str] = []
    priority: Priority
    priority_score: float
    effort_points: int
    required_skills: list[str] = []
    risk_atom_ids: list[str] = []
    start_date: str = ""
    end_date: str = ""
    depends_on: list[str] = []
    status: FeatureStatus = "proposed"
    computed_priority: Priority | None = None
    user_edited: UserEditedFeature | None = None


TaskStatus = Literal["todo", "in_progress", "in_review", "done", "blocked", "dropped"]


class UserEditedTask(Part):
    """What a person has changed in a task, which no run overwrites; None: as the rules say.

    ``is_user_created``: a person made it, and no cluster of atoms is behind it. ``is_deleted``: it
    does not return, also when the same cluster comes again. ``sprint_id`` is the sprint it was
    moved into; empty: the plan chooses again.
    """

    is_user_created: bool = False
    is_deleted: bool = False
    title: str | None = None
    feature_id: str | None = None
    assignee_id: str | None = None
    sprint_id: str | None = None
    estimate_points: int | None = None
    required_skills: list[str] | None = None
    status: TaskStatus | None = None


class TaskFields(Part):
    """What a task has besides its statements.

    ``solutions`` is the technical approach, never empty while the task is there. ``feature_id`` is
    None for a task that stands alone. ``upstream_atom_ids`` are the atoms of the feature that the
    task is cut from. ``sprint_id`` and ``assignee_id`` are set by the plan. ``user_edited`` is what
    a person has changed in it.
    """

    feature_id: str | None = None
    upstream_title: str = ""
    upstream_atom_ids: list[str] = []
    atom_ids: list[str]
    risk_atom_ids: list[str] = []
    solutions: list[str] = []
    estimate_points: int
    required_skills: list[str] = []
    domain: str
    complexity: Literal["low", "medium", "high"]
    depends_on: list[str] = []
    assignee_id: str | None = None
    status: TaskStatus = "todo"
    sprint_id: str | None = None
    user_edited: UserEditedTask | None = None


class PlanItem(Part):
    """A task in a sprint; ``order`` counts from 1."""

    task_id: str
    assignee_id: str
    points: int
    order: int
    reason: str


class UnplannedTask(Part):
    task_id: str
    reason: str


class UserEditedSprint(Part):
    """What a person has changed in a sprint; None: as the plan says. Days are like ``2026-01-31``.

    ``is_user_created``: a person made it; it is there without tasks, too. ``is_closed``: it keeps
    what was done in it, and the rest is planned for later. ``is_deleted``: its number is not used
    again.
    """

    is_user_created: bool = False
    is_closed: bool = False
    is_deleted: bool = False
    goal: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    capacity_points: int | None = None


class SprintPlanFields(Part):
    """One sprint of a plan. Days are like ``2026-01-31``, both are in the sprint. ``user_edited``
    is what a person has changed in it.

    ``committed`` are the tasks that it began with, by id, ``committed_on`` is the day of that, and
    ``committed_seq`` the ledger's position; without a day the sprint has not begun.
    """

    sprint_number: int
    goal: str
    start_date: str
    end_date: str
    capacity_points: int
    planned_points: int
    items: list[PlanItem] = []
    risk_atom_ids: list[str] = []
    unplanned: list[UnplannedTask] = []
    assumptions: list[str] = []
    user_edited: UserEditedSprint | None = None
    committed: list[str] = []
    committed_on: str = ""
    committed_seq: int = 0


class MemberStandup(Part):
    """The tasks of one member, by id."""

    member_id: str
    done: list[str] = []
    doing: list[str] = []
    blocked: list[str] = []


class StandupSummary(Part):
    date: str
    per_member: list[MemberStandup] = []
    highlights: list[str] = []
    risks: list[str] = []
    citations: list[str] = []


class SprintReport(Part):
    """``completed``, ``carried_over`` and ``added`` are tasks by id; ``added`` came into the sprint
    after it had begun. ``velocity`` is the mean of the sprints closed by then, else what was told.
    """

    sprint_id: str
    goal: str
    planned_points: int
    completed_points: int
    velocity: int | None = None
    completed: list[str] = []
    carried_over: list[str] = []
    added: list[str] = []
    risks: list[str] = []
    citations: list[str] = []


class SprintVelocity(Part):
    """What was done in a closed sprint. ``points`` are those of its done tasks; of a sprint that
    was longer or shorter than a usual one, in proportion to its days.
    """

    sprint_id: str
    sprint_number: int
    points: float


class DeliveryForecast(Part):
    """``velocity_stddev`` is None as long as fewer than two sprints are known.

    ``history`` are the closed sprints that mean and deviation are of, the oldest first;
    ``velocity_trend`` is by how many points a sprint the velocity grows among them.
    ``confidence_reason`` says in a sentence where the confidence comes from.
    """

    as_of: str
    remaining_points: int
    velocity_mean: float
    velocity_stddev: float | None = None
    sprints_needed: int
    p50_date: str
    p85_date: str
    confidence: Literal["low", "medium", "high"]
    confidence_reason: str = ""
    history: list[SprintVelocity] = []
    velocity_trend: float | None = None
    assumptions: list[str] = []
    risk_atom_ids: list[str] = []


class ReportFields(Part):
    """One of the last three is set by the type, ``sprint`` of a retrospective, too; a management
    report is its markdown alone.

    ``since_ledger_seq``: a management report or retrospective tells what changed in the ledger
    after it; ``ledger_changes`` counts that.
    """

    report_type: Literal["standup", "sprint", "forecast", "management", "retro"]
    as_of: str
    since_ledger_seq: int | None = None
    ledger_changes: dict[str, int] = {}
    standup: StandupSummary | None = None
    sprint: SprintReport | None = None
    forecast: DeliveryForecast | None = None


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


class ContinuationRecord(Part):
    """Whether a loop goes on after the item ``artifact_id``, and all the item was made from.

    ``input_ids`` is the whole input of the step, atoms and open contradictions, by id.
    """

    artifact_id: str
    input_ids: list[str] = []
    should_continue: bool
    confidence: float
    coverage_assessment: str = ""
    gaps_remaining: list[str] = []


class LoopRecord(Part):
    """How one loop of generation went. ``calls`` counts items asked for and
    decisions to go on; ``calls_ratio`` is that for each item asked for. ``continuations`` has one
    entry for each item, in the order they were made. ``engine`` says who made them: ``heuristic``
    or ``model``.
    """

    phase: str
    engine: str = "heuristic"
    stop_reason: StopReason
    items: int
    errors: int
    calls: int
    calls_ratio: float
    gaps_remaining: list[str] = []
    continuations: list[ContinuationRecord] = []


class SectionCritique(Part):
    """What one section lacks, in a sentence."""

    section_id: str
    critique: str


class DimensionScore(Part):
    """One dimension of a quality run: a tier from 0 to 3, and the scores it is the mean of.

    ``critiques`` say of each of the ``failing_sections`` what it lacks.
    """

    name: str
    tier: int
    completeness: float
    consistency: float
    evidence_coverage: float
    clarity: float
    critique: str = ""
    failing_sections: list[str] = []
    critiques: list[SectionCritique] = []


RemovalReason = Literal["repeats_another", "draft_and_vague", "removed_by_model"]


class RemovedStatement(Part):
    """A statement that a run of the quality gate has taken out of its section, and why.

    Its atoms stay in the ledger.
    """

    section_id: str
    text: str
    atom_ids: list[str]
    reason: RemovalReason


class QualityRun(Part):
    """How one run of the quality gate over one version ended. ``engine`` says who judged.

    ``dimensions`` are those of the last evaluation, made of what the reviser left; ``removed`` is
    what it has taken out. ``final_tier`` is None for a run that ended before one.
    """

    quality_run_id: str
    artifact_id: str
    artifact_version: int
    mode: QualityMode
    status: Literal["passed", "needs_attention", "failed", "cancelled"]
    iteration: int
    max_iterations: int
    final_tier: QualityTier | None = None
    dimensions: list[DimensionScore] = []
    revised_sections: list[str] = []
    removed: list[RemovedStatement] = []
    engine: str
    model: str | None = None
    cost_usd: float = 0.0
    tokens: int = 0
    error: str = ""
