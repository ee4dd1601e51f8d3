"""Who could do a task: by the skills it asks for and the points that are free; nothing is assigned.

A member who lacks a skill that the task asks for is left out, as in the plan of sprints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from infra.platform.settings import Settings
from infra.service.foundation.database import ask
from projections.read.artifacts import PlanTask, list_plan_tasks
from projections.read.projects import find_project
from projections.read.session import Conn
from projections.read.team import Member, list_members
from schemas.events.team import Member as MemberFact
from schemas.inflection import count
from schemas.tasks import OVER


@dataclass(frozen=True, slots=True)
class Ranked:
    """A member for a task. ``skill`` sums the proficiencies, ``free_points`` are those of a sprint
    less what is planned for the member.
    """

    member_id: str
    name: str
    rank: int
    skill: int
    free_points: int
    rationale: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Who could do a task; ``assignee_id`` is who has it now, by a person or by the plan."""

    task_id: str
    task: str
    assignee_id: str | None
    recommended_member_id: str | None
    ranking: Sequence[Ranked]


async def suggest_assignments(settings: Settings, project: str) -> list[Suggestion]:
    """For each task that is not done, its members by skill, then by free points."""

    def suggest(tables: Conn) -> list[Suggestion]:
        project_id = find_project(tables, project)
        return rank_members(list_plan_tasks(tables, project_id), list_members(tables, project_id))

    return await ask(settings, suggest)


def rank_members(tasks: Iterable[PlanTask], team: Iterable[Member]) -> list[Suggestion]:
    """The same of all tasks and members of a project."""
    known = [MemberFact(**one.model_dump()) for one in team]
    left = [one for one in tasks if one.fields.get("status") not in OVER]
    free = {one.member_id: one.capacity_points for one in known}
    for one in left:
        if (member := one.plan.get("assignee_id")) in free:
            free[member] -= int(one.fields.get("estimate_points") or 0)
    return [_suggest(one, known, free) for one in left]


def _say_free(points: int) -> str:
    return (
        f"{count(points, 'point')} free" if points >= 0 else f"{count(-points, 'point')} too many"
    )


def _suggest(task: PlanTask, known: Iterable[MemberFact], free: dict[str, int]) -> Suggestion:
    from streams.reduce.plan.members import rate_skills

    wanted = task.fields.get("required_skills") or []
    rated = [
        (level, free[one.member_id], one)
        for one in known
        if (level := rate_skills(one, wanted)) is not None
    ]
    rated.sort(key=lambda one: (-one[0], -one[1], one[2].member_id))
    ranking = [
        Ranked(
            member.member_id,
            member.name,
            rank,
            level,
            points,
            f"{' and '.join(wanted) or 'no skill asked for'}: {level}; {_say_free(points)}",
        )
        for rank, (level, points, member) in enumerate(rated, 1)
    ]
    best = ranking[0].member_id if ranking else None
    name = f"{task.number} {task.title}".strip()
    chosen = (task.fields.get("owned") or {}).get("assignee_id")
    holder = chosen or task.plan.get("assignee_id")
    return Suggestion(task.artifact_id, name, holder, best, ranking)
