"""Proposals and decisions as people read them: in words, waiting or answered, undoable or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from projections.checkpoint import Record
from projections.read.changes import read_changes
from projections.read.decided import DecisionAnswer
from projections.read.decision_list import list_decisions
from projections.read.proposals import list_proposals
from projections.read.waiting import count_waiting, list_waiting
from schemas.envelope import Actor, Envelope, outside_fact
from schemas.events.hitl import (
    AtomDismissed,
    AtomReincluded,
    AtomVerified,
    ContradictionDecided,
    PersonDecided,
    ProposalDecided,
)
from schemas.ids import hitl_event_id
from streams.memory import Driver
from streams.pipeline import pipeline
from tests.parcel import contents
from tests.projections.conftest import ReadModel
from tests.projections.log import records_in
from tests.whole.test_decisions import view_of
from tests.whole.test_faults import read
from tests.worlds import AT, PROJECT, ingestion

WHY = "the security review chose it"


class Told:
    """A project whose people decide one after the other."""

    def __init__(self) -> None:
        self.driver = Driver(pipeline(read), partitions=1)
        self.driver.publish(ingestion(contents(), key="k1"))
        self.driver.run()
        (self.dispute,) = view_of(self.driver).contradictions.values()
        self.titles = {it.atom_id: it.title for it in view_of(self.driver).atoms.values()}

    def say(self, by: str, kind: type[PersonDecided], **fields: Any) -> str:
        """The id of the decision."""
        role = "member" if by == "mia" else "pm"
        shared = {"actor_role": role, "rationale": WHY, "expected_revision": 0} | fields
        if "atom_id" in shared and not shared["expected_revision"]:
            atom = view_of(self.driver).atoms[f"{PROJECT}|{shared['atom_id']}"]
            shared["expected_revision"] = atom.revision
        fact: Envelope = outside_fact(
            kind.model_validate(shared),
            project_id=PROJECT,
            occurred_at=AT,
            actor=Actor(type="human", id=by),
            natural_key=f"{by}|{kind.__name__}|{shared}",
        )
        self.driver.publish([fact])
        self.driver.run()
        return hitl_event_id(PROJECT, str(fact.event_id))


@pytest.fixture(scope="module")
def told() -> tuple[Told, list[str], Sequence[Record]]:
    """Mia proposes a resolution and two dismissals; Ana accepts the first, declines one."""
    it = Told()
    sides = {it.dispute.atom_a_id, it.dispute.atom_b_id}
    first, second = sorted(each for each in it.titles if each not in sides)[:2]
    resolve = {
        "contradiction_id": it.dispute.contradiction_id,
        "decision": "resolve",
        "resolution_kind": "a_wins",
        "expected_revision": it.dispute.revision,
    }
    resolution = it.say("mia", ContradictionDecided, **resolve)
    dismissal = it.say("mia", AtomDismissed, atom_id=first)
    waiting = it.say("mia", AtomDismissed, atom_id=second)
    answered = {"proposal_id": resolution, "expected_revision": it.dispute.revision}
    accepted = it.say("ana", ProposalDecided, decision="accept", rationale="", **{**answered})
    declined = it.say("ana", ProposalDecided, proposal_id=dismissal, decision="decline")
    verified = it.say("ana", AtomVerified, atom_id=second)
    dropped = it.say("ana", AtomDismissed, atom_id=first)
    back = it.say("ana", AtomReincluded, atom_id=first, undoes=dropped)
    ids = [resolution, dismissal, waiting, accepted, declined, verified, dropped, back]
    return it, ids, records_in(it.driver)


def listed(model: ReadModel) -> dict[str, DecisionAnswer]:
    return {it.hitl_event_id: it for it in list_decisions(model.connection, PROJECT).items}


def test_each_decision_is_said_in_a_sentence(model: ReadModel, told: Any):
    it, (resolution, dismissal, waiting, accepted, declined, *_), records = told
    found = listed(model.fold(records))
    a, b = (it.titles[each] for each in (it.dispute.atom_a_id, it.dispute.atom_b_id))
    because = f"because “{WHY}”."
    assert found[resolution].summary == (
        f"mia proposes to decide that “{a}” is right and “{b}” is not {because}"
    )
    assert found[accepted].summary == (
        f"ana decided that “{a}” is right and “{b}” is not, as mia proposed, {because}"
    )
    title = it.titles[found[dismissal].target_id]
    assert found[declined].summary == (
        f"ana declined what mia proposed, to dismiss “{title}”, {because}"
    )
    seen = read_changes(model.connection, PROJECT, 0, 2_000).decided
    assert {each.summary for each in seen} == {each.summary for each in found.values()}


def test_a_decision_can_be_taken_back_while_nothing_stands_on_it(model: ReadModel, told: Any):
    _, (resolution, _, _, accepted, declined, verified, dropped, back), records = told
    found = listed(model.fold(records))
    undoable = {each.hitl_event_id for each in found.values() if each.undoable}
    assert undoable == {accepted, verified, back}
    assert found[resolution].undo_refusal == "it changed nothing"
    assert found[declined].undo_refusal == "it changed nothing"
    assert "taken back" in found[dropped].undo_refusal
    assert "ana included" in found[dropped].undo_refusal


def test_a_withdrawn_proposal_waits_for_nobody(model: ReadModel):
    it = Told()
    sides = {it.dispute.atom_a_id, it.dispute.atom_b_id}
    atom_id = min(each for each in it.titles if each not in sides)
    proposal = it.say("mia", AtomDismissed, atom_id=atom_id)
    kept = {"proposal_id": proposal, "decision": "withdraw"}
    refused = it.say("leo", ProposalDecided, **kept)
    back = it.say("mia", ProposalDecided, rationale="", **kept)
    connection = model.fold(records_in(it.driver)).connection
    (found,) = list_proposals(connection, PROJECT, state="withdrawn").items
    assert (found.proposal_id, found.answer_id, found.answered_by) == (proposal, back, "mia")
    assert list_proposals(connection, PROJECT, state="waiting").items == []
    assert "proposal" not in {each.kind for each in list_waiting(connection, PROJECT).items}
    title = it.titles[atom_id]
    told = listed(model)
    assert told[back].summary == f"mia withdrew the proposal to dismiss “{title}”."
    assert "only who has proposed it withdraws it" in told[refused].summary
    assert not told[back].undoable
    without: dict[str, Any] = {"before_state": {}, "after_state": None}
    slim = list_decisions(model.connection, PROJECT, is_slim=True).items
    assert slim == [it.model_copy(update=without) for it in told.values()]
    last = max(it.ledger_seq for it in slim)
    since = list_decisions(model.connection, PROJECT, updated_since=last - 1).items
    assert [it.hitl_event_id for it in since] == [back]


def test_proposals_wait_with_everything_else_until_they_are_answered(model: ReadModel, told: Any):
    _, (resolution, dismissal, waiting, accepted, declined, *_), records = told
    connection = model.fold(records).connection
    found = {it.proposal_id: it for it in list_proposals(connection, PROJECT).items}
    assert {key: it.state for key, it in found.items()} == {
        resolution: "accepted",
        dismissal: "declined",
        waiting: "waiting",
    }
    assert (found[resolution].answer_id, found[dismissal].answer_id) == (accepted, declined)
    assert (found[dismissal].answered_by, found[dismissal].answer_rationale) == ("ana", WHY)
    assert found[waiting].changed and not found[resolution].changed
    (open_one,) = list_proposals(connection, PROJECT, state="waiting").items
    (queued,) = [it for it in list_waiting(connection, PROJECT).items if it.kind == "proposal"]
    assert (queued.target_id, queued.detail) == (open_one.proposal_id, open_one.summary)
    assert count_waiting(connection, PROJECT)["proposal"] == 1
