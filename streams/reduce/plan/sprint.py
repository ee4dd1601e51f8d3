"""Sprints: tasks in their order, each to somebody who can do it, never more than there is room for.

Pure arithmetic over points and days; nothing is known here of artifacts or atoms. Decided against:
an optimiser, whose plan nobody could follow by eye: here the reason of every place is one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from schemas.events.artifact_plans import UserEditedSprint
from schemas.events.team import Member, Team
from streams.reduce.features.planning import SPRINT_DAYS
from streams.reduce.plan.members import capacity_between, rate_skills

MAX_SPRINTS = 12
DEFAULT_VELOCITY = 20
NO_MEMBER = "somebody who has left"
DROPPED = "Nobody does it any more: it was dropped."
NONE_EDITED: Mapping[int, UserEditedSprint] = {}


@dataclass(frozen=True, slots=True)
class Job:
    """A task to be planned: its points, the skills it asks for, the tasks that come before it.

    ``assignee_id``: a person has said who does it, whatever their skills. ``sprint``: a person has
    moved it into the sprint of this number. ``done_in``: it was done in this closed sprint, by
    ``done_by``. ``is_dropped``: nobody does it, and nothing waits for it.
    """

    task_id: str
    title: str
    points: int
    skills: tuple[str, ...]
    needs: tuple[str, ...] = ()
    rank: str = ""
    assignee_id: str = ""
    sprint: int = 0
    done_in: int = 0
    done_by: str = ""
    is_dropped: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A task in a sprint."""

    job: Job
    member: Member
    sprint: int
    reason: str


@dataclass(slots=True)
class Sprint:
    """The work of one sprint; ``first`` and ``last`` are its days, ``room`` are the points that
    each member has left in it.
    """

    number: int
    first: date
    last: date
    capacity: int
    room: dict[str, int]
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


def plan_sprints(
    jobs: Sequence[Job],
    team: Team,
    start: date,
    user_edited: Mapping[int, UserEditedSprint] = NONE_EDITED,
) -> Plan:
    """The sprints from ``start`` that do ``jobs``, which come with the most urgent first.

    ``user_edited`` is what people have changed, by number of the sprint. A sprint without tasks is
    left out at the end, unless a person wants it.
    """
    dropped = {job.task_id for job in jobs if job.is_dropped}
    closed = [job for job in jobs if job.done_in]
    ahead = [job for job in jobs if not job.done_in and not job.is_dropped]
    plan = Plan(reasons=_find_hindered(ahead, team))
    left = [one for one in ahead if one.task_id not in plan.reasons]
    done = dropped | {one.task_id for one in closed}
    gone = {number for number, one in user_edited.items() if one.is_deleted}
    wanted = max((number for number, one in user_edited.items() if _is_wanted(one)), default=0)
    first = start
    for number in range(1, max(MAX_SPRINTS + len(gone), wanted) + 1):
        if not left and number > max(wanted, *(one.done_in for one in closed), 0):
            break
        if number in gone:
            continue
        edited = user_edited.get(number, UserEditedSprint())
        sprint = _open(number, edited, team, first)
        if edited.is_closed:
            sprint.places = [_keep(one, team) for one in closed if one.done_in == number]
        else:
            _fill(sprint, left, team, done)
            plan.reasons |= _explain_moves(number, left, done)
        left = [one for one in left if one.task_id not in done | plan.reasons.keys()]
        first = sprint.last + timedelta(days=1)
        plan.sprints.append(sprint)
    while plan.sprints and not plan.sprints[-1].places and plan.sprints[-1].number > wanted:
        plan.sprints.pop()
    for one in left:
        why = _wait(one, plan.reasons, {it.task_id: it.title for it in jobs})
        plan.reasons[one.task_id] = why or f"It does not fit into the next {MAX_SPRINTS} sprints."
    plan.reasons |= dict.fromkeys(sorted(dropped), DROPPED)
    return plan


def _is_wanted(user_edited: UserEditedSprint) -> bool:
    """Whether it is there without tasks, too."""
    return not user_edited.is_deleted and (user_edited.is_user_created or user_edited.is_closed)


