"""What people decide about single atoms holds, and no run undoes it."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.events.hitl import AtomDismissed, AtomReincluded, AtomUnverified, AtomVerified
from schemas.events.ingestion import SourceChange
from schemas.events.ledger import AtomRecord
from tests.ledger.story import Chunk, Story, a_row, a_run, ingestion_of, judged, results_of, story
from tests.ledger.test_contradictions import COOKIES, JWT, disputed, only

TITLE = "The service keeps its records for ten years"


def told_of(**fields) -> Story:
    return story(a_run(Chunk("c1", [judged(TITLE, **fields)])))


def about(atom: AtomRecord, **fields: Any) -> dict[str, Any]:
    return {"atom_id": atom.atom_id, "expected_revision": atom.revision} | (
        {"actor_role": "pm", "rationale": "seen in the contract"} | fields
    )


def verified(told: Story, **fields) -> AtomRecord:
    assert not told.decision(AtomVerified(**about(told.atom(TITLE), **fields))).refusal
    return told.atom(TITLE)


def dismissed(told: Story, title: str = TITLE) -> AtomRecord:
    assert not told.decision(AtomDismissed(**about(told.atom(title)))).refusal
    return told.atom(title)


def test_a_verified_draft_is_active_and_has_the_floor_of_ninety():
    told = told_of(kind="requirement", confidence=0.6, status="draft")
    assert told.atom(TITLE).status == "draft"
    atom = verified(told)
    assert (atom.status, atom.confidence, atom.confidence_floor) == ("active", 0.9, 0.9)
    assert (atom.verified_by, atom.verified_at) == (
        "ana",
        told.change_sets[-1].atoms[0].verified_at,
    )


def test_a_surer_atom_keeps_its_confidence_as_floor_and_a_person_may_name_another():
    told = told_of(confidence=0.95)
    assert verified(told).confidence_floor == 0.95
    assert verified(told, floor=0.5).confidence_floor == 0.5
    assert told.atom(TITLE).confidence == 0.95


def test_no_later_run_lowers_a_verified_atom_or_takes_it_away():
    told = told_of(confidence=0.6)
    verified(told)
    told.given(a_run(Chunk("c2", [judged(TITLE, confidence=0.3)], source_id="src_b"), trigger="t2"))
    assert told.atom(TITLE).confidence >= 0.9
    gone = [
        SourceChange(kind="removed", source_id=source, old_hash="h1")
        for source in ("src_a", "src_b")
    ]
    told.given(a_run(trigger="t3", removals=gone))
    atom = told.atom(TITLE)
    assert (atom.status, atom.evidence_state, atom.confidence_floor) == ("active", "stale", 0.9)
    assert "verified_evidence_stale" in {each.reason for each in told.ops("review_item_raised")}


def test_without_the_verification_a_run_may_take_the_atom_away():
    told = told_of()
    verified(told)
    told.decision(AtomUnverified(**about(told.atom(TITLE))))
    atom = told.atom(TITLE)
    assert (atom.confidence_floor, atom.verified_by, atom.verified_at) == (None, None, None)
    gone = SourceChange(kind="removed", source_id="src_a", old_hash="h1")
    told.given(a_run(trigger="t2", removals=[gone]))
    assert told.atom(TITLE).status == "obsolete"


def test_an_atom_kept_only_by_its_verification_becomes_obsolete_without_it():
    told = told_of()
    verified(told)
    gone = SourceChange(kind="removed", source_id="src_a", old_hash="h1")
    told.given(a_run(trigger="t2", removals=[gone]))
    told.decision(AtomUnverified(**about(told.atom(TITLE))))
    assert (told.atom(TITLE).status, told.atom(TITLE).status_reason) == (
        "obsolete",
        "not_found_again",
    )
    back = Chunk("c2", [judged(TITLE)], source_id="src_b")
    told.given(a_run(back, trigger="t3"))
    assert told.atom(TITLE).status == "active"


def test_an_atom_that_may_still_be_found_again_outlives_its_verification():
    told = told_of()
    verified(told)
    revised = SourceChange(kind="revised", source_id="src_a", old_hash="h1", new_hash="h2")
    again = Chunk("c2", [judged(TITLE)], sanitized_hash="h2")
    run = a_run(again, changes=[revised], trigger="t2")
    told.play(ingestion_of(run))
    told.decision(AtomUnverified(**about(told.atom(TITLE))))
    assert (told.atom(TITLE).status, told.atom(TITLE).evidence_state) == ("active", "stale")
    told.play(results_of(run))
    assert (told.atom(TITLE).status, told.atom(TITLE).evidence_state) == ("active", "partial")


@pytest.mark.parametrize(
    ("pinned", "status", "asked"),
    [(False, "superseded", []), (True, "active", ["verified_evidence_stale"])],
)
def test_a_verified_atom_stays_when_its_wording_changes_in_the_source_and_a_person_is_asked(
    pinned: bool, status: str, asked: list[str]
):
    old = TITLE + " after the last payment of the customer"
    told = story(a_run(Chunk("c1", [judged(old, kind="claim")])))
    if pinned:
        told.decision(AtomVerified(**about(told.atom(old))))
    revised = SourceChange(kind="revised", source_id="src_a", old_hash="h1", new_hash="h2")
    new = old.replace("last payment", "final payment")
    run = a_run(Chunk("c2", [judged(new)], sanitized_hash="h2"), changes=[revised], trigger="t2")
    told.given(run)
    assert told.atom(old).status == status
    assert [each.reason for each in told.ops("review_item_raised")] == asked


@pytest.mark.parametrize("status", ["active", "draft"])
def test_a_dismissed_atom_stays_dismissed_when_it_is_found_again_and_comes_back_as_it_was(status):
    told = told_of(status=status)
    assert dismissed(told).status == "dismissed"
    again = Chunk("c2", [judged(TITLE)], source_id="src_b")
    told.given(a_run(again, trigger="t2"))
    atom = told.atom(TITLE)
    assert (atom.status, atom.evidence_count, atom.source_count) == ("dismissed", 2, 2)
    assert not list(told.view.live_atoms("prj_test"))
    assert not told.decision(AtomReincluded(**about(atom))).refusal
    assert told.atom(TITLE).status == status
    assert told.atom(TITLE).previous_status is None


def test_a_dismissed_atom_is_in_no_summary_after_the_decision():
    told = told_of(kind="risk", severity="high", impact="loss")
    before = told.change_sets[-1].summary
    dismissed(told)
    after = told.change_sets[-1].summary
    assert before and after
    assert ([atom.title for atom in before.risks], after.risks) == ([TITLE], [])


def test_dismissing_a_side_closes_its_contradiction_and_re_inclusion_opens_it_again():
    told = disputed(JWT, COOKIES)
    dismissed(told, COOKIES)
    assert (only(told).status, only(told).rationale) == ("resolved", "side_gone")
    told.decision(AtomReincluded(**about(told.atom(COOKIES))))
    assert (only(told).status, only(told).reopened) == ("open", True)
    (link,) = told.view.links.values()
    assert link.active


def test_an_atom_that_comes_back_is_compared_with_what_came_meanwhile():
    told = story(a_run(Chunk("c1", [judged(JWT)])))
    dismissed(told, JWT)
    told.given(a_run(Chunk("c2", [judged(COOKIES)], source_id="src_b"), trigger="t2"))
    assert not told.view.contradictions
    told.decision(AtomReincluded(**about(told.atom(JWT))))
    assert only(told).status == "open"


def test_the_touched_atom_names_the_decision():
    told = told_of()
    answer = told.decision(AtomDismissed(**about(told.atom(TITLE))), by="bo")
    resolution = told.atom(TITLE).resolution
    assert resolution
    assert (resolution.action, resolution.actor) == ("atom_dismissal", "bo")
    assert resolution.rationale == "seen in the contract"
    assert resolution.hitl_event_id == answer.hitl_event_id


def test_the_answer_holds_the_atom_as_it_stood():
    told = told_of()
    before = told.atom(TITLE)
    answer = told.decision(AtomDismissed(**about(before)))
    assert answer.before.atoms == [before]
    assert told.change_sets[-1].atoms == [told.atom(TITLE)]
    assert told.change_sets[-1].turn is None
    assert [change.op for change in told.change_sets[-1].changes][-1] == "hitl_applied"


REFUSALS: dict[str, dict[str, Any]] = {
    "stale_revision": {"expected_revision": 7},
    "unknown_target": {"atom_id": "atm_nobody"},
    "rationale_missing": {"rationale": "  "},
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_what_cannot_be_decided_is_refused_with_the_reason_and_changes_nothing(reason):
    told = told_of()
    before = told.atom(TITLE)
    answer = told.decision(AtomDismissed(**about(before, **REFUSALS[reason])))
    assert answer.refusal == reason
    assert told.atom(TITLE) == before
    (refused,) = told.ops("hitl_refused")
    assert refused.reason == reason
    shown = [] if reason == "unknown_target" else [before]
    assert answer.before.atoms == shown
    assert told.change_sets[-1].atoms == []
    assert told.change_sets[-1].ledger_seq == len(told.log)


def test_what_an_atom_is_not_cannot_be_taken_back():
    told = told_of()
    atom = told.atom(TITLE)
    assert told.decision(AtomReincluded(**about(atom))).refusal == "not_dismissed"
    assert told.decision(AtomUnverified(**about(atom))).refusal == "not_verified"
    atom = dismissed(told)
    assert told.decision(AtomVerified(**about(atom))).refusal == "not_live"
    assert told.decision(AtomDismissed(**about(atom))).refusal == "not_live"


def test_a_decision_about_a_project_without_a_ledger_is_answered():
    told = Story()
    event = AtomVerified(atom_id="atm_x", expected_revision=1, actor_role="owner")
    assert told.decision(event).refusal == "unknown_target"


def test_a_requirement_that_was_verified_stays_active_when_its_rows_fall_below_two():
    told = told_of(kind="requirement", rows=[a_row(start=0), a_row(start=100)])
    verified(told)
    revised = SourceChange(kind="revised", source_id="src_a", old_hash="h1", new_hash="h2")
    chunk = Chunk("c2", [judged(TITLE, kind="requirement")], sanitized_hash="h2")
    told.given(a_run(chunk, changes=[revised], trigger="t2"))
    assert told.atom(TITLE).status == "active"


def test_what_a_person_verified_stays_when_a_model_reads_its_chunk_in_other_words():
    told = story(a_run(Chunk("c1", [judged(TITLE), judged("The gate has two keys")])))
    verified(told)
    by_model = Chunk("c1", [judged("Records of the service live for a decade")], engine="model")
    told.given(a_run(by_model, trigger="t2", engine="model"))
    assert told.atom(TITLE).status == "active"
    assert (told.atom("The gate has two keys").status_reason) == "read_by_model"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"chunk_id": "c2"}, "active"),
        ({"error": "model_answer_cut"}, "active"),
        ({"engine": "heuristic"}, "active"),
        ({}, "obsolete"),
    ],
)
def test_only_a_whole_reading_of_the_same_chunk_by_a_model_withdraws(
    fields: dict[str, Any], status: str
):
    told = story(a_run(Chunk("c1", [judged(TITLE)])))
    by_model = {"chunk_id": "c1", "engine": "model"} | fields
    other = Chunk(accepted=[judged("The gate has two keys")], **by_model)
    told.given(a_run(other, trigger="t2", engine="model"))
    assert told.atom(TITLE).status == status


def test_what_another_chunk_says_too_is_not_withdrawn():
    told = story(a_run(Chunk("c1", [judged(TITLE)]), Chunk("c2", [judged(TITLE)])))
    by_model = Chunk("c1", [judged("The gate has two keys")], engine="model")
    told.given(a_run(by_model, trigger="t2", engine="model"))
    assert told.atom(TITLE).status == "active"
