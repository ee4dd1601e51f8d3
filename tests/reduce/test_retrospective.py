"""A sprint looked back on: what came in between, what the ledger gained, the velocity measured."""

from __future__ import annotations

from datetime import date

import pytest

from schemas.events.artifact_reports import SprintReport, SprintVelocity
from schemas.events.change import EditedStatement, SectionEdit, SprintEdit, TaskEdit
from schemas.events.ledger import Change
from schemas.events.team import Team
from schemas.ids import artifact_id as derive_artifact_id
from streams.reduce.plan.forecast import forecast
from streams.reduce.texts.deltas import MOST_POSITIONS, Delta, join_old
from tests.reduce.ledgers import ENOUGH, PROJECT, Play, a_conflict, a_requirement, an_atom
from tests.reduce.teams import (
    PLANNED_FEATURE,
    a_member,
    ask,
    joins,
    plan_of,
    said,
    standing,
    starts,
)
from tests.reduce.test_reports import fields_of, report
from tests.reduce.test_user_edited_plan import change

SKILLS = ("integration", "security", "engineering", "data modelling")
DAY = "2026-01-01"  # the day of all that a play is told
NEWS = a_requirement("A depot must see the seals of its crates on one page", source="src_news")
SLOW = an_atom("decision", "Photos of seals are kept for 30 days", name="photos old")
LONG = an_atom("decision", "Photos of seals are kept for 90 days", name="photos new")
NIGHT = an_atom("claim", "Depots in the north are open at night")
SHUT = an_atom("claim", "Depots in the north are closed at night")


@pytest.fixture
def play() -> Play:
    """One sprint that has begun: a feature is planned in it."""
    play = Play().given((*PLANNED_FEATURE, *ENOUGH, SLOW))
    play.ends()
    ask(play, joins(a_member("ana", *SKILLS, points=20)))
    ask(play, starts(DAY))
    return play


def add_task(play: Play, name: str) -> str:
    task_id = derive_artifact_id(PROJECT, "task", name)
    steps = [EditedStatement(text="Print the list of crates every evening")]
    told = TaskEdit(title=f"Task {name}", estimate_points=3)
    section = SectionEdit(section_id="solutions", statements=steps)
    change(play, "create", task_id, task=told, sections=[section])
    return task_id


def finish(play: Play, task_id: str) -> None:
    task = next(one for one in standing(play, "task") if one.artifact_id == task_id)
    change(play, "update", task, task=TaskEdit(status="done"))


def close(play: Play, number: int = 1) -> None:
    sprint = standing(play, "sprint_plan")[number - 1]
    told = SprintEdit(is_closed=True)
    change(play, "update", sprint, changed_type="sprint_plan", sprint=told)


def sprint_of(play: Play, as_of: str = DAY) -> SprintReport:
    told = fields_of(report(play, "sprint", as_of)).sprint
    assert told
    return told


def test_what_comes_into_a_sprint_after_its_beginning_is_told_as_added(play: Play):
    before = sprint_of(play)
    task_id = add_task(play, "ferry")

    after = sprint_of(play, "2026-01-02")

    assert (before.added, after.added) == ([], [task_id])
    assert said(standing(play, "report")[-1], "came_in_between") == ["Task ferry (3 points)."]


def test_a_run_in_the_midst_of_a_sprint_adds_to_it(play: Play):
    known = {one.artifact_id for one in standing(play, "task")}
    order = an_atom("action_item", "Write a manual for the guards of the night shift")
    play.tells(order)
    play.ends()

    new = [one.artifact_id for one in standing(play, "task") if one.artifact_id not in known]

    assert sprint_of(play).added == new != []


def test_a_team_that_is_put_together_on_the_first_day_adds_nothing():
    play = Play().given((*PLANNED_FEATURE, *ENOUGH))
    play.ends()
    ask(play, starts(DAY))
    ask(play, joins(a_member("ben", "writing", points=2)))
    ask(play, joins(a_member("ana", *SKILLS, points=20)))

    assert plan_of(standing(play, "sprint_plan")[0]).items
    assert sprint_of(play).added == []


def test_before_its_first_day_a_sprint_is_still_planned():
    play = Play().given((*PLANNED_FEATURE, *ENOUGH))
    play.ends()
    ask(play, joins(a_member("ana", *SKILLS, points=20)))
    ask(play, starts("2026-02-02"))
    add_task(play, "ferry")

    assert sprint_of(play, "2026-02-03").added == []


