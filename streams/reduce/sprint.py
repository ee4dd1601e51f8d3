"""Sprints: tasks in their order, each to somebody who can do it, never more than there is room for.

Pure arithmetic over points and days; nothing is known here of artifacts or atoms. Decided against:
an optimiser, whose plan nobody could follow by eye: here the reason of every place is one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from schemas.events.team import Member, Team
from streams.reduce.members import capacity_between, rate_skills
from streams.reduce.planning import SPRINT_DAYS

MAX_SPRINTS = 12
DEFAULT_VELOCITY = 20


@dataclass(frozen=True, slots=True)
class Job:
    """A task to be planned: its points, the skills it asks for, the tasks that come before it.

    ``assignee_id``: a person has said who does it, whatever their skills.
    """

    task_id: str
    title: str
    points: int
    skills: tuple[str, ...]
    needs: tuple[str, ...] = ()
    rank: str = ""
    assignee_id: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A task in a sprint."""

    job: Job
    member: Member
    sprint: int
    reason: str


@dataclass(slots=True)
class Sprint:
    """The work of one sprint; ``first`` and ``last`` are its days."""

    number: int
    first: date
    last: date
    capacity: int
    places: list[Place] = field(default_factory=list)

    @property
    def points(self) -> int:
        return sum(one.job.points for one in self.places)


@dataclass(slots=True)
class Plan:
    """All sprints, and why each task that is in none is in none."""

    sprints: list[Sprint] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    def place_of(self, task_id: str) -> Place | None:
        places = (one for sprint in self.sprints for one in sprint.places)
        return next((one for one in places if one.job.task_id == task_id), None)


def plan_sprints(jobs: Sequence[Job], team: Team, start: date) -> Plan:
    """The sprints from ``start`` that do ``jobs``, which come with the most urgent first."""
    plan = Plan(reasons=_find_hindered(jobs, team))
    left = [one for one in jobs if one.task_id not in plan.reasons]
    done: set[str] = set()
    for number in range(1, MAX_SPRINTS + 1):
        if not left:
            break
        sprint = _fill(number, left, team, start, done)
        placed = {one.job.task_id for one in sprint.places}
        left = [one for one in left if one.task_id not in placed]
        plan.sprints.append(sprint)
    while plan.sprints and not plan.sprints[-1].places:
        plan.sprints.pop()
    for one in left:
        plan.reasons[one.task_id] = f"It does not fit into the next {MAX_SPRINTS} sprints."
    return plan


def _find_hindered(jobs: Sequence[Job], team: Team) -> dict[str, str]:
    """Tasks that no sprint can hold, and those that wait for one of them."""
    reasons = {one.task_id: why for one in jobs if (why := _hindrance(one, team))}
    titles = {one.task_id: one.title for one in jobs}
    for one in jobs:  # needs come before what needs them
        blocked = next((need for need in one.needs if need in reasons), None)
        if blocked and one.task_id not in reasons:
            reasons[one.task_id] = f"It waits for «{titles[blocked]}», which is not planned."
    return reasons


def _hindrance(job: Job, team: Team) -> str:
    able = [one for one in team.members if _rate(one, job) is not None]
    if not able and job.assignee_id:
        return "Who was to do it is not in the team."
    if not able:
        return f"Nobody in the team has the skill {' and '.join(job.skills)}."
    most = max(one.capacity_points for one in able)
    if team.velocity is not None:
        most = min(most, team.velocity)
    if job.points > most:
        return f"It takes {job.points} points; who can do it has {most} in a sprint."
    return ""


def _fill(number: int, left: Sequence[Job], team: Team, start: date, done: set[str]) -> Sprint:
    first = start + timedelta(days=(number - 1) * SPRINT_DAYS)
    last = first + timedelta(days=SPRINT_DAYS - 1)
    room = {one.member_id: capacity_between(one, first, last) for one in team.members}
    capacity = sum(room.values())
    if team.velocity is not None:
        capacity = min(capacity, team.velocity)
    sprint = Sprint(number, first, last, capacity)
    for job in left:
        if not done.issuperset(job.needs) or sprint.points + job.points > capacity:
            continue
        if member := _choose(job, team, room):
            room[member.member_id] -= job.points
            done.add(job.task_id)
            sprint.places.append(Place(job, member, number, _reason(job, member)))
    return sprint


def _choose(job: Job, team: Team, room: Mapping[str, int]) -> Member | None:
    """Who is best at it among those with room; of equals the one with most room."""
    able = [
        (level, room[one.member_id], one.member_id, one)
        for one in team.members
        if room[one.member_id] >= job.points and (level := _rate(one, job)) is not None
    ]
    if not able:
        return None
    return max(able, key=lambda one: one[:3])[3]


def _rate(member: Member, job: Job) -> int | None:
    """How well the member can do it; None where they are not to do it."""
    if job.assignee_id:
        return 0 if member.member_id == job.assignee_id else None
    return rate_skills(member, job.skills)


def _reason(job: Job, member: Member) -> str:
    why = f"{job.rank} priority; " if job.rank else ""
    if job.assignee_id or not job.skills:
        said = f"{why}{member.name} {'was chosen for it' if job.assignee_id else 'has room'}."
    else:
        said = f"{why}{member.name} has the skill {' and '.join(job.skills)}."
    return said[:1].upper() + said[1:]
