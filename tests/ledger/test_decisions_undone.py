"""A decision is taken back by one that names it, unless something was decided since."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.hitl import (
    AtomDismissed,
    AtomReincluded,
    AtomUnverified,
    AtomVerified,
    ContradictionDecided,
    MergeDecided,
    MergeUndone,
)
from schemas.events.ledger import HumanDecision
from tests.ledger.story import Story
from tests.ledger.test_contradictions import COOKIES, JWT, disputed, only
from tests.ledger.test_decisions_atoms import TITLE, about
from tests.ledger.test_decisions_atoms import told_of as told_of_atom
from tests.ledger.test_decisions_contradictions import answered, side
from tests.ledger.test_decisions_merges import pair_of, reviewed
from tests.ledger.test_merging import HALF_ALIKE, LONG, told_of

PROJECT = "prj_test"


def reopened(told: Story, undone: HumanDecision) -> HumanDecision:
    return told.decision(
        ContradictionDecided(
            contradiction_id=undone.target_id,
            decision="reopen",
            expected_revision=only(told).revision,
            actor_role="pm",
            undoes=undone.hitl_event_id,
        )
    )


@pytest.mark.parametrize(
    ("decision", "fields"),
    [
        ("resolve", {"resolution_kind": "a_wins"}),
        ("resolve", {"resolution_kind": "both_valid"}),
        ("dismiss", {}),
        ("escalate", {"escalated_to": "ben"}),
    ],
)
def test_a_contradiction_is_as_before_the_decision(decision: str, fields: dict[str, Any]):
    told = disputed(JWT, COOKIES)
    before = only(told)
    statuses = [told.atom(title).status for title in (JWT, COOKIES)]
    undone = answered(told, decision, **fields)
    assert not undone.refusal

    assert not reopened(told, undone).refusal

    same = {"revision": before.revision + 2, "updated_seq": only(told).updated_seq}
    assert only(told) == before.model_copy(update=same)
    assert [told.atom(title).status for title in (JWT, COOKIES)] == statuses
    active = {link.link_type for link in told.view.links.values() if link.active}
    assert "contradicts" in active and "supersedes" not in active
    assert reopened(told, undone).refusal == "decided_since"


def test_what_was_handed_on_before_it_was_resolved_is_handed_on_again():
    told = disputed(JWT, COOKIES)
    answered(told, "escalate", escalated_to="ben")
    assert not reopened(told, answered(told, resolution_kind="both_valid")).refusal
    assert (only(told).status, only(told).escalated_to) == ("escalated", "ben")


def test_a_resolution_stays_when_its_winner_was_decided_about_since():
    told = disputed(JWT, COOKIES)
    undone = answered(told, resolution_kind=side(told, JWT))
    told.decision(AtomVerified(**about(told.atom(JWT))))
    assert reopened(told, undone).refusal == "decided_since"
    assert only(told).status == "resolved"


def test_a_pair_is_in_review_again_after_either_answer():
    told = told_of(LONG, HALF_ALIKE)
    undone = reviewed(told, "reject")
    assert not reviewed(told, "reopen", undoes=undone.hitl_event_id).refusal
    assert (pair_of(told).state, pair_of(told).decided_by) == ("open", None)
    undone = reviewed(told, "approve")
    (loser,) = [atom for atom in told.view.atoms.values() if atom.status == "merged"]
    back = told.decision(MergeUndone(**about(loser, undoes=undone.hitl_event_id)))
    assert not back.refusal
    assert (pair_of(told).state, len(list(told.view.live_atoms(PROJECT)))) == ("open", 2)
    assert reviewed(told, "reopen", undoes=undone.hitl_event_id).refusal == "decided_since"
    assert reviewed(told, "reopen").refusal == "not_decided"
    unread = MergeDecided(
        merge_candidate_id=pair_of(told).merge_candidate_id,
        decision="reject",
        expected_revision=pair_of(told).revision,
        actor_role="member",
        undoes=undone.hitl_event_id,
    )
    assert told.decision(unread).refusal == "role_may_only_propose"


def test_a_decision_about_an_atom_is_taken_back_while_it_is_the_last():
    told = disputed(JWT, COOKIES)
    pinned = told.decision(AtomVerified(**about(told.atom(JWT))))
    gone = told.decision(AtomDismissed(**about(told.atom(JWT))))
    late = AtomUnverified(**about(told.atom(JWT), undoes=pinned.hitl_event_id))
    assert told.decision(late).refusal == "decided_since"
    back = AtomReincluded(**about(told.atom(JWT), undoes=gone.hitl_event_id))
    assert not told.decision(back).refusal
    assert (told.atom(JWT).status, told.atom(JWT).verified_by) == ("active", "ana")
    assert told.change_sets[-1].changes[-1].detail == f"undoes {gone.hitl_event_id}"


def test_a_draft_is_one_again_when_its_verification_is_taken_back():
    told = told_of_atom(kind="requirement", confidence=0.6, status="draft")
    pinned = told.decision(AtomVerified(**about(told.atom(TITLE))))
    back = AtomUnverified(**about(told.atom(TITLE), undoes=pinned.hitl_event_id))
    assert not told.decision(back).refusal
    assert (told.atom(TITLE).status, told.atom(TITLE).verified_by) == ("draft", None)


def test_what_was_active_before_it_was_verified_again_stays_active():
    told = told_of_atom(kind="requirement", confidence=0.6, status="draft")
    told.decision(AtomVerified(**about(told.atom(TITLE))))
    told.decision(AtomUnverified(**about(told.atom(TITLE))))
    pinned = told.decision(AtomVerified(**about(told.atom(TITLE))))
    back = AtomUnverified(**about(told.atom(TITLE), undoes=pinned.hitl_event_id))
    assert not told.decision(back).refusal
    assert told.atom(TITLE).status == "active"
