"""What the writer cannot decide or write changes nothing, and what comes behind it goes on."""

from __future__ import annotations

import pytest

from schemas.envelope import Event
from schemas.events.artifact import ArtifactChanged
from schemas.events.artifact_sections import ReviewFinding, Statement
from schemas.events.change import ChangeRequested
from schemas.events.team import MemberAdded
from streams.reduce.texts.inputs import SectionInput
from streams.reduce.texts.wording import write_section
from streams.reduce.writer import REDUCE, Reduce
from streams.stage import Decision
from tests.reduce.ledgers import Play, a_request, a_requirement, as_record, texts
from tests.troubles import a_trouble

BROKEN = "The exporter must break the writer"
TROUBLE = a_trouble("reduce")
GOOD = "The exporter must keep its files for ten years"


def write(artifact_id: str, given: SectionInput, found: list[ReviewFinding]) -> list[Statement]:
    if any(atom.title == BROKEN for pick in given.picks for atom in pick.atoms):
        raise ValueError("no words for that")
    return write_section(artifact_id, given, found)


def written(play: Play, decision: Decision | None) -> ArtifactChanged:
    assert decision
    record = as_record("reduce.v1", len(play.written), decision.commit_record)
    play.written.append(record)
    play.writer.evolve(play.state, record)
    return play.answers()[-1]


def test_a_position_that_cannot_be_decided_is_passed_over_and_the_next_is_written():
    play = Play(Reduce(write))
    broken = a_requirement(BROKEN)
    play.given([broken], commits=False)
    play.end_run()

    passed = written(play, play.writer.give_up(play.state, TROUBLE, whole=False))

    assert (passed.outcome, passed.reason, passed.items) == ("unchanged", "undecidable", [])
    gone = broken.model_copy(update={"status": "obsolete", "revision": 2})
    play.given([gone, a_requirement(GOOD)], commits=False)
    answer = play.ends()
    assert (answer.outcome, answer.artifact_seq, answer.snapshot.version) == ("published", 2, 1)
    assert any(GOOD in text for text in texts(answer, "functional_requirements"))
    with pytest.raises(LookupError):
        play.writer.give_up(play.state, TROUBLE, whole=True)


def test_a_request_too_large_to_answer_is_refused_and_the_next_is_answered():
    play = Play()
    play.given([a_requirement(GOOD)], commits=False)
    prd = play.ends().snapshot
    edit = ChangeRequested(
        artifact_id=prd.artifact_id, sections=[], expected_version=1, editor="ana"
    )
    asked: list[Event] = [edit, *(MemberAdded(member_id=it, name=it) for it in "ab")]
    play.asked = [a_request(event, number) for number, event in enumerate(asked)]
    for record in play.asked:
        play.writer.evolve(play.state, record)

    answers = []
    for _ in "12":
        due = play.writer.decide(play.state)
        assert due
        answers.append(written(play, REDUCE.give_up(play.state, TROUBLE, whole=True)))
    play.decide()

    refused, passed = answers
    assert refused.edit and refused.edit.refusal == "undecidable" and refused.snapshot == prd
    assert (passed.reason, passed.items) == ("undecidable", [])
    team = play.answers()[-1].team
    assert team and [one.member_id for one in team.members] == ["a", "b"]
