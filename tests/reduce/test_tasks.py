"""Tasks: cut from what is planned, with an approach, citations and a place in a plan."""

from __future__ import annotations

import pytest

from schemas.events.team import MemberRemoved
from schemas.features import FEATURE_STATE
from streams.lexicons import read_lexicons
from streams.reduce.artifacts.validator import errors, validate
from streams.reduce.texts.action_items import begins_with_order, is_criterion, is_work
from streams.reduce.texts.inputs import Grounds
from streams.reduce.writer import REDUCE
from streams.tables import MemoryTables
from tests.reduce.ledgers import Play, a_requirement, an_atom, items_of
from tests.reduce.teams import (
    BREAK,
    FORGED,
    NUMBERS,
    PAGE_OF_SEALS,
    PLANNED_FEATURE,
    SEALS,
    SIGNED,
    a_member,
    ask,
    joins,
    plan_of,
    said,
    standing,
    starts,
    task_of,
    tell,
)

RETRY = an_atom(
    "action_item",
    "Add a second printer for the seals of the night shift",
    source="src_plan",
    attributes={"origin": "plan"},
)
ANA = a_member("Ana", "security", "integration")


def test_a_planned_feature_is_a_task_with_an_approach_that_cites():
    answer = Play().given(PLANNED_FEATURE).ends()
    (feature,) = items_of(answer, "feature")

    (task,) = items_of(answer, "task")

    fields = task_of(task)
    assert task.title == "Implement crate seals"
    assert fields.solutions == ["We will print the number of a seal as a bar code."]
    assert said(task, "description") == [f"{SEALS.title}."]
    assert said(task, "acceptance_criteria") == [f"{one.title}." for one in (BREAK, SIGNED)]
    assert (fields.feature_id, fields.upstream_title) == (feature.artifact_id, "Crate seals")
    assert feature.feature and fields.upstream_atom_ids == feature.feature.atom_ids
    assert fields.risk_atom_ids == [FORGED.atom_id]
    assert (fields.estimate_points, fields.complexity, fields.status) == (3, "medium", "todo")
    assert fields.required_skills == ["integration"]
    assert errors(validate(task.sections, Grounds(PLANNED_FEATURE), "deep")) == []


def test_what_exists_is_no_task():
    done = SEALS.model_copy(update={"attributes": {**SEALS.attributes, FEATURE_STATE: "done"}})

    answer = Play().given((done, *PLANNED_FEATURE[1:])).ends()

    assert items_of(answer, "task") == []


def test_a_feature_without_an_approach_is_no_task_and_the_reason_is_told():
    answer = Play().given((SEALS, BREAK, SIGNED)).ends()

    (loop,) = [one for one in answer.loops if one.phase == "task_breakdown"]
    assert items_of(answer, "task") == []
    assert loop.gaps_remaining == ["Crate seals: no decision, claim or requirement says how"]


def test_a_feature_with_much_to_do_is_a_task_for_each_discipline():
    more = [
        a_requirement(title, source=PAGE_OF_SEALS, area=area)
        for title, area in (
            ("Every seal must be checked at the gate", "security"),
            ("The seal must be read by every scanner", "integrations"),
            ("The signature of a seal must be kept for two years", "security"),
            ("The seal must be sent with the next scan", "integrations"),
        )
    ]
    keys = an_atom(
        "decision", "Depots hold the keys of signatures", source=PAGE_OF_SEALS, area="security"
    )

    answer = Play().given((*PLANNED_FEATURE, *more, keys)).ends()

    tasks = items_of(answer, "task")
    assert [one.title for one in tasks] == [
        "Implement crate seals: interfaces and integrations",
        "Implement crate seals: security and trust",
    ]
    assert [task_of(one).solutions for one in tasks] == [
        [f"{NUMBERS.title}."],
        [f"{keys.title}."],
    ]


def test_an_action_item_of_a_plan_is_a_task_of_its_own():
    answer = Play().given((RETRY,)).ends()

    (task,) = items_of(answer, "task")
    assert (task.title, task_of(task).feature_id) == (RETRY.title, None)
    assert task_of(task).solutions != [f"{RETRY.title}."]


@pytest.mark.parametrize(
    ("title", "origin", "work"),
    [
        (RETRY.title, "plan", True),
        (RETRY.title, "record", True),
        (RETRY.title, "guide", False),
        ("Adding printers takes an hour", "plan", False),
        ("All spans need to start after this point", "code", False),
        ("Use is limited to depots", "plan", False),
        ("Test", "plan", False),
    ],
)
def test_an_order_to_work_on_the_project_is_told_from_other_action_items(title, origin, work):
    assert is_work(an_atom("action_item", title, attributes={"origin": origin})) == work


