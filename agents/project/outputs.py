"""The structured answers of the specialists. They are validated, never parsed out of a text."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from schemas.events.artifact_reports import DeliveryForecast, SprintReport, StandupSummary


class Output(BaseModel):
    """A structured answer; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FoundInsight(Output):
    insight_id: str
    title: str
    category: str
    confidence: float
    cross_source: bool
    atom_ids: list[str]
    source_ids: list[str]


class Pattern(Output):
    """The same thing said in several sources."""

    title: str
    cross_source: bool = True
    source_ids: list[str] = Field(min_length=2)
    atom_ids: list[str] = Field(min_length=1)


class Gap(Output):
    """What the sources leave open; ``atom_id`` where an atom says so."""

    title: str
    atom_id: str | None = None


class ResearchFinding(Output):
    """What somebody outside says; it is no evidence of the project."""

    text: str
    address: str
    found_on: str


class AnalysisResult(Output):
    summary: str
    insights: list[FoundInsight] = []
    patterns: list[Pattern] = []
    gaps: list[Gap] = []
    atom_ids: list[str] = []
    source_ids: list[str] = []
    research: list[ResearchFinding] = []


class Researched(Output):
    """``research`` is what others say, where the request is for it: no evidence of the project."""

    research: list[ResearchFinding] = []


class PlannedFeature(Output):
    feature_id: str
    number: str
    title: str
    epic_id: str | None = None
    priority: str
    priority_score: float
    effort_points: int
    start_date: str
    end_date: str
    depends_on: list[str] = []
    atom_ids: list[str]


class FeatureListResponse(Researched):
    features: list[PlannedFeature]
    coverage_assessment: str
    gaps_remaining: list[str] = []


class Factors(Output):
    """What a rank is made of, each in 0..1; a higher effort, risk or dependency lowers it."""

    value: float = Field(ge=0, le=1)
    effort: float = Field(ge=0, le=1)
    risk: float = Field(ge=0, le=1)
    dependency: float = Field(ge=0, le=1)
    evidence: float = Field(ge=0, le=1)


class RankedFeature(Output):
    feature_id: str
    rank: int = Field(ge=1)
    score: float
    priority: str
    rationale: str = Field(min_length=1)
    factors: Factors


class PrioritizationResponse(Researched):
    items: list[RankedFeature]


class PlannedTask(Output):
    task_id: str
    assignee_id: str
    points: int
    order: int
    reason: str


class UnplannedTask(Output):
    task_id: str
    reason: str


class SprintPlanResponse(Researched):
    sprint: str
    items: list[PlannedTask]
    unplanned: list[UnplannedTask] = []
    risks: list[str] = []
    assumptions: list[str] = []


class BrokenDownTask(Output):
    """``solutions`` is the technical approach: a task without one is refused."""

    task_id: str
    number: str
    title: str
    estimate_points: int
    solutions: list[str] = Field(min_length=1)
    depends_on: list[str] = []
    atom_ids: list[str] = []


class BreakdownResponse(Researched):
    feature_id: str
    tasks: list[BrokenDownTask]


class MemberLoad(Output):
    member_id: str
    name: str
    load: int
    capacity: int
    ratio: float


class RecommendedMove(Output):
    """A task that another member should do, and how much lower the imbalance is after it."""

    task_id: str
    from_member_id: str
    to_member_id: str
    points: int
    reason: str
    score_delta: float


class WorkloadRebalanceResponse(Output):
    """``rebalance_id`` names the record of the recommendations; None: nothing was recorded."""

    overloaded: list[MemberLoad]
    underutilized: list[MemberLoad]
    recommendations: list[RecommendedMove] = []
    rebalance_id: str | None = None


class MarkdownReport(Output):
    """A report that is a text; ``artifact_id`` names the report it comes from."""

    title: str
    artifact_id: str
    markdown: str = Field(min_length=1)


class ScheduledWork(Output):
    """What was put on the calendar; times are texts with their zone."""

    work_item_id: str
    title: str
    agent: str
    priority: str
    recurrence: str
    next_run_at: str | None = None


class ScheduleList(Output):
    """All that a sentence asks for: several, where one recurrence cannot hold it."""

    items: list[ScheduledWork] = Field(min_length=1)


REPORTS: dict[str, type[BaseModel]] = {
    "standup": StandupSummary,
    "sprint": SprintReport,
    "forecast": DeliveryForecast,
}
