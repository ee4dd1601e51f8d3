"""The team of a project as facts leave it, what its members can do, and how much time they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from schemas.events.team import (
    Member,
    MemberAdded,
    MemberRemoved,
    MemberUpdated,
    PlanSet,
    Team,
    TeamFact,
)

GENERAL_SKILL = "engineering"  # what everybody has who has any skill
_WEEKEND = 5
# How people call the skills that tasks ask for.
ALSO_CALLED: Mapping[str, str] = {
    "design": "ux, ui, user experience, product design, frontend, user research",
    "architecture": "software architecture, system design, tech lead",
    "data modelling": "data modeling, data, database, databases, sql, data engineering",
    "integration": "integrations, api, apis, backend, connectors",
    "security": "appsec, application security, infosec, cryptography",
    "performance": "scalability, reliability, sre",
    "operations": "ops, devops, sre, infrastructure, platform, deployment, kubernetes",
    "testing": "qa, test, tests, quality assurance, test automation",
    "release management": "release, releases, delivery, release engineering",
}


def apply_fact(team: Team, fact: TeamFact) -> Team:
    """The team after the fact; one about a member it does not know changes nothing."""
    match fact:
        case MemberAdded():
            others = [member for member in team.members if member.member_id != fact.member_id]
            return team.model_copy(update={"members": [*others, Member(**fact.model_dump())]})
        case MemberUpdated():
            told = fact.model_dump(exclude_none=True)
            members = [
                Member(**member.model_dump() | told)
                if member.member_id == fact.member_id
                else member
                for member in team.members
            ]
            return team.model_copy(update={"members": members})
        case MemberRemoved():
            members = [member for member in team.members if member.member_id != fact.member_id]
            return team.model_copy(update={"members": members})
        case PlanSet():
            return Team(
                members=team.members,
                plan_start=fact.start_day or team.plan_start,
                velocity=fact.velocity or team.velocity,
            )
        case _:
            return team


def rate_skill(member: Member, wanted: str) -> int | None:
    """The member's proficiency in a skill that a task asks for; None without it."""
    known = {name.strip().lower(): level for name, level in member.skills.items()}
    names = {wanted, *ALSO_CALLED.get(wanted, "").split(", ")}
    levels = [level for name, level in known.items() if name in names]
    if not levels and wanted == GENERAL_SKILL:
        levels = list(known.values())
    return max(levels, default=None)


def rate_skills(member: Member, wanted: Iterable[str]) -> int | None:
    """The sum of the proficiencies; None when one skill is missing."""
    rated = [rate_skill(member, one) for one in wanted]
    if any(one is None for one in rated):
        return None
    return sum(one or 0 for one in rated)


def capacity_between(member: Member, first: date, last: date) -> int:
    """The member's points in a sprint of these days, less what they are away on working days."""
    days = [first + timedelta(days=at) for at in range((last - first).days + 1)]
    working = [day for day in days if day.weekday() < _WEEKEND]
    if not working:
        return 0
    share = sum(_presence(member, day) for day in working) / len(working)
    return int(member.capacity_points * share + 1e-9)


def _presence(member: Member, day: date) -> float:
    told = day.isoformat()
    return min(
        (
            one.capacity_factor
            for one in member.availability
            if one.first_day <= told <= one.last_day
        ),
        default=1.0,
    )