def test_a_retrospective_tells_what_the_ledger_gained_during_the_sprint(play: Play):
    gone = SLOW.model_copy(update={"status": "superseded", "superseded_by": LONG.atom_id})
    ops = [
        Change(op="atom_created", target_id=NEWS.atom_id),
        Change(op="atom_created", target_id=LONG.atom_id),
        Change(op="atom_superseded", target_id=SLOW.atom_id),
    ]
    play.append_changes([NEWS, LONG, gone], ops)
    play.ends()

    made = report(play, "retro")

    assert f"{NEWS.title}." in said(made, "new_in_the_ledger")
    assert said(made, "replaced_in_the_ledger") == [f"{LONG.title}; before: {SLOW.title}."]
    assert f"[[{NEWS.atom_id}]]" in made.rendered_markdown
    assert fields_of(made).ledger_changes == {"added": 2, "replaced": 1}
    assert PLANNED_FEATURE[0].title not in made.rendered_markdown.partition("New in")[2]


def test_a_retrospective_tells_contradictions_that_came_and_went(play: Play):
    conflict = a_conflict(NIGHT, SHUT)
    opened = Change(op="contradiction_opened", target_id=conflict.contradiction_id)
    play.append_changes([NIGHT, SHUT], [opened], [conflict])
    play.ends()
    first = report(play, "retro")
    closed = Change(op="contradiction_closed", target_id=conflict.contradiction_id)
    lost = SHUT.model_copy(update={"status": "obsolete", "revision": 2})
    play.append_changes([lost], [closed], [conflict.model_copy(update={"status": "resolved"})])
    play.ends()

    second = report(play, "retro", "2026-01-02")

    (pair,) = said(first, "contradictions_opened")
    assert "this conflicts with:" in pair
    assert said(second, "contradictions_opened") == []
    assert said(second, "contradictions_settled") == [f"It holds: {NIGHT.title}."]


def test_a_retrospective_of_a_closed_sprint_has_its_velocity_and_what_came_in_between(play: Play):
    task_id = add_task(play, "ferry")
    finish(play, task_id)
    close(play)

    made = report(play, "retro", "2026-01-20")

    told = fields_of(made).sprint
    assert told and told.added == [task_id] == told.completed
    assert told.carried_over and told.velocity == 3
    assert said(made, "velocity") == ["Sprint 1, 2026-01-01 to 2026-01-14: 3 points done."]
    assert "3 of " in made.rendered_markdown


def test_a_forecast_uses_what_was_done_in_closed_sprints(play: Play):
    for number, points in enumerate(("one", "two"), 1):
        finish(play, add_task(play, points))
        close(play, number)

    told = fields_of(report(play, "forecast", "2026-02-01")).forecast

    assert told
    assert [one.sprint_number for one in told.history] == [1, 2]
    assert told.velocity_mean == sum(one.points for one in told.history) / 2
    assert told.velocity_stddev is not None
    assert told.confidence != "low"
    assert said(standing(play, "report")[-1], "velocity")[0].startswith("Sprint 1, ")


def histories(*points: float) -> list[SprintVelocity]:
    return [
        SprintVelocity(sprint_id=f"art_{at}", sprint_number=at, points=one)
        for at, one in enumerate(points, 1)
    ]


@pytest.mark.parametrize(
    ("points", "mean", "confidence"),
    [
        ((), 20, "low"),
        ((12,), 12, "low"),
        ((10, 14), 12, "medium"),
        ((11, 12, 13, 12), 12, "high"),
        ((2, 22, 4, 20), 12, "low"),
        ((0, 0), 20, "low"),
    ],
)
def test_confidence_follows_from_the_number_of_sprints_and_their_spread(points, mean, confidence):
    told = predict(60, histories(*points))

    assert (told.velocity_mean, told.confidence) == (mean, confidence)
    assert told.p50_date <= told.p85_date
    assert told.confidence_reason


def test_more_spread_makes_the_later_date_later_and_more_history_the_trend_known():
    even, uneven = predict(60, histories(11, 13, 12)), predict(60, histories(5, 12, 19))

    assert even.p50_date == uneven.p50_date
    assert even.p85_date < uneven.p85_date
    assert uneven.velocity_trend == 7
    assert any("grows by 7.0 points" in one for one in uneven.assumptions)


def predict(points, history):
    day = date(2026, 3, 2)
    return forecast(points, Team(), day, day, [], history)


def test_a_forecast_of_hardly_anything_done_stays_a_date():
    told = predict(100_000, histories(0, 0.1))

    assert told.p85_date > told.p50_date[:4]
    assert any("No date beyond" in one for one in told.assumptions)


def test_changes_long_ago_are_joined_by_day_and_none_is_lost():
    many = [
        Delta(ledger_seq=at, day=f"2026-01-{1 + at // 10:02d}", counts={"added": 1})
        for at in range(200)
    ]

    joined = join_old(many)

    assert sum(one.counts["added"] for one in joined) == 200
    assert len(joined) == MOST_POSITIONS + 16
    assert [one.ledger_seq for one in joined] == sorted(one.ledger_seq for one in joined)
