"""The state of a PRD follows from what is behind it and moves by an event of its own."""

from __future__ import annotations

import pytest

from streams.reduce.artifacts.states import derive_prd_state
from streams.reduce.texts.inputs import Grounds
from tests.reduce.ledgers import (
    ENOUGH,
    EXPORT,
    LOSS,
    PURPOSE,
    QUEUE,
    RETRY,
    WHO,
    Play,
    a_conflict,
    prd_of,
)


def test_enough_atoms_in_the_needed_sections_make_it_preview_stable():
    answer = prd_of(*ENOUGH)

    assert answer.snapshot.artifact_state == "preview_stable"
    assert (answer.state_before, answer.reason_codes) == (
        None,
        ["minimum_met", "quality_gate_not_passed"],
    )


def test_a_preview_run_alone_says_that_the_deep_run_is_missing():
    answer = Play().given(ENOUGH).ends("preview")

    assert answer.snapshot.artifact_state == "preview_stable"
    assert "deep_run_not_finished" in answer.reason_codes


@pytest.mark.parametrize(
    ("atoms", "code"),
    [
        ((PURPOSE, EXPORT, RETRY, QUEUE), "too_few_live_atoms"),
        ((PURPOSE, LOSS, WHO), "too_few_requirements_or_decisions"),
        ((EXPORT, RETRY, QUEUE, LOSS, WHO), "problem_and_goals_missing"),
        ((PURPOSE, QUEUE, LOSS, WHO), "functional_requirements_missing"),
        ([one.model_copy(update={"status": "draft"}) for one in ENOUGH], "no_active_atom"),
    ],
)
def test_below_a_minimum_it_is_a_draft_and_says_which(atoms, code):
    answer = prd_of(*atoms)

    assert answer.snapshot.artifact_state == "draft"
    assert code in answer.reason_codes


def test_falling_below_the_minimum_moves_it_back_to_draft():
    play = Play().given(ENOUGH)
    play.ends()
    gone = [one.model_copy(update={"status": "obsolete", "revision": 2}) for one in (EXPORT, RETRY)]

    answer = play.given(gone).ends()

    assert (answer.state_before, answer.snapshot.artifact_state) == ("preview_stable", "draft")


def test_with_deep_run_and_gate_it_is_stable_until_a_high_contradiction_blocks_it():
    answer = prd_of(*ENOUGH)
    conflict = a_conflict(EXPORT, RETRY)
    sections = answer.snapshot.sections

    free = derive_prd_state(sections, Grounds(ENOUGH), "deep", gate_passed=True)
    blocked = derive_prd_state(sections, Grounds(ENOUGH, [conflict]), "deep", gate_passed=True)

    assert (free.state, free.blocked_by) == ("stable", ())
    assert (blocked.state, blocked.blocked_by) == ("preview_stable", (conflict.contradiction_id,))
    assert "blocking_contradiction" in blocked.reason_codes


@pytest.mark.parametrize("change", [{"severity": "medium"}, {"status": "resolved"}])
def test_a_contradiction_that_is_mild_or_closed_blocks_nothing(change):
    answer = prd_of(*ENOUGH, conflicts=[a_conflict(EXPORT, RETRY, **change)])

    assert answer.snapshot.blocked_by == []


def test_a_contradiction_that_turns_severe_moves_only_what_blocks():
    play = Play().given(ENOUGH, [a_conflict(EXPORT, RETRY, severity="medium")])
    first = play.ends()

    severe = a_conflict(EXPORT, RETRY, updated_seq=3)
    answer = play.given([], [severe]).ends()

    assert answer.outcome == "state_changed"
    assert answer.snapshot.blocked_by == [severe.contradiction_id]
    assert answer.snapshot.content_hash == first.snapshot.content_hash
    assert answer.snapshot.version == 1
