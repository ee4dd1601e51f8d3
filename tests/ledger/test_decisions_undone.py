"""A decision is taken back by one that names it, unless something was decided since."""

from __future__ import annotations

from collections.abc import Callable
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
from tests.ledger.story import Chunk, Story, a_run, judged, story
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
    assert told.decision(unread).refusal == "decided_since"


def escalate(told: Story) -> HumanDecision:
    (open_one,) = [it for it in told.view.contradictions.values() if it.status == "open"]
    handed_on = ContradictionDecided(
        contradiction_id=open_one.contradiction_id,
        decision="escalate",
        escalated_to="ben",
        expected_revision=open_one.revision,
        actor_role="pm",
    )
    return told.decision(handed_on)


def verify_winner(told: Story) -> HumanDecision:
    (winner,) = [atom for atom in told.view.live_atoms(PROJECT) if atom.title == JWT]
    return told.decision(AtomVerified(**about(winner)))


@pytest.mark.parametrize("decide", [escalate, verify_winner])
def test_a_merge_stays_when_its_atom_or_a_contradiction_of_it_was_decided_about_since(
    decide: Callable[[Story], HumanDecision],
):
    body = "Auth uses JWT tokens, since each service must check a caller without asking another one"
    bodies = (body + " over the network", body + " in a remote place")
    chunks = [
        Chunk(f"c{number}", [judged(JWT, each)], source_id=f"src_{number}")
        for number, each in enumerate(bodies)
    ]
    told = story(a_run(*chunks, Chunk("c2", [judged(COOKIES)], source_id="src_2")))
    undone = reviewed(told, "approve")
    later = decide(told)
    assert not (undone.refusal or later.refusal)
    ledger = sorted(told.view.atoms.items()), sorted(told.view.contradictions.items())

    (loser,) = [atom for atom in told.view.atoms.values() if atom.status == "merged"]
    refused = told.decision(MergeUndone(**about(loser, undoes=undone.hitl_event_id)))

    assert refused.refusal == "decided_since"
    shown = {each.atom_id: each.resolution for each in refused.before.atoms}
    named = {it.hitl_event_id for it in (*shown.values(), *refused.before.contradictions) if it}
    assert shown.keys() >= {loser.atom_id} and named == {
        undone.hitl_event_id,
        later.hitl_event_id,
    }
    assert ledger == (sorted(told.view.atoms.items()), sorted(told.view.contradictions.items()))
    assert not told.decision(MergeUndone(**about(loser))).refusal


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


def test_the_confidence_is_as_before_the_verification_that_is_taken_back():
    told = told_of_atom(confidence=0.6)
    first = told.decision(AtomVerified(**about(told.atom(TITLE), floor=0.8)))
    second = told.decision(AtomVerified(**about(told.atom(TITLE), floor=0.9)))
    told.refold()
    again = AtomVerified(**about(told.atom(TITLE), floor=0.8, undoes=second.hitl_event_id))
    undone = told.decision(again)
    assert not (first.refusal or undone.refusal)
    assert told.atom(TITLE).confidence == 0.8

    told = told_of_atom(confidence=0.6)
    pinned = told.decision(AtomVerified(**about(told.atom(TITLE))))
    told.given(a_run(Chunk("c2", [judged(TITLE, confidence=0.5)], source_id="src_b"), trigger="t2"))
    told.refold(own_first=False)
    back = AtomUnverified(**about(told.atom(TITLE), undoes=pinned.hitl_event_id))
    assert not told.decision(back).refusal
    unpinned = told_of_atom(confidence=0.6)
    unpinned.given(
        a_run(Chunk("c2", [judged(TITLE, confidence=0.5)], source_id="src_b"), trigger="t2")
    )
    assert told.atom(TITLE).confidence == unpinned.atom(TITLE).confidence == 0.8


def test_what_was_active_before_it_was_verified_again_stays_active():
    told = told_of_atom(kind="requirement", confidence=0.6, status="draft")
    told.decision(AtomVerified(**about(told.atom(TITLE))))
    told.decision(AtomUnverified(**about(told.atom(TITLE))))
    pinned = told.decision(AtomVerified(**about(told.atom(TITLE))))
    back = AtomUnverified(**about(told.atom(TITLE), undoes=pinned.hitl_event_id))
    assert not told.decision(back).refusal
    assert told.atom(TITLE).status == "active"
