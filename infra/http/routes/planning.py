"""Who works on a project, from when sprints count, and reports about them.

Tasks and sprint plans follow by themselves; they are read as artifacts.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from infra.http.access import LEADERS, OBSERVERS, READERS, Guarded, allow
from infra.http.api import ApiDep, CallerDep, WriteDep
from infra.http.parameters import DEFAULT_LIMIT, OF_ANY, Cursor, Day, Limit, Project
from infra.service.planning import planning, team
from projections.read import rebalances
from projections.read import team as team_read
from projections.read.artifacts import Item
from projections.read.page import Page
from projections.read.rebalances import Rebalance
from projections.read.team import Member, PlanSettings
from schemas.events.team import ReportType

router = APIRouter(route_class=Guarded, tags=["Planning"])
MemberId = Annotated[str, Path(max_length=100)]
RebalanceId = Annotated[str, Path(max_length=100)]
Text = Annotated[str, Field(min_length=1, max_length=200)]
Proficiency = Annotated[int, Field(ge=0, le=5)]


class Absence(BaseModel):
    """Days on which a member has that share of the usual capacity."""

    model_config = ConfigDict(extra="forbid")

    first_day: Day
    last_day: Day
    kind: Text
    capacity_factor: float = Field(ge=0, le=1)


class MemberFields(BaseModel):
    """``skills`` have a proficiency from 0 to 5; ``capacity_points`` are those of a sprint."""

    model_config = ConfigDict(extra="forbid")

    role: Text | None = None
    skills: (
        Annotated[dict[Text, Annotated[int, Field(ge=0, le=5)]], Field(max_length=50)] | None
    ) = None
    capacity_points: Annotated[int, Field(ge=0, le=1_000)] | None = None
    availability: Annotated[list[Absence], Field(max_length=100)] | None = None


class NewMember(MemberFields):
    name: Text


class ChangedMember(MemberFields):
    name: Text | None = None


class Plan(BaseModel):
    """From which day sprints count, and how many points the team does in one."""

    model_config = ConfigDict(extra="forbid")

    start_day: Day | None = None
    velocity: Annotated[int, Field(ge=1, le=10_000)] | None = None


class ReportRequest(BaseModel):
    """``as_of`` is the day the report is about; without it today."""

    model_config = ConfigDict(extra="forbid")

    report_type: ReportType
    as_of: Day | None = None


@router.get("/v1/projects/{project}/members", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_members(api: ApiDep, project: Project) -> list[Member]:
    """The members by name."""
    return await api.tables.ask(team_read.list_members, project)


@router.post("/v1/projects/{project}/members", status_code=201, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def add_member(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: NewMember
) -> Member:
    """Add a member; plans follow by themselves."""
    told = _change_of(body)
    return await team.add_member(api.settings, project, told, actor=caller.name, key=write.key)


@router.patch("/v1/projects/{project}/members/{member_id}", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def update_member(
    api: ApiDep,
    caller: CallerDep,
    write: WriteDep,
    project: Project,
    member_id: MemberId,
    body: ChangedMember,
) -> Member:
    """Change what is told of a member; what is left out stays."""
    return await team.update_member(
        api.settings, project, member_id, _change_of(body), actor=caller.name, key=write.key
    )


@router.delete("/v1/projects/{project}/members/{member_id}", status_code=204, responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def remove_member(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, member_id: MemberId
) -> None:
    """Remove a member; what they were to do is planned anew."""
    await team.remove_member(api.settings, project, member_id, actor=caller.name, key=write.key)


@router.get("/v1/projects/{project}/plan", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_plan(api: ApiDep, project: Project) -> PlanSettings:
    """From which day sprints count, and how fast the team is; null where nobody has said."""
    return await api.tables.ask(team_read.read_plan, project)


@router.put("/v1/projects/{project}/plan", responses=OF_ANY)
@allow(*LEADERS, writes=True)
async def set_plan(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: Plan
) -> PlanSettings:
    """Say so; what is left out stays."""
    await team.set_plan(
        api.settings,
        project,
        start_day=body.start_day,
        velocity=body.velocity,
        actor=caller.name,
        key=write.key,
    )
    return await api.tables.ask(team_read.read_plan, project)


@router.get("/v1/projects/{project}/rebalances", responses=OF_ANY)
@allow(*OBSERVERS)
async def list_rebalances(
    api: ApiDep, project: Project, cursor: Cursor = None, limit: Limit = DEFAULT_LIMIT
) -> Page[Rebalance]:
    """How the work of a sprint should lie on the team instead, oldest first; no task has moved."""
    return await api.tables.ask(rebalances.list_rebalances, project, cursor=cursor, limit=limit)


@router.get("/v1/projects/{project}/rebalances/{rebalance_id}", responses=OF_ANY)
@allow(*OBSERVERS)
async def read_rebalance(api: ApiDep, project: Project, rebalance_id: RebalanceId) -> Rebalance:
    """One of them, with its moves."""
    return await api.tables.ask(rebalances.read_rebalance, project, rebalance_id)


@router.post("/v1/projects/{project}/reports", status_code=201, responses=OF_ANY)
@allow(*READERS[:3], writes=True)
async def request_report(
    api: ApiDep, caller: CallerDep, write: WriteDep, project: Project, body: ReportRequest
) -> Item:
    """Make a report of the day; each of its lines cites artifacts or atoms."""
    return await planning.request_report(
        api.settings,
        project,
        body.report_type,
        as_of=body.as_of,
        actor=caller.name,
        key=write.key,
    )


def _change_of(body: NewMember | ChangedMember) -> team.MemberChange:
    given: dict[str, Any] = body.model_dump()
    return team.MemberChange(**given)
