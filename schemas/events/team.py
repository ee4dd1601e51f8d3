"""The team of a project and how it plans. Key ``project_id``; natural key: the idempotency key.

The writer of artifacts answers each of these facts with a plan; see ``ArtifactChanged.team``.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from schemas.days import Day
from schemas.envelope import Event, Part

Skills = dict[str, int]
AbsenceKind = Literal["vacation", "sick", "part_time", "on_call"]
ReportType = Literal["standup", "sprint", "forecast", "management", "retro"]


class Absence(Part):
    """Days, both included, on which a member has only ``capacity_factor`` (0..1) of their time."""

    first_day: Day
    last_day: Day
    kind: AbsenceKind = "vacation"
    capacity_factor: float = Field(default=0.0, ge=0, le=1)


class Member(Part):
    """A person who does tasks. ``skills`` have a proficiency from 0 to 5."""

    member_id: str
    name: str
    role: str = ""
    skills: Skills = {}
    capacity_points: int = Field(default=0, ge=0, le=1000)
    availability: list[Absence] = []


class Team(Part):
    """Who works on a project, from when its plans count and how fast it is, if anybody said so.

    ``plan_start`` is a day, ``2026-01-31``; ``velocity`` are points a sprint.
    """

    members: list[Member] = []
    plan_start: str = ""
    velocity: int | None = None


class TeamFact(Event):
    """What the facts about a team share."""

    topic: ClassVar[str] = "team.v1"


class MemberAdded(TeamFact):
    type_name: ClassVar[str] = "team.member_added"

    member_id: str
    name: str
    role: str = ""
    skills: Skills = {}
    capacity_points: int = Field(default=0, ge=0, le=1000)
    availability: list[Absence] = []

    @property
    def aggregate_id(self) -> str:
        return self.member_id


class MemberUpdated(TeamFact):
    """A member is different now. What is None stays as it is; lists and maps are given whole."""

    type_name: ClassVar[str] = "team.member_updated"

    member_id: str
    name: str | None = None
    role: str | None = None
    skills: Skills | None = None
    capacity_points: int | None = Field(default=None, ge=0, le=1000)
    availability: list[Absence] | None = None

    @property
    def aggregate_id(self) -> str:
        return self.member_id


class MemberRemoved(TeamFact):
    type_name: ClassVar[str] = "team.member_removed"

    member_id: str

    @property
    def aggregate_id(self) -> str:
        return self.member_id


class PlanSet(TeamFact):
    """Plans begin on another day, or the team is as fast as this. What is None stays as it is."""

    type_name: ClassVar[str] = "team.plan_set"

    start_day: Day | None = None
    velocity: int | None = Field(default=None, ge=1, le=10_000)

    @property
    def aggregate_id(self) -> str:
        return "plan"


class RebalanceMove(Part):
    """A task that another member should do. ``score_delta`` is how much lower the imbalance is
    after it, in view of the moves before.
    """

    task_id: str
    from_member_id: str
    to_member_id: str
    points: int
    reason: str
    score_delta: float


class RebalanceProposed(Event):
    """Work should lie on the members of a team in another way; nothing has moved. Natural key: the
    idempotency key.

    ``imbalance_before`` is the highest load of the sprint, as a share of the member's capacity,
    over the mean one: 1 is even. ``moves`` may be empty: then none would help.
    """

    type_name: ClassVar[str] = "rebalance.proposed"
    topic: ClassVar[str] = "team.v1"

    rebalance_id: str
    trigger: Literal["request"] = "request"
    sprint_id: str
    imbalance_before: float
    moves: list[RebalanceMove] = []

    @property
    def aggregate_id(self) -> str:
        return self.rebalance_id


class ReportRequested(Event):
    """Somebody wants a report as of the day ``as_of``; the writer of artifacts answers with it."""

    type_name: ClassVar[str] = "reduce.report_requested"
    topic: ClassVar[str] = "reduce.request.v1"

    report_type: ReportType
    as_of: Day

    @property
    def aggregate_id(self) -> str:
        """The key of its artifact: a report asked for again is a new version."""
        return f"{self.report_type} {self.as_of}"