def test_no_counterexample_of_a_row_is_an_order_or_a_criterion_of_another_row():
    rows = read_lexicons("reduce")
    assert not [it for it in rows["order"].entries if begins_with_order(it.counterexample)]
    assert not [it for it in rows["criterion"].entries if is_criterion(it.counterexample)]


@pytest.mark.parametrize(
    ("said", "checked"),
    [
        ("Two questions must be answered before finalizing", False),
        ("Whether that value should be the key is left open", False),
        ("The old index cannot order crates by time", False),
        ("Members should be shown for companies only", True),
    ],
)
def test_a_criterion_is_something_to_check(said, checked):
    assert is_criterion(said) == checked


def test_a_plan_needs_a_member():
    play = Play().given(PLANNED_FEATURE)
    play.ends()
    assert standing(play, "sprint_plan") == []

    ask(play, joins(ANA))
    (plan,) = standing(play, "sprint_plan")
    (task,) = standing(play, "task")

    fields = plan_of(plan)
    assert plan.artifact_state == "stable"
    assert (fields.planned_points, fields.capacity_points) == (3, 10)
    assert [(one.task_id, one.assignee_id) for one in fields.items] == [
        (task.artifact_id, "mem_Ana")
    ]
    assert (task_of(task).assignee_id, task_of(task).sprint_id) == ("mem_Ana", plan.artifact_id)
    assert fields.goal == "Work on Crate seals."
    assert fields.risk_atom_ids == [FORGED.atom_id]
    assert "The velocity is not known" in " ".join(fields.assumptions)


def test_a_plan_follows_its_members_and_its_start():
    play = Play().given(PLANNED_FEATURE)
    play.ends()
    ask(play, joins(ANA))

    ask(play, starts("2026-05-04"))
    (plan,) = standing(play, "sprint_plan")
    assert (plan_of(plan).start_date, plan_of(plan).end_date) == ("2026-05-04", "2026-05-17")
    (feature,) = standing(play, "feature")
    assert feature.feature and feature.feature.start_date == "2026-05-04"

    ask(play, MemberRemoved(member_id="mem_Ana"))
    (task,) = standing(play, "task")
    assert standing(play, "sprint_plan") == []
    assert (task_of(task).assignee_id, task_of(task).sprint_id) == (None, None)


def test_a_new_task_comes_into_the_plan_at_the_next_position():
    play = Play().given(PLANNED_FEATURE)
    play.ends()
    ask(play, joins(ANA))

    play.given((RETRY,)).ends()

    (plan,) = standing(play, "sprint_plan")
    assert len(plan_of(plan).items) == 2


def test_a_member_who_comes_before_the_first_position_is_planned_after_it():
    play = Play()
    assert ask(play, joins(ANA)) == []

    play.given(PLANNED_FEATURE).end_run()
    play.decide()

    first, second = play.answers()
    assert first.team is None and second.team
    assert [one.name for one in second.team.members] == ["Ana"]
    assert len(items_of(second, "sprint_plan")) == 1


def test_a_repeated_fact_is_answered_once():
    play = Play().given(PLANNED_FEATURE)
    play.ends()
    ask(play, joins(ANA), "key")

    assert ask(play, joins(ANA), "key") == []


def test_a_state_folded_again_in_any_order_decides_nothing_twice():
    play = Play().given(PLANNED_FEATURE)
    play.ends()
    ask(play, joins(ANA))
    play.given((RETRY,)).ends()
    topics = (play.ledger, play.written, play.asked)

    for order in ((0, 1, 2), (1, 0, 2), (2, 1, 0), (1, 2, 0)):
        state = REDUCE.open(MemoryTables())
        for topic in order:
            for record in topics[topic]:
                REDUCE.evolve(state, record)
        assert REDUCE.decide(state) is None


def test_a_request_after_a_refold_is_answered_as_before_it():
    play = Play().given(PLANNED_FEATURE)
    play.ends()
    again = REDUCE.open(MemoryTables())
    tell(play, joins(ANA))
    for record in (*play.written, *play.asked):
        REDUCE.evolve(again, record)
    assert REDUCE.decide(again) is None  # the ledger is not folded yet

    for record in play.ledger:
        REDUCE.evolve(again, record)

    assert REDUCE.decide(again) == REDUCE.decide(play.state)
