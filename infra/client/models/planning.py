# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Planning are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from infra.client.connection import Model
from infra.client.models.planning_parts import Absence, RebalanceMove


class Member(Model):
    """``availability`` are the days on which a member has less time."""

    member_id: str
    name: str
    role: str
    skills: dict[str, int]
    capacity_points: int
    availability: list[dict[str, Any]]


class MemberUpdate(Model):
    role: str | None = None
    skills: dict[str, int] | None = None
    capacity_points: int | None = None
    availability: list[Absence] | None = None
    name: str | None = None


class NewMember(Model):
    role: str | None = None
    skills: dict[str, int] | None = None
    capacity_points: int | None = None
    availability: list[Absence] | None = None
    name: str


class Plan(Model):
    """From which day sprints count, and how many points the team does in one."""

    start_day: str | None = None
    velocity: int | None = None


class PlanSettings(Model):
    start_day: str | None = None
    velocity: int | None = None


class Rebalance(Model):
    """Moves of tasks from member to member; ``state`` is ``proposed``: nothing has moved.

    ``imbalance_before`` is the highest load as a share of the capacity over the mean one.
    """

    rebalance_id: str
    trigger: str
    sprint_id: str
    imbalance_before: float
    moves: list[RebalanceMove]
    state: str
    proposed_by: str
    proposed_at: datetime


class ReportRequest(Model):
    """``as_of`` is the day the report is about; without it today."""

    report_type: Literal["standup", "sprint", "forecast", "management", "retro"]
    as_of: str | None = None
