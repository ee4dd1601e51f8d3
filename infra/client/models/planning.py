"""What requests and answers of the area Planning are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from infra.client.connection import Model
from infra.client.models.planning_parts import Absence
from infra.client.models.shared import CitingSection


class ChangedMember(Model):
    role: str | None = None
    skills: dict[str, int] | None = None
    capacity_points: int | None = None
    availability: list[Absence] | None = None
    name: str | None = None


class Item(Model):
    """An artifact of a type that has many: insight, epic, feature, task, sprint or report.

    ``fields`` and ``plan`` are what its type has besides statements; ``features`` are those of an
    epic, as number and title.
    """

    artifact_id: str
    number: str
    title: str
    artifact_state: str
    version: int
    sections: list[CitingSection]
    fields: dict[str, Any]
    plan: dict[str, Any]
    quality_tier: str | None
    blocked_by: list[str]
    upstream_artifact_ids: list[str]
    lane: str
    engine: str
    run_id: str | None
    input_ledger_seq: int
    content_hash: str
    created_at: datetime | None
    updated_at: datetime
    features: list[str]


class Member(Model):
    """``availability`` are the days on which a member has less time."""

    member_id: str
    name: str
    role: str
    skills: dict[str, int]
    capacity_points: int
    availability: list[dict[str, Any]]


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


class ReportRequest(Model):
    """``as_of`` is the day the report is about; without it today."""

    report_type: Literal["standup", "sprint", "forecast", "management"]
    as_of: str | None = None
