"""Features and sprints of people: what they make, rank, close and delete stands in every plan."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_items import FeatureFields
from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.change import (
    ChangeRequested,
    EditedStatement,
    FeatureEdit,
    SectionEdit,
    SprintEdit,
    TaskEdit,
)
from schemas.events.team import Absence, MemberRemoved
from schemas.ids import artifact_id as derive_artifact_id
from tests.reduce.ledgers import ENOUGH, PROJECT, Play, a_requirement
from tests.reduce.teams import (
    BREAK,
    PLANNED_FEATURE,
    a_member,
    ask,
    joins,
    plan_of,
    said,
    standing,
    starts,
    task_of,
)
from tests.reduce.test_reports import report

OWN_ID = derive_artifact_id(PROJECT, "feature", "person|key")
MORE = a_requirement("The relay must archive every delivered order")
SKILLS = ("integration", "security", "engineering", "data modelling")


@pytest.fixture
def play() -> Play:
    """A feature with its task and two more tasks, in two sprints of a team of one."""
    play = Play().given([*ENOUGH, *PLANNED_FEATURE])
    play.ends()
    ask(play, joins(a_member("ana", *SKILLS, points=7)))
    ask(play, starts("2026-01-05"))
    for name in ("one", "two"):
        task_id = derive_artifact_id(PROJECT, "task", name)
        steps = SectionEdit(
            section_id="solutions", statements=[EditedStatement(text=f"Ask person {name} for it")]
        )
        told = TaskEdit(title=f"Task {name}", estimate_points=3)
        change(play, "create", task_id, task=told, sections=[steps])
    assert [len(tasks) for tasks in sprint_ids(play).values()] == [2, 1]
    return play


def change(play: Play, op: str, known: ArtifactSnapshot | str, **more: Any) -> ArtifactChanged:
    artifact_id, version = (
        (known, 0) if isinstance(known, str) else (known.artifact_id, known.version)
    )
    asked = {"artifact_id": artifact_id, "op": op, "expected_version": version, "editor": "ana"}
    event = ChangeRequested.model_validate({"sections": []} | asked | more)
    (answer,) = ask(play, event, key=f"{op} {len(play.asked)}")
    assert answer.edit
    return answer


def of_feature(play: Play, op: str, known: ArtifactSnapshot | str, **told: Any) -> ArtifactChanged:
    texts = told.pop("description", [])
    section = SectionEdit(
        section_id="description", statements=[EditedStatement(text=one) for one in texts]
    )
    return change(
        play,
        op,
        known,
        changed_type="feature",
        feature=FeatureEdit(**told),
        sections=[section] if texts else [],
    )


def of_sprint(play: Play, op: str, known: ArtifactSnapshot | str, **told: Any) -> ArtifactChanged:
    return change(play, op, known, changed_type="sprint_plan", sprint=SprintEdit(**told))


def refusal_of(answer: ArtifactChanged) -> str | None:
    assert answer.edit
    return answer.edit.refusal


def features(play: Play) -> dict[str, FeatureFields]:
    """By id, in their order."""
    return {one.artifact_id: one.feature for one in standing(play, "feature") if one.feature}


def sprint_ids(play: Play) -> dict[str, list[str]]:
    """The tasks of each sprint, by its id."""
    return {
        one.artifact_id: [it.task_id for it in plan_of(one).items]
        for one in standing(play, "sprint_plan")
    }


def run_again(play: Play) -> None:
    play.given([MORE]).ends()


def test_a_priority_is_decided_by_a_person_and_says_who_and_why(play: Play):
    (feature, *_) = standing(play, "feature")
    assert feature.feature
    ruled = feature.feature.priority
    tasks = [one.artifact_id for one in standing(play, "task") if task_of(one).feature_id]

    why = {"reason": "Nobody asked for it", "atom_ids": [BREAK.atom_id]}
    of_feature(play, "update", feature, priority="wont", **why)
    run_again(play)

    fields = features(play)[feature.artifact_id]
    assert (fields.priority, fields.computed_priority, fields.start_date) == ("wont", ruled, "")
    assert fields.user_edited and fields.user_edited.priority
    chosen = fields.user_edited.priority
    assert (chosen.decided_by, chosen.reason, chosen.atom_ids) == ("ana", *why.values())
    assert tasks and not set(tasks) & {one.artifact_id for one in standing(play, "task")}


def test_a_feature_that_a_person_makes_is_planned_by_its_priority(play: Play):
    told = {"title": "Seals by post", "description": ["Send seals to depots by post"]}
    answer = of_feature(play, "create", OWN_ID, priority="must", effort_points=8, **told)
    run_again(play)

    (made, *_) = standing(play, "feature")
    assert (refusal_of(answer), made.artifact_id, made.title) == (None, OWN_ID, "Seals by post")
    assert (made.edited_by, said(made, "description")) == ("ana", told["description"])
    assert made.feature
    assert made.feature.start_date
    assert made.feature.effort_points == 8


def test_a_deleted_feature_is_withdrawn_with_its_tasks_and_does_not_come_again(play: Play):
    (feature, *_) = standing(play, "feature")
    assert any(task_of(one).feature_id == feature.artifact_id for one in standing(play, "task"))

    answer = of_feature(play, "delete", feature)
    run_again(play)

    gone = [one.snapshot for one in answer.items if one.snapshot.artifact_id == feature.artifact_id]
    assert gone[0].sections[0].gap == "A person has deleted it."
    assert feature.artifact_id not in features(play)
    assert not [
        one for one in standing(play, "task") if task_of(one).feature_id == feature.artifact_id
    ]


def test_a_task_is_moved_into_another_sprint_and_back(play: Play):
    before = sprint_ids(play)
    (first, last) = (list(before)[0], list(before)[-1])
    (task,) = [one for one in standing(play, "task") if one.artifact_id == before[first][0]]

    change(play, "update", task, task=TaskEdit(sprint_id=last))
    run_again(play)
    moved = next(one for one in standing(play, "task") if one.artifact_id == task.artifact_id)
    assert task_of(moved).sprint_id == last

    change(play, "update", moved, task=TaskEdit(sprint_id=""))
    back = next(one for one in standing(play, "task") if one.artifact_id == task.artifact_id)
    assert task_of(back).sprint_id == first


def test_a_sprint_of_a_person_is_there_without_tasks_and_closes_with_what_is_done(play: Play):
    number = len(standing(play, "sprint_plan")) + 1
    own = derive_artifact_id(PROJECT, "sprint_plan", str(number))
    of_sprint(play, "create", own, sprint_number=number, goal="Catch our breath")
    run_again(play)
    made = next(one for one in standing(play, "sprint_plan") if one.artifact_id == own)
    assert (plan_of(made).goal, plan_of(made).items, made.edited_by) == (
        "Catch our breath",
        [],
        "ana",
    )

    (first, *_) = standing(play, "sprint_plan")
    (done, *open_) = [item.task_id for item in plan_of(first).items]
    task = next(one for one in standing(play, "task") if one.artifact_id == done)
    change(play, "update", task, task=TaskEdit(status="done"))
    (first, *_) = standing(play, "sprint_plan")
    of_sprint(play, "update", first, is_closed=True)
    ask(play, joins(a_member("ben", *SKILLS, points=40)))
    run_again(play)

    (closed, *others) = standing(play, "sprint_plan")
    assert [item.task_id for item in plan_of(closed).items] == [done]
    assert plan_of(closed).capacity_points == plan_of(first).capacity_points
    assert open_
    assert set(open_) <= {item.task_id for one in others for item in plan_of(one).items}
    assert refusal_of(of_sprint(play, "update", closed, goal="More")) == "closed"
    again = of_feature(
        play, "create", OWN_ID, title="Later", description=["Later"], priority="must"
    )
    ask(play, starts("2026-01-05", velocity=9))
    assert (refusal_of(again), standing(play, "sprint_plan")[0].version) == (None, closed.version)


def test_a_sprint_that_is_closed_early_tells_what_it_left_and_the_stand_up_goes_on(play: Play):
    (first, second) = standing(play, "sprint_plan")
    (done, left) = (item.task_id for item in plan_of(first).items)
    task = next(one for one in standing(play, "task") if one.artifact_id == done)
    change(play, "update", task, task=TaskEdit(status="done"))
    of_sprint(play, "update", standing(play, "sprint_plan")[0], is_closed=True)
    run_again(play)

    day = plan_of(first).start_date
    told = report(play, "sprint", day).report
    stand_up = report(play, "standup", day).report

    assert told and told.sprint and stand_up and stand_up.standup
    assert (told.sprint.sprint_id, told.sprint.completed) == (first.artifact_id, [done])
    assert told.sprint.carried_over == [left]
    assert told.sprint.planned_points == plan_of(first).planned_points
    (ana,) = stand_up.standup.per_member
    assert done not in ana.done
    assert f"{task.title}." not in " ".join(stand_up.standup.highlights)
    now = next(one for one in standing(play, "sprint_plan") if one.number == second.number)
    names = {one.artifact_id: one.title for one in standing(play, "task")}
    (wanted, *_) = [names[item.task_id] for item in plan_of(now).items]
    assert any(wanted in line for line in stand_up.standup.highlights)


def test_a_title_that_says_next_does_not_make_a_task_under_way_a_highlight(play: Play):
    (first, _) = standing(play, "sprint_plan")
    task_id = plan_of(first).items[0].task_id
    task = next(one for one in standing(play, "task") if one.artifact_id == task_id)
    change(play, "update", task, task=TaskEdit(status="in_progress", title="Choose, next: order"))

    stand_up = report(play, "standup", plan_of(first).start_date).report

    assert stand_up and stand_up.standup
    (ana,) = stand_up.standup.per_member
    assert task_id in ana.doing
    assert "Choose, next: order" not in " ".join(stand_up.standup.highlights)


def test_a_stand_up_tells_the_done_tasks_of_a_member_who_has_left(play: Play):
    for task in standing(play, "task"):
        change(play, "update", task, task=TaskEdit(status="done"))
    (first, *_) = standing(play, "sprint_plan")
    of_sprint(play, "update", first, is_closed=True)
    done = [item.task_id for item in plan_of(standing(play, "sprint_plan")[0]).items]
    ask(play, MemberRemoved(member_id="mem_ana"))

    standup = report(play, "standup", plan_of(first).start_date)

    assert standup.report and standup.report.standup
    assert [one.done for one in standup.report.standup.per_member] == [done]
    assert all("somebody who has left, done: " in line for line in said(standup, "members"))


def test_a_dropped_task_is_in_no_sprint_and_nothing_waits_for_it(play: Play):
    (first, *_) = standing(play, "sprint_plan")
    task_id = plan_of(first).items[0].task_id
    task = next(one for one in standing(play, "task") if one.artifact_id == task_id)

    change(play, "update", task, task=TaskEdit(status="dropped"))

    plans = [plan_of(one) for one in standing(play, "sprint_plan")]
    assert all(item.task_id != task_id for plan in plans for item in plan.items)
    assert ["dropped" in one.reason for one in plans[-1].unplanned] == [True]
    (dropped,) = (one for one in standing(play, "task") if one.artifact_id == task_id)
    assert task_of(dropped).sprint_id is None


def test_a_deleted_sprint_is_passed_over_and_its_tasks_go_on(play: Play):
    before = sprint_ids(play)
    (first, *_) = standing(play, "sprint_plan")

    of_sprint(play, "delete", first)
    run_again(play)

    after = sprint_ids(play)
    assert first.artifact_id not in after
    assert set(before[first.artifact_id]) <= {one for tasks in after.values() for one in tasks}
    (next_one, *_) = standing(play, "sprint_plan")
    assert plan_of(next_one).start_date == plan_of(first).start_date


def test_a_closed_sprint_that_is_deleted_gives_its_tasks_to_other_sprints(play: Play):
    (first, *_) = standing(play, "sprint_plan")
    done = plan_of(first).items[0].task_id
    task = next(one for one in standing(play, "task") if one.artifact_id == done)
    change(play, "update", task, task=TaskEdit(status="done"))
    of_sprint(play, "update", standing(play, "sprint_plan")[0], is_closed=True)

    answer = of_sprint(play, "delete", standing(play, "sprint_plan")[0])

    assert refusal_of(answer) is None
    after = sprint_ids(play)
    assert first.artifact_id not in after
    assert done in {one for tasks in after.values() for one in tasks}


@pytest.mark.parametrize("told", [{"priority": "wont"}, None])
def test_a_task_that_a_person_has_changed_goes_with_the_feature_it_was_cut_from(play: Play, told):
    (feature, *_) = standing(play, "feature")
    cut = next(one for one in standing(play, "task") if task_of(one).feature_id)
    change(play, "update", cut, task=TaskEdit(status="in_progress"))
    own = next(one for one in standing(play, "task") if one.title == "Task one")
    change(play, "update", own, task=TaskEdit(feature_id=feature.artifact_id))

    of_feature(play, "update" if told else "delete", feature, **(told or {}))
    run_again(play)

    left = {one.artifact_id: task_of(one) for one in standing(play, "task")}
    assert cut.artifact_id not in left
    assert left[own.artifact_id].feature_id == (feature.artifact_id if told else None)


def test_a_task_of_a_feature_that_is_not_there_is_refused(play: Play):
    own = next(one for one in standing(play, "task") if one.title == "Task one")
    answer = change(play, "update", own, task=TaskEdit(feature_id="art_elsewhere"))
    assert (refusal_of(answer), answer.items) == ("unknown_feature", [])


def test_an_effort_of_nothing_and_a_feature_that_has_not_begun_are_a_persons_word(play: Play):
    (feature, *_) = standing(play, "feature")
    of_feature(play, "update", feature, effort_points=0, status="done")
    (feature, *_) = standing(play, "feature")
    assert feature.feature
    assert (feature.feature.status, feature.feature.effort_points) == ("done", 0)

    of_feature(play, "update", feature, status="planned")
    (feature, *_) = standing(play, "feature")
    assert feature.feature
    assert (feature.feature.status, feature.feature.effort_points) == ("planned", 0)


def test_a_team_that_is_away_for_a_sprint_begins_in_the_next(play: Play):
    away = Absence(first_day="2026-01-01", last_day="2026-01-18")
    ask(play, joins(a_member("ana", *SKILLS, points=7, availability=[away])))

    (first, *_) = standing(play, "sprint_plan")
    assert plan_of(first).start_date == "2026-01-19"


def test_what_cannot_be_done_to_a_plan_is_refused_and_nothing_moves(play: Play):
    (sprint, *_) = standing(play, "sprint_plan")
    (feature, *_) = standing(play, "feature")
    (task, *_) = standing(play, "task")
    no_steps = [SectionEdit(section_id="solutions", statements=[])]
    refused = [
        (of_sprint(play, "create", sprint.artifact_id, goal="Again"), "no_change"),
        (of_sprint(play, "create", "art_new", sprint_number=9), "empty_text"),
        (of_sprint(play, "update", feature, goal="Ship"), "unknown_artifact"),
        (of_feature(play, "update", sprint, priority="must"), "unknown_artifact"),
        (of_feature(play, "update", feature), "no_change"),
        (of_feature(play, "create", OWN_ID, title="Empty"), "empty_text"),
        (change(play, "update", task, sections=no_steps), "no_solutions"),
    ]
    for answer, why in refused:
        assert (refusal_of(answer), answer.items) == (why, [])


def test_days_and_room_of_a_sprint_are_a_persons_and_the_next_follows(play: Play):
    (first, second) = standing(play, "sprint_plan")

    of_sprint(play, "update", first, end_date="2026-01-09", capacity_points=3)
    run_again(play)

    (first, second, *_) = standing(play, "sprint_plan")
    assert [len(plan_of(one).items) for one in (first, second)] == [1, 2]
    assert (plan_of(first).end_date, plan_of(second).start_date) == ("2026-01-09", "2026-01-10")


def test_a_writer_that_reads_the_log_again_holds_the_same_and_owes_nothing(play: Play):
    (feature, *_) = standing(play, "feature")
    (sprint, *_) = standing(play, "sprint_plan")
    of_feature(play, "update", feature, priority="could", reason="It can wait")
    of_sprint(play, "update", sprint, is_closed=True)

    again = Play()
    for record in [*play.ledger, *play.written, *play.asked]:
        again.writer.evolve(again.state, record)

    assert again.writer.decide(again.state) is None
    assert again.state.items_of(PROJECT) == play.state.items_of(PROJECT)
