"""A person answers a contradiction; a run opens it again only with evidence from a new source."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.hitl import AtomDismissed, AtomReincluded, ContradictionDecided
from schemas.events.ingestion import Reanchored, SourceChange
from schemas.events.ledger import HumanDecision
from tests.ledger.story import Chunk, Story, a_run, judged
from tests.ledger.test_contradictions import COOKIES, JWT, disputed, only
from tests.ledger.test_decisions_atoms import about

REASON = "decided in the security review"


def answered(told: Story, decision: str = "resolve", **fields) -> HumanDecision:
    record = only(told)
    content: dict[str, Any] = {
        "expected_revision": record.revision,
        "actor_role": "owner",
        "rationale": REASON,
    }
    event = ContradictionDecided(
        contradiction_id=record.contradiction_id,
        decision=decision,  # type: ignore[arg-type]
        **(content | fields),
    )
    return told.decision(event)


def side(told: Story, title: str) -> str:
    """The kind of resolution by which the atom of that title wins."""
    return "a_wins" if only(told).atom_a_id == told.atom(title).atom_id else "b_wins"


def won(title: str) -> Story:
    told = disputed(JWT, COOKIES)
    assert not answered(told, resolution_kind=side(told, title)).refusal
    return told


def found_again(told: Story, title: str, source_id: str, **fields) -> None:
    chunk = Chunk(f"c_{source_id}", [judged(title, confidence=0.7)], source_id=source_id, **fields)
    told.given(a_run(chunk, trigger=f"again_{len(told.log)}"))


@pytest.mark.parametrize(("winner", "loser"), [(JWT, COOKIES), (COOKIES, JWT)])
def test_the_side_a_person_chose_stays_and_the_other_is_superseded(winner, loser):
    told = won(winner)
    assert (told.atom(winner).status, told.atom(loser).status) == ("active", "superseded")
    assert told.atom(loser).superseded_by == told.atom(winner).atom_id
    record = only(told)
    assert (record.status, record.rationale, record.decided_by) == ("resolved", REASON, "ana")
    assert record.resolution_kind == side(told, winner)
    links = {link.link_type: link for link in told.view.links.values()}
    assert (links["contradicts"].active, links["supersedes"].active) == (False, True)
    assert links["supersedes"].created_by == "human"


@pytest.mark.parametrize("kind", ["both_valid", "reworded"])
def test_both_sides_stay_when_a_person_says_that_both_hold(kind):
    told = disputed(JWT, COOKIES)
    answer = answered(told, resolution_kind=kind)
    assert (answer.action, answer.decision) == ("contradiction_resolution", kind)
    assert only(told).status == "resolved"
    for title in (JWT, COOKIES):
        atom = told.atom(title)
        assert atom.status == "active"
        assert atom.resolution and atom.resolution.action == f"contradiction_resolution:{kind}"


def test_a_dismissed_contradiction_is_closed_without_a_rationale():
    told = disputed(JWT, COOKIES)
    answered(told, "dismiss", rationale="")
    assert only(told).status == "dismissed"
    assert not [link for link in told.view.links.values() if link.active]


def test_an_escalated_contradiction_still_stands_and_can_be_resolved():
    told = disputed(JWT, COOKIES)
    answered(told, "escalate", escalated_to="the architects")
    assert (only(told).status, only(told).escalated_to) == ("escalated", "the architects")
    (link,) = [link for link in told.view.links.values() if link.link_type == "contradicts"]
    assert link.active
    answered(told, resolution_kind="both_valid")
    assert only(told).status == "resolved"


REFUSALS: dict[str, dict[str, Any]] = {
    "rationale_too_short": {"resolution_kind": "a_wins", "rationale": "because"},
    "resolution_kind_missing": {},
    "stale_revision": {"resolution_kind": "a_wins", "expected_revision": 9},
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_what_cannot_be_decided_leaves_the_contradiction_open(reason):
    told = disputed(JWT, COOKIES)
    before = only(told)
    answer = answered(told, **REFUSALS[reason])
    assert answer.refusal == reason
    assert only(told) == before
    assert answer.before.contradictions == [before]


def test_of_two_people_who_saw_the_same_the_second_is_refused_with_what_is_now():
    told = disputed(JWT, COOKIES)
    seen = only(told).revision
    answered(told, resolution_kind="both_valid")
    late = answered(told, resolution_kind="a_wins", expected_revision=seen)
    assert late.refusal == "stale_revision"
    (now,) = late.before.contradictions
    assert (now.status, now.decided_by) == ("resolved", "ana")
    assert answered(told, "dismiss").refusal == "not_open"


def test_the_answer_holds_every_record_as_it_stood():
    told = disputed(JWT, COOKIES)
    before = dict(told.view.atoms), only(told), dict(told.view.links)
    answer = answered(told, resolution_kind=side(told, JWT))
    atoms, record, links = before
    assert {atom.atom_id for atom in answer.before.atoms} == {a.atom_id for a in atoms.values()}
    assert all(atom in atoms.values() for atom in answer.before.atoms)
    assert answer.before.contradictions == [record]
    assert answer.before.links == list(links.values())
    changed = told.change_sets[-1]
    assert {link.link_type for link in changed.links} == {"contradicts", "supersedes"}
    assert changed.contradictions == [only(told)]


def test_the_loser_found_again_in_its_own_source_stays_superseded():
    told = won(JWT)
    found_again(told, COOKIES, "src_b")
    revised = SourceChange(kind="revised", source_id="src_b", old_hash="h1", new_hash="h2")
    chunk = Chunk("c5", [judged(COOKIES)], source_id="src_b", sanitized_hash="h2")
    told.given(a_run(chunk, changes=[revised], trigger="t5"))
    assert told.atom(COOKIES).status == "superseded"
    assert told.atom(COOKIES).evidence_count >= 2
    assert (only(told).status, only(told).reopened) == ("resolved", False)


def test_the_loser_found_in_a_new_source_comes_back_and_the_contradiction_is_open_again():
    told = won(JWT)
    found_again(told, COOKIES, "src_new")
    assert told.atom(COOKIES).status == "active"
    record = only(told)
    assert (record.status, record.reopened, record.decided_by) == ("open", True, None)


@pytest.mark.parametrize("decision", ["resolve", "dismiss"])
def test_an_answered_pair_is_opened_again_by_a_new_source_and_by_no_other(decision):
    told = disputed(JWT, COOKIES)
    kind = {"resolution_kind": "both_valid"} if decision == "resolve" else {}
    answered(told, decision, **kind)
    closed = only(told).status
    found_again(told, JWT, "src_a")
    assert only(told).status == closed
    found_again(told, JWT, "src_new")
    assert (only(told).status, only(told).reopened) == ("open", True)


def test_an_answered_pair_stays_answered_when_a_side_went_and_was_found_again_in_its_source():
    told = disputed(JWT, COOKIES)
    answered(told, resolution_kind="both_valid")
    gone = SourceChange(kind="removed", source_id="src_b", old_hash="h1")
    told.given(a_run(trigger="t2", removals=[gone]))
    assert told.atom(COOKIES).status == "obsolete"
    back = SourceChange(kind="revised", source_id="src_b", old_hash="h1", new_hash="h1")
    chunk = Chunk("c_back", [judged(COOKIES)], source_id="src_b")
    told.given(a_run(chunk, changes=[back], trigger="t3"))
    assert told.atom(COOKIES).status == "active"
    assert (only(told).status, only(told).reopened) == ("resolved", False)


def test_re_inclusion_does_not_touch_what_a_person_has_answered():
    told = disputed(JWT, COOKIES)
    answered(told, "dismiss")
    told.decision(AtomDismissed(**about(told.atom(COOKIES))))
    told.decision(AtomReincluded(**about(told.atom(COOKIES))))
    assert only(told).status == "dismissed"


def test_the_loser_stays_superseded_when_its_payload_comes_back():
    told = won(JWT)
    loser = told.atom(COOKIES)
    chunk = told.view.evidence_of("prj_test", loser.atom_id)[0].chunk_id
    edited = SourceChange(kind="revised", source_id="src_b", old_hash="h1", new_hash="h2")
    told.given(a_run(trigger="t6", changes=[edited]))
    same = Reanchored(from_chunk_id=chunk, to_chunk_id=chunk, shift=0, line_shift=0)
    back = SourceChange(
        kind="revised", source_id="src_b", old_hash="h2", new_hash="h1", reanchored=[same]
    )
    told.given(a_run(trigger="t7", changes=[back]))
    assert told.atom(COOKIES).status == "superseded"
    assert only(told).status == "resolved"
