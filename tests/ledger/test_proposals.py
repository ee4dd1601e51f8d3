"""What members propose waits for owner and pm, who accept or decline it."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.hitl import (
    AtomDismissed,
    AtomVerified,
    ContradictionDecided,
    MergeDecided,
    MergeUndone,
    PersonDecided,
    ProposalDecided,
)
from schemas.events.ledger import HumanDecision
from tests.ledger.story import Story
from tests.ledger.test_contradictions import COOKIES, JWT, disputed, only
from tests.ledger.test_decisions_atoms import TITLE, about
from tests.ledger.test_decisions_atoms import told_of as with_one_atom
from tests.ledger.test_decisions_merges import pair_of
from tests.ledger.test_merging import HALF_ALIKE, LONG
from tests.ledger.test_merging import told_of as with_a_pair

WHY = "the contract of spring says otherwise"


def proposed(told: Story, kind: type[PersonDecided], **fields: Any) -> HumanDecision:
    shared = {"actor_role": "member", "rationale": WHY} | fields
    return told.decision(kind.model_validate(shared), by="mia")


def dismissal(told: Story, **fields: Any) -> HumanDecision:
    atom = told.atom(TITLE)
    fields = {"atom_id": atom.atom_id, "expected_revision": atom.revision} | fields
    return proposed(told, AtomDismissed, **fields)


def answered(told: Story, proposal: HumanDecision, decision: str, **fields: Any) -> HumanDecision:
    shared = {
        "proposal_id": proposal.hitl_event_id,
        "decision": decision,
        "expected_revision": proposal.expected_revision,
        "actor_role": "pm",
    }
    return told.decision(ProposalDecided.model_validate(shared | fields), by="ana")


def withdrawn(told: Story, proposal: HumanDecision, by: str, **fields: Any) -> HumanDecision:
    shared = {
        "proposal_id": proposal.hitl_event_id,
        "decision": "withdraw",
        "expected_revision": proposal.expected_revision,
        "actor_role": "member",
    }
    return told.decision(ProposalDecided.model_validate(shared | fields), by=by)


def test_a_proposal_changes_nothing_until_it_is_accepted_under_both_names():
    told = with_one_atom()
    before = told.atom(TITLE)
    proposal = dismissal(told)
    assert (proposal.outcome, proposal.refusal, proposal.rationale) == ("proposed", "", WHY)
    assert told.atom(TITLE) == before
    assert told.change_sets[-1].atoms == []
    assert [change.op for change in told.change_sets[-1].changes] == ["hitl_proposed"]
    made = answered(told, proposal, "accept")
    assert (made.outcome, made.action) == ("applied", "atom_dismissal")
    assert (made.actor_id, made.proposed_by) == ("ana", "mia")
    assert (made.proposal_id, made.rationale) == (proposal.hitl_event_id, WHY)
    assert told.atom(TITLE).status == "dismissed"
    resolution = told.atom(TITLE).resolution
    assert resolution and resolution.hitl_event_id == made.hitl_event_id


def test_who_accepts_may_give_a_reason_of_their_own():
    told = with_one_atom()
    made = answered(told, dismissal(told), "accept", rationale="seen with the customer")
    assert made.rationale == "seen with the customer"


def test_a_declined_proposal_needs_a_reason_and_waits_no_more():
    told = with_one_atom()
    proposal = dismissal(told)
    assert answered(told, proposal, "decline").refusal == "rationale_missing"
    no = answered(told, proposal, "decline", rationale="the contract was renewed")
    assert (no.outcome, no.proposed_by, no.target_id) == ("declined", "mia", proposal.target_id)
    assert told.atom(TITLE).status != "dismissed"
    assert answered(told, proposal, "accept").refusal == "not_waiting"


def test_what_has_changed_since_it_was_proposed_is_refused_and_still_waits():
    told = with_one_atom()
    proposal = dismissal(told)
    told.decision(AtomVerified(**about(told.atom(TITLE))))
    late = answered(told, proposal, "accept")
    assert (late.outcome, late.refusal) == ("refused", "stale_revision")
    assert late.before.atoms == [told.atom(TITLE)]
    seen = told.atom(TITLE).revision
    assert answered(told, proposal, "accept", expected_revision=seen).outcome == "applied"


def test_a_proposal_that_could_not_be_carried_out_is_refused_at_once():
    told = with_one_atom()
    assert dismissal(told, rationale="").refusal == "rationale_missing"
    assert dismissal(told, expected_revision=9).refusal == "stale_revision"
    assert dismissal(told, atom_id="atm_nobody").refusal == "unknown_target"


def test_the_same_person_proposes_the_same_once_and_somebody_else_may_as_well():
    told = with_one_atom()
    dismissal(told)
    assert dismissal(told, rationale="said in other words").refusal == "already_proposed"
    atom = told.atom(TITLE)
    event = AtomDismissed(**about(atom, actor_role="member"))
    assert told.decision(event, by="leo").outcome == "proposed"


def test_a_member_accepts_and_declines_nothing():
    told = with_one_atom()
    proposal = dismissal(told)
    for decision in ("accept", "decline"):
        answer = answered(told, proposal, decision, actor_role="member", rationale="my own")
        assert answer.refusal == "role_may_only_propose"
    assert answered(told, proposal, "accept").outcome == "applied"


@pytest.mark.parametrize("role", ["member", "pm"])
def test_who_has_proposed_withdraws_it_in_whatever_role_they_have_now(role: str):
    told = with_one_atom()
    proposal = dismissal(told)
    back = withdrawn(told, proposal, by="mia", actor_role=role)
    assert (back.outcome, back.refusal, back.proposed_by) == ("withdrawn", "", "mia")
    assert (back.proposal_id, back.target_id) == (proposal.hitl_event_id, proposal.target_id)
    assert [change.op for change in told.change_sets[-1].changes] == ["hitl_withdrawn"]
    assert told.change_sets[-1].atoms == []
    again = withdrawn(told, proposal, by="mia", rationale="once more")
    assert again.refusal == "not_waiting"
    assert answered(told, proposal, "accept").refusal == "not_waiting"
    assert dismissal(told, rationale="it is back").outcome == "proposed"


@pytest.mark.parametrize(("by", "role"), [("leo", "member"), ("ana", "pm"), ("ole", "owner")])
def test_what_somebody_else_has_proposed_is_not_withdrawn(by: str, role: str):
    told = with_one_atom()
    proposal = dismissal(told)
    assert withdrawn(told, proposal, by=by, actor_role=role).refusal == "not_own_proposal"
    assert answered(told, proposal, "accept").outcome == "applied"
    late = withdrawn(told, proposal, by="mia", rationale="too late")
    assert late.refusal == "not_waiting"


def test_what_is_no_proposal_is_not_waiting():
    told = with_one_atom()
    made = told.decision(AtomVerified(**about(told.atom(TITLE))))
    for known in (made.hitl_event_id, "hitl_nobody"):
        unknown = made.model_copy(update={"hitl_event_id": known})
        answer = answered(told, unknown, "accept")
        assert (answer.refusal, answer.target_type) == ("not_waiting", "proposal")


@pytest.mark.parametrize("resolution", ["a_wins", "b_wins", "both_valid", "reworded"])
def test_a_proposed_resolution_is_made_as_it_was_proposed(resolution):
    told = disputed(JWT, COOKIES)
    proposal = proposed(
        told,
        ContradictionDecided,
        contradiction_id=only(told).contradiction_id,
        decision="resolve",
        resolution_kind=resolution,
        expected_revision=only(told).revision,
    )
    assert only(told).status == "open"
    made = answered(told, proposal, "accept")
    assert (made.decision, only(told).resolution_kind) == (resolution, resolution)


def test_a_proposed_escalation_names_whom():
    told = disputed(JWT, COOKIES)
    proposal = proposed(
        told,
        ContradictionDecided,
        contradiction_id=only(told).contradiction_id,
        decision="escalate",
        escalated_to="the architects",
        expected_revision=only(told).revision,
    )
    answered(told, proposal, "accept")
    assert (only(told).status, only(told).escalated_to) == ("escalated", "the architects")


def test_a_proposed_floor_is_kept():
    told = with_one_atom()
    atom = told.atom(TITLE)
    seen = {"atom_id": atom.atom_id, "expected_revision": atom.revision}
    answered(told, proposed(told, AtomVerified, floor=0.97, **seen), "accept")
    assert told.atom(TITLE).confidence_floor == 0.97


def test_a_merge_and_its_undoing_are_proposed_one_after_the_other():
    told = with_a_pair(LONG, HALF_ALIKE)
    pair = pair_of(told)
    seen = {"merge_candidate_id": pair.merge_candidate_id, "expected_revision": pair.revision}
    merged = answered(told, proposed(told, MergeDecided, decision="approve", **seen), "accept")
    (loser,) = [atom for atom in told.view.atoms.values() if atom.status == "merged"]
    back = proposed(
        told,
        MergeUndone,
        atom_id=loser.atom_id,
        expected_revision=loser.revision,
        undoes=merged.hitl_event_id,
    )
    assert (back.outcome, back.undoes) == ("proposed", merged.hitl_event_id)
    assert told.view.atoms[f"prj_test|{loser.atom_id}"].status == "merged"
    assert answered(told, back, "accept").outcome == "applied"
    assert pair_of(told).state == "open"


def test_proposals_are_there_again_when_the_store_is_lost():
    told = with_one_atom()
    proposal = dismissal(told)
    told.refold()
    assert answered(told, proposal, "accept").outcome == "applied"
    told.refold(own_first=False)
    assert answered(told, proposal, "decline", rationale="not now").refusal == "not_waiting"


def test_a_withdrawn_proposal_stays_so_when_the_store_is_lost():
    told = with_one_atom()
    proposal = dismissal(told)
    withdrawn(told, proposal, by="mia")
    told.refold(own_first=False)
    assert answered(told, proposal, "accept").refusal == "not_waiting"
