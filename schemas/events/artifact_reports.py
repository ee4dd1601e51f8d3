"""What a report has besides its statements: the figures, by type of report."""

from __future__ import annotations

from typing import Literal

from schemas.envelope import Part


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
