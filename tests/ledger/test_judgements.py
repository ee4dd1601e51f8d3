"""Doubtful pairs are asked about with a batch's last chunk; the batch waits for all answers."""

from __future__ import annotations

import random
from typing import Any

import pytest

from schemas.events.hitl import AtomDismissed
from schemas.events.ingestion import SourceChange
from schemas.events.judgement import JudgementRequested, PairJudged
from streams.ledger.judging import answer_by_rule
from streams.ledger.pairs.judged_pairs import MOST_PAIRS
from streams.stage import Record
from tests.ledger.story import Chunk, Run, Story, a_run, decided, facts_of, judged
from tests.ledger.test_decisions_atoms import about

DAWN = "The gate of the yard opens at dawn for every truck"
LATE = "The gate of the yard opens late for every truck"
NOON = "The gate of the yard opens at noon for every truck"
MODEL: dict[str, Any] = {"decided_by": "model", "provider": "openai", "model": "m-1"}
CONFLICT = MODEL | {"conflict": True, "severity": "high", "explanation": "Dawn is not late."}
NO_CONFLICT = MODEL | {"conflict": False, "severity": "low", "explanation": "Both hold."}
UNANSWERED: dict[str, Any] = {"reason": "unavailable"}


def a_judged_run(*titles: str, **fields: Any) -> Run:
    """A run with a model; each statement is in a chunk and a source of its own."""
    chunks = [
        Chunk(f"chk_{title}", [judged(title)], source_id=f"src_{title}", engine="model")
        for title in titles
    ]
    return a_run(*chunks, engine="model", **fields)


def answers_to(told: Story, **said: Any) -> list[Record]:
    """What the judge answers to the last question, each pair with the fields ``said``."""
    cause = told.asked[-1]
    found = []
    for event in answer_by_rule(cause, None):
        assert isinstance(event, PairJudged)
        fact = cause.caused(event.model_copy(update=said))
        found.append(Record(event.topic, 0, 0, b"", fact))
    return found


def pairs_in(told: Story) -> list[int]:
    """How many pairs each question held."""
    events = [it.event for it in told.asked]
    return [len(it.pairs) for it in events if isinstance(it, JudgementRequested)]


def committed(told: Story) -> list[str]:
    return [it.turn.kind for it in told.change_sets if it.turn and it.turn.last_in_batch]


def a_waiting_story(*titles: str) -> Story:
    return Story().given(a_judged_run(*titles or (DAWN, LATE, NOON)))


def test_the_batch_waits_for_all_answers_and_their_order_decides_nothing():
    quiet = a_waiting_story()
    assert pairs_in(quiet) == [3]
    assert committed(quiet) == []
    answers = answers_to(quiet, **CONFLICT)
    quiet.play(answers[:-1])
    assert committed(quiet) == []
    quiet.play(answers[-1:])
    assert committed(quiet) == ["pairs"]
    assert len(quiet.ops("contradiction_opened")) == 3
    other = a_waiting_story()
    other.play([*reversed(answers), *answers])
    assert other.bytes() == quiet.bytes()


@pytest.mark.parametrize("own_first", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_a_store_that_is_lost_at_any_time_is_folded_without_asking_again(seed, own_first):
    quiet = a_waiting_story()
    answers = answers_to(quiet, **CONFLICT)
    quiet.play(answers)
    chance, told = random.Random(seed), Story()
    for record in [*facts_of(a_judged_run(DAWN, LATE, NOON)), *answers]:
        if chance.random() < 0.5:
            told.refold(own_first)
        told.play([record])
    told.refold(own_first)
    told.decide()
    assert told.bytes() == quiet.bytes()
    assert told.asked == quiet.asked


def test_in_a_run_by_rules_and_in_a_preview_no_pair_is_nominated():
    by_rules = a_run(*a_judged_run(DAWN, LATE).batches[0].chunks)
    for run in (by_rules, a_judged_run(DAWN, LATE, lane="preview")):
        told = Story().given(run)
        assert not told.asked
        assert not told.ops("pair_nominated")
        assert committed(told) == ["chunk"]


def test_a_batch_asks_about_its_most_doubtful_pairs_only():
    told = a_waiting_story(*(f"{DAWN} of firm {n}" for n in range(9)), LATE, NOON)
    nominated = [float(it.detail) for it in told.ops("pair_nominated")]
    asked = [float(it.detail) for it in told.ops("judgement_asked")]
    assert pairs_in(told) == [len(asked)]
    assert len(asked) <= MOST_PAIRS < len(nominated) + len(asked)
    assert asked == sorted(asked, reverse=True)


@pytest.mark.parametrize(("said", "times"), [(NO_CONFLICT, 1), (UNANSWERED, 2)])
def test_a_pair_that_a_model_has_answered_about_is_not_asked_about_again(said, times):
    told = a_waiting_story(DAWN, LATE)
    told.play(answers_to(told, **said))
    gone = SourceChange(kind="removed", source_id=f"src_{LATE}")
    told.given(a_run(trigger="t2", removals=[gone]))
    back = SourceChange(kind="revised", source_id=f"src_{LATE}", new_hash="h1")
    told.given(a_judged_run(LATE, trigger="t3", changes=[back]))
    assert told.atom(LATE).status == "active"
    assert pairs_in(told) == [1] * times


def test_a_side_that_a_person_dismisses_meanwhile_contradicts_nothing():
    told = a_waiting_story(DAWN, LATE)
    told.play([decided(AtomDismissed(**about(told.atom(LATE))))])
    told.play(answers_to(told, **CONFLICT))
    (noted,) = told.ops("pair_judged")
    assert noted.reason == "side_gone"
    assert not told.view.contradictions


def test_a_contradiction_of_a_model_is_no_graver_than_its_sides_are_sure():
    chunks = [
        Chunk(f"chk_{n}", [judged(title, confidence=0.65)], source_id=f"src_{n}", engine="model")
        for n, title in enumerate((DAWN, LATE))
    ]
    told = Story().given(a_run(*chunks, engine="model"))
    told.play(answers_to(told, **CONFLICT))
    (found,) = told.view.contradictions.values()
    assert (found.severity, found.detected_by) == ("medium", "model")
    assert found.explanation.startswith("Dawn is not late. (judged by openai/m-1)")
