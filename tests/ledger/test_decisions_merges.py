"""Merge reviews and merges undone: evidence goes where the person says, and stays there."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from schemas.events.hitl import AtomVerified, MergeDecided, MergeUndone
from schemas.events.ledger import HumanDecision, LinkRecord, MergeCandidate
from tests.ledger.story import Chunk, Story, a_row, a_run, judged, story
from tests.ledger.test_contradictions import COOKIES, JWT
from tests.ledger.test_decisions_atoms import about
from tests.ledger.test_merging import HALF_ALIKE, LONG, REWORDED, told_of

PROJECT = "prj_test"


def pair_of(told: Story) -> MergeCandidate:
    (pair,) = told.view.merge_candidates.values()
    return pair


def reviewed(
    told: Story,
    decision: Literal["approve", "reject", "reopen"],
    pair: MergeCandidate | None = None,
    **fields,
) -> HumanDecision:
    pair = pair or pair_of(told)
    content: dict[str, Any] = {"expected_revision": pair.revision, "actor_role": "pm"} | fields
    return told.decision(
        MergeDecided(merge_candidate_id=pair.merge_candidate_id, decision=decision, **content)
    )


def split(told: Story, **fields) -> HumanDecision:
    (loser,) = [atom for atom in told.view.atoms.values() if atom.status == "merged"]
    return told.decision(MergeUndone(**about(loser, **fields)))


def by_body(told: Story, body: str):
    (found,) = [atom for atom in told.view.atoms.values() if atom.body == body]
    return found


def merge_ops(told: Story) -> list[str]:
    return [op.op for each in told.change_sets for op in each.merge_ops]


def test_an_approved_pair_is_one_atom_with_the_evidence_of_both():
    told = told_of(LONG, HALF_ALIKE)
    answer = reviewed(told, "approve")
    assert (answer.action, answer.decision, answer.refusal) == ("merge_review", "approve", "")
    (winner,) = told.view.live_atoms(PROJECT)
    loser = by_body(told, HALF_ALIKE)
    assert (winner.body, loser.merged_into) == (LONG, winner.atom_id)
    assert (winner.evidence_count, winner.source_count) == (2, 2)
    assert winner.confidence == pytest.approx(1 - 0.25 * 0.25)
    op = told.change_sets[-1].merge_ops[0]
    assert (op.op, op.actor) == ("reviewed_merge", "ana")
    assert op.candidate_id == pair_of(told).merge_candidate_id
    assert (pair_of(told).state, pair_of(told).decided_by) == ("approved", "ana")
    assert len(told.view.evidence_of(PROJECT, winner.atom_id)) == 2


def test_what_disputed_the_one_that_was_merged_away_disputes_the_other():
    body = "Auth uses JWT tokens, since each service must check a caller without asking another one"
    one, other = body + " over the network", body + " in a remote place"
    told = story(
        a_run(
            Chunk("c1", [judged(JWT, one, confidence=0.9), judged(JWT, one + ".")]),
            Chunk("c2", [judged(JWT, other)], source_id="src_b"),
            Chunk("c3", [judged(COOKIES)], source_id="src_c"),
        )
    )
    cookies = told.atom(COOKIES).atom_id
    loser = by_body(told, other).atom_id
    assert len([c for c in told.view.contradictions.values() if c.status == "open"]) == 2
    reviewed(told, "approve")
    standing = [c for c in told.view.contradictions.values() if c.status == "open"]
    (winner,) = [atom for atom in told.view.live_atoms(PROJECT) if atom.title == JWT]
    assert [{c.atom_a_id, c.atom_b_id} for c in standing] == [{winner.atom_id, cookies}]
    assert told.view.atoms[f"{PROJECT}|{loser}"].status == "merged"


def test_a_rejected_pair_keeps_both_and_is_neither_proposed_nor_merged_again():
    told = told_of(LONG, HALF_ALIKE)
    reviewed(told, "reject")
    assert len(list(told.view.live_atoms(PROJECT))) == 2
    assert (pair_of(told).state, merge_ops(told)) == ("rejected", ["rejected_merge"])
    for number, body in enumerate((LONG, HALF_ALIKE)):
        chunk = Chunk(f"c_{number}", [judged("Order store writes", body)], source_id="src_new")
        told.given(a_run(chunk, trigger=f"again_{number}"))
    assert len(list(told.view.live_atoms(PROJECT))) == 2
    assert pair_of(told).state == "rejected"
    assert len(told.ops("merge_candidate_opened")) == 1


def test_another_wording_is_another_pair():
    told = told_of(LONG, HALF_ALIKE)
    reviewed(told, "reject")
    other = HALF_ALIKE.replace("so that", "and therefore")
    chunk = Chunk("c9", [judged("Order store writes", other)], source_id="src_c")
    told.given(a_run(chunk, trigger="t2"))
    assert merge_ops(told) == ["rejected_merge", "auto_merge"]
    assert by_body(told, other).merged_into == by_body(told, HALF_ALIKE).atom_id


REFUSALS: dict[str, dict[str, Any]] = {
    "stale_revision": {"expected_revision": 5},
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_a_refused_review_leaves_the_pair_open(reason):
    told = told_of(LONG, HALF_ALIKE)
    answer = reviewed(told, "approve", **REFUSALS[reason])
    assert answer.refusal == reason
    assert pair_of(told).state == "open"
    assert answer.before.merge_candidates == [pair_of(told)]


def test_a_pair_is_decided_once():
    told = told_of(LONG, HALF_ALIKE)
    reviewed(told, "reject")
    assert reviewed(told, "approve").refusal == "not_open"


@pytest.mark.parametrize("how", ["auto", "reviewed"])
def test_a_merge_that_is_undone_gives_the_loser_its_evidence_and_the_winner_its_confidence(how):
    second = REWORDED if how == "auto" else HALF_ALIKE
    told = told_of(LONG, second)
    apart = told_of(LONG, "Prices are shown without taxes to business customers")
    if how == "reviewed":
        reviewed(told, "approve")
    assert not split(told).refusal
    for body in (LONG, second):
        atom = by_body(told, body)
        rows = told.view.evidence_of(PROJECT, atom.atom_id)
        assert (atom.status, atom.evidence_count, atom.source_count) == ("active", 1, 1)
        assert (len(rows), atom.confidence) == (1, 0.75)
    assert by_body(told, second).merged_into is None
    assert by_body(told, LONG).confidence == by_body(apart, LONG).confidence
    assert merge_ops(told)[-1] == "unmerge"
    assert pair_of(told).state == "rejected"
    assert not [link for link in told.view.links.values() if link.active]


def test_an_undone_merge_is_not_made_again():
    told = told_of(LONG, REWORDED)
    split(told)
    chunk = Chunk("c9", [judged("Order store writes", REWORDED)], source_id="src_c")
    told.given(a_run(chunk, trigger="t2"))
    assert len(list(told.view.live_atoms(PROJECT))) == 2
    assert by_body(told, REWORDED).source_count == 2
    assert by_body(told, LONG).source_count == 1


def test_what_came_to_the_merged_wording_goes_back_with_it():
    told = told_of(LONG, REWORDED)
    for title, body, source in (("r", REWORDED, "src_c"), ("l", LONG, "src_d")):
        chunk = Chunk(f"c_{title}", [judged("Order store writes", body)], source_id=source)
        told.given(a_run(chunk, trigger=f"t_{title}"))
    split(told)
    sources = {
        body: {row.source_id for row in told.view.evidence_of(PROJECT, by_body(told, body).atom_id)}
        for body in (LONG, REWORDED)
    }
    assert sources == {LONG: {"src_a", "src_d"}, REWORDED: {"src_b", "src_c"}}
    assert 0.75 < by_body(told, LONG).confidence < 0.99


def test_links_that_a_merge_moved_go_back():
    told = told_of(LONG, HALF_ALIKE)
    loser = by_body(told, HALF_ALIKE)
    hint = judged("Backups are taken from the followers at night")
    relation = {"relations": [{"to": loser.atom_id, "link_type": "supports"}]}
    hint = hint.model_copy(
        update={"candidate": hint.candidate.model_validate(hint.candidate.model_dump() | relation)}
    )
    told.given(a_run(Chunk("c9", [hint], source_id="src_c"), trigger="t2"))

    def supported() -> list[str]:
        links: list[LinkRecord] = list(told.view.links.values())
        return [link.to_atom_id for link in links if link.active and link.link_type == "supports"]

    reviewed(told, "approve")
    assert supported() == [by_body(told, LONG).atom_id]
    split(told)
    assert supported() == [loser.atom_id]


def test_a_merge_of_a_merge_can_be_undone():
    third = LONG.replace("so that", "and so")
    told = told_of(LONG, REWORDED)
    chunk = Chunk("c9", [judged("Order store writes", third)], source_id="src_c")
    told.given(a_run(chunk, trigger="t2"))
    (winner,) = told.view.live_atoms(PROJECT)
    assert winner.evidence_count == 3
    loser = by_body(told, REWORDED)
    assert not told.decision(MergeUndone(**about(loser))).refusal
    assert by_body(told, REWORDED).evidence_count == 1
    assert by_body(told, winner.body).evidence_count == 2


def test_what_is_not_merged_cannot_be_split():
    told = told_of(LONG, HALF_ALIKE)
    atom = by_body(told, LONG)
    assert told.decision(MergeUndone(**about(atom))).refusal == "not_merged"


def test_a_verified_atom_wins_whatever_evidence_the_other_has():
    told = told_of(LONG, HALF_ALIKE)
    told.decision(AtomVerified(**about(by_body(told, HALF_ALIKE))))
    chunk = Chunk("c9", [judged("Order store writes", LONG)], source_id="src_c")
    told.given(a_run(chunk, trigger="t2"))
    reviewed(told, "approve")
    (winner,) = told.view.live_atoms(PROJECT)
    assert winner.body == HALF_ALIKE
    assert winner.confidence >= 0.9


def test_a_run_merges_into_a_verified_atom_and_never_away_from_it():
    told = story(a_run(Chunk("c1", [judged("Order store writes", LONG)])))
    told.decision(AtomVerified(**about(by_body(told, LONG))))
    rows = [a_row(start=100 * n) for n in range(3)]
    surer = judged("Order store writes", REWORDED, confidence=0.99, rows=rows)
    told.given(a_run(Chunk("c2", [surer], source_id="src_b"), trigger="t2"))
    (standing,) = told.view.live_atoms(PROJECT)
    assert (standing.body, standing.verified_by) == (LONG, "ana")


def entities_of(told: Story, body: str) -> list[str]:
    spoken_of = told.view.mentions_of(PROJECT, by_body(told, body).atom_id)
    return [told.view.atoms[f"{PROJECT}|{each.entity_atom_id}"].title for each in spoken_of]


def test_after_a_split_the_winner_speaks_of_its_own_entities_again_and_may_of_others_later():
    names = Chunk("c0", [judged(name, kind="entity") for name in ("Order store", "Leader")])
    first = judged("Order store writes", LONG, entities=["Leader"])
    second = judged("Order store writes", REWORDED, entities=["Leader", "Order store"])
    told = story(a_run(names, Chunk("c1", [first]), Chunk("c2", [second], source_id="src_b")))
    assert sorted(entities_of(told, LONG)) == ["Leader", "Order store"]
    answer = split(told)
    assert entities_of(told, LONG) == ["Leader"]
    assert sorted(entities_of(told, REWORDED)) == ["Leader", "Order store"]
    assert [each.mention for each in answer.before.mentions] == ["order store"]
    told.refold()
    assert entities_of(told, LONG) == ["Leader"]
    again = judged("Order store writes", LONG, entities=["Order store"])
    told.given(a_run(Chunk("c3", [again], source_id="src_c"), trigger="t2"))
    assert sorted(entities_of(told, LONG)) == ["Leader", "Order store"]