def _open(number: int, edited: UserEditedSprint, team: Team, first: date) -> Sprint:
    """A sprint without tasks; it begins after the one before, whatever was told."""
    begins = date.fromisoformat(edited.start_date) if edited.start_date else first
    begins = begins if number == 1 else max(begins, first)
    ends = date.fromisoformat(edited.end_date) if edited.end_date else begins
    if not edited.end_date or ends < begins:
        ends = begins + timedelta(days=SPRINT_DAYS - 1)
    room = {member.member_id: capacity_between(member, begins, ends) for member in team.members}
    capacity = sum(room.values())
    if team.velocity is not None:
        capacity = min(capacity, team.velocity)
    if edited.capacity_points is not None:
        capacity = edited.capacity_points
    return Sprint(number, begins, ends, capacity, room)


def _keep(job: Job, team: Team) -> Place:
    """A task in the closed sprint in which it was done."""
    members = (member for member in team.members if member.member_id == job.done_by)
    member = next(members, Member(member_id=job.done_by, name=NO_MEMBER))
    return Place(job, member, job.done_in, "It was done in this sprint.")


def _explain_moves(number: int, left: Sequence[Job], done: set[str]) -> dict[str, str]:
    """Why what was moved into the sprint is not in it."""
    return {
        job.task_id: f"It was moved into sprint {number}, which has no room for it."
        if done.issuperset(job.needs)
        else f"It was moved into sprint {number}, but what it builds on is not done by then."
        for job in left
        if job.sprint == number and job.task_id not in done
    }


def _wait(job: Job, reasons: Mapping[str, str], titles: Mapping[str, str]) -> str:
    blocked = next((need for need in job.needs if need in reasons), None)
    return f"It waits for «{titles[blocked]}», which is not planned." if blocked else ""


def _find_hindered(jobs: Sequence[Job], team: Team) -> dict[str, str]:
    """Tasks that no sprint can hold, and those that wait for one of them."""
    reasons = {job.task_id: why for job in jobs if (why := _hindrance(job, team))}
    titles = {job.task_id: job.title for job in jobs}
    for job in jobs:  # needs come before what needs them
        if job.task_id not in reasons and (why := _wait(job, reasons, titles)):
            reasons[job.task_id] = why
    return reasons


def _hindrance(job: Job, team: Team) -> str:
    if not team.members:
        return "There is nobody in the team."
    able = [member for member in team.members if _rate(member, job) is not None]
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


def _fill(sprint: Sprint, left: Sequence[Job], team: Team, done: set[str]) -> None:
    """What was moved into the sprint comes first, with what it builds on, then what fits; ``done``
    grows by all.
    """
    first = _find_first(sprint.number, left)
    free = [job for job in left if job.sprint in (0, sprint.number)]
    for job in sorted(free, key=lambda one: one.task_id not in first):
        if not done.issuperset(job.needs) or sprint.points + job.points > sprint.capacity:
            continue
        if member := _choose(job, team, sprint.room):
            sprint.room[member.member_id] -= job.points
            done.add(job.task_id)
            sprint.places.append(Place(job, member, sprint.number, _reason(job, member)))


def _find_first(number: int, left: Sequence[Job]) -> set[str]:
    """What was moved into the sprint of this number, and what that builds on."""
    first = {job.task_id for job in left if job.sprint == number}
    for job in reversed(left):  # needs come before what needs them
        if job.task_id in first:
            first.update(job.needs)
    return first


def _choose(job: Job, team: Team, room: Mapping[str, int]) -> Member | None:
    """Who is best at it among those with room; of equals the one with most room."""
    able = [
        (level, room[member.member_id], member.member_id, member)
        for member in team.members
        if room[member.member_id] >= job.points and (level := _rate(member, job)) is not None
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
    why += "it was moved here; " if job.sprint else ""
    if job.assignee_id or not job.skills:
        text = f"{why}{member.name} {'was chosen for it' if job.assignee_id else 'has room'}."
    else:
        text = f"{why}{member.name} has the skill {' and '.join(job.skills)}."
    return text[:1].upper() + text[1:]
