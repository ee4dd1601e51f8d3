"""Sprints: room, skills, dependencies and days, as tables of cases."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from schemas.events.artifact_plans import UserEditedSprint
from schemas.events.team import (
    Absence,
    MemberRemoved,
    MemberUpdated,
    Team,
    TeamFact,
)
from streams.reduce.plan.members import apply_fact, capacity_between, rate_skill
from streams.reduce.plan.sprint import Job, Plan, plan_sprints
from tests.reduce.teams import a_member, joins, starts

MONDAY = date(2026, 3, 2)
LAST = date(2026, 3, 15)


def a_job(name: str, points: int = 5, skill: str = "security", *needs: str) -> Job:
    return Job(name, f"Build {name}", points, (skill,), needs)


def sprints_of(plan: Plan) -> list[list[str]]:
    return [[one.job.task_id for one in sprint.places] for sprint in plan.sprints]


ANA = a_member("Ana", "security")
BEN = a_member("Ben", "security", "testing", points=5)


@pytest.mark.parametrize(
    ("jobs", "members", "wanted"),
    [
        ([a_job("a"), a_job("b")], [ANA], [["a", "b"]]),
        ([a_job("a"), a_job("b"), a_job("c")], [ANA], [["a", "b"], ["c"]]),
        ([a_job("a"), a_job("b"), a_job("c")], [ANA, BEN], [["a", "b", "c"]]),
        ([a_job("a", 8), a_job("b", 3), a_job("c", 2)], [ANA], [["a", "c"], ["b"]]),
        ([a_job("b", 5, "security", "a"), a_job("a")], [BEN], [["a"], ["b"]]),
        ([a_job("a", 5, "design"), a_job("b")], [ANA], [["b"]]),
        ([a_job("a", 13), a_job("b")], [ANA], [["b"]]),
    ],
)
def test_tasks_go_into_sprints(jobs, members, wanted):
    assert sprints_of(plan_sprints(jobs, Team(members=members), MONDAY)) == wanted


def test_a_task_that_is_moved_brings_what_it_builds_on_where_there_is_room():
    jobs = [a_job("a"), a_job("b"), a_job("c", 5, "security", "b")]
    moved = replace(jobs[-1], sprint=1)

    plan = plan_sprints([*jobs[:-1], moved], Team(members=[ANA]), MONDAY)

    assert (sprints_of(plan), plan.reasons) == ([["b", "c"], ["a"]], {})


def test_without_anybody_nothing_is_planned_and_the_plan_says_so():
    own = {1: UserEditedSprint(is_user_created=True, goal="Begin")}
    plan = plan_sprints([Job("a", "Build a", 2, ())], Team(), MONDAY, own)
    assert plan.reasons == {"a": "There is nobody in the team."}


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        (a_job("a", 5, "design"), "Nobody in the team has the skill design."),
        (a_job("a", 13), "It takes 13 points; who can do it has 10 in a sprint."),
    ],
)
def test_what_nobody_can_do_says_why(job, reason):
    waits = a_job("b", 2, "security", "a")

    plan = plan_sprints([job, waits], Team(members=[ANA]), MONDAY)

    assert plan.reasons == {
        "a": reason,
        "b": "It waits for «Build a», which is not planned.",
    }


def test_twice_the_capacity_ends_the_work_in_fewer_sprints():
    jobs = [a_job(name) for name in "abcdefgh"]

    slow = plan_sprints(jobs, Team(members=[ANA]), MONDAY)
    fast = plan_sprints(jobs, Team(members=[ANA, a_member("Cid", "security")]), MONDAY)

    assert (len(slow.sprints), len(fast.sprints)) == (4, 2)
    assert (slow.sprints[-1].last, fast.sprints[-1].last) == (date(2026, 4, 26), date(2026, 3, 29))


def test_a_velocity_that_is_told_limits_a_sprint():
    team = Team(members=[ANA, BEN], velocity=5)

    plan = plan_sprints([a_job("a"), a_job("b")], team, MONDAY)

    assert [one.capacity for one in plan.sprints] == [5, 5]


def test_who_is_better_at_it_does_it_and_of_equals_who_has_more_room():
    best = a_member("Cid", points=8, role="lead").model_copy(update={"skills": {"appsec": 5}})

    plan = plan_sprints([a_job("a"), a_job("b")], Team(members=[BEN, ANA, best]), MONDAY)

    assert [one.member.name for one in plan.sprints[0].places] == ["Cid", "Ana"]


@pytest.mark.parametrize(
    ("first", "last", "factor", "points"),
    [
        ("2026-03-02", "2026-03-15", 0.0, 0),
        ("2026-03-02", "2026-03-08", 0.0, 5),
        ("2026-03-02", "2026-03-15", 0.5, 5),
        ("2026-03-07", "2026-03-08", 0.0, 10),  # a weekend
        ("2026-04-01", "2026-04-09", 0.0, 10),
    ],
)
def test_absences_take_points_of_working_days(first, last, factor, points):
    away = Absence(first_day=first, last_day=last, capacity_factor=factor)
    member = a_member("Ana", availability=[away])

    assert capacity_between(member, MONDAY, LAST) == points


@pytest.mark.parametrize(
    ("skill", "wanted", "known"),
    [
        ("Security", "security", True),
        ("appsec", "security", True),
        ("qa", "testing", True),
        ("cooking", "engineering", True),
        ("cooking", "testing", False),
    ],
)
def test_skills_are_known_by_the_names_people_give_them(skill, wanted, known):
    assert (rate_skill(a_member("Ana", skill), wanted) is not None) == known


@pytest.mark.parametrize(
    ("fact", "names", "points"),
    [
        (joins(BEN), ["Ana", "Ben"], [10, 5]),
        (MemberUpdated(member_id="mem_Ana", capacity_points=3), ["Ana"], [3]),
        (MemberUpdated(member_id="mem_nobody", name="Eve"), ["Ana"], [10]),
        (MemberRemoved(member_id="mem_Ana"), [], []),
        (starts("2026-03-02"), ["Ana"], [10]),
    ],
)
def test_a_team_is_the_fold_of_its_facts(fact: TeamFact, names, points):
    team = apply_fact(Team(members=[ANA]), fact)

    assert [one.name for one in team.members] == names
    assert [one.capacity_points for one in team.members] == points
