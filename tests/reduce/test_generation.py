"""A list that somebody wants made again: what it has stays, and the loop says how it went."""

from __future__ import annotations

import pytest

from schemas.events.change import GenerationRequested, ListPhase
from streams.reduce.writer import Reduce
from tests.reduce.ledgers import Play, a_conflict
from tests.reduce.teams import PLANNED_FEATURE, a_member, ask, joins, standing, starts
from tests.reduce.test_items import LIMIT, RETRY, WORLD

LISTS = ("insight", "epic", "feature", "task", "sprint_plan")


@pytest.fixture
def play() -> Play:
    play = Play(Reduce(velocity=20)).given((*WORLD, *PLANNED_FEATURE), [a_conflict(RETRY, LIMIT)])
    play.ends()
    ask(play, joins(a_member("Ana", "security", "integrations")))
    ask(play, starts("2026-05-04"))
    return play


@pytest.mark.parametrize("phase", ["insight_generation", "feature_generation", "task_breakdown"])
def test_the_loop_runs_again_and_changes_nothing_that_is_there(play: Play, phase: ListPhase):
    before = {kind: standing(play, kind) for kind in LISTS}
    (first, *_) = [one for one in play.answers()[0].loops if one.phase == phase]

    answer = play.asks(GenerationRequested(phase=phase))

    assert (answer.outcome, answer.edit, answer.team) == ("unchanged", None, None)
    assert [one for one in answer.loops if one.phase == phase] == [first]
    assert {kind: standing(play, kind) for kind in LISTS} == before
    assert not [one for one in answer.items if one.outcome == "published"]
    assert before["feature"] and before["insight"] and before["sprint_plan"]


def test_sprints_are_planned_again_for_the_team_there_is(play: Play):
    before = standing(play, "sprint_plan")

    answer = play.asks(GenerationRequested(phase="sprint_planning"))

    assert standing(play, "sprint_plan") == before != []
    assert answer.team is None


def test_a_request_before_anything_is_settled_waits_for_the_first_run():
    play = Play().given(WORLD)
    assert ask(play, GenerationRequested(phase="feature_generation")) == []

    play.end_run("deep")
    play.decide()

    assert [answer.reason for answer in play.answers()] == [
        "deep_run_ended",
        "reduce.generation_requested",
    ]


def test_the_same_request_is_answered_once(play: Play):
    again = GenerationRequested(phase="feature_generation")

    assert len(ask(play, again, key="k")) == 1
    assert ask(play, again, key="k") == []
