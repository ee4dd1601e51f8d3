"""A decision takes the next place, has one effect, and stays where it was, however it is folded."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events.hitl import AtomDismissed, PersonDecided
from streams.ledger.turns.fold import LedgerView
from streams.ledger.writer import LEDGER
from streams.stage import Record
from streams.tables import MemoryTables
from tests.ledger.decisions import a_decision
from tests.ledger.story import Batch, Chunk, Story, a_run, decided, facts_of, judged, story
from tests.ledger.test_decisions_atoms import about
from tests.ledger.test_merging import HALF_ALIKE, LONG, REWORDED
from tests.ledger.test_turns import both_lanes, shuffled
from tests.troubles import a_trouble

WRITES = [
    Chunk(f"w{n}", [judged("Order store writes", body)], source_id=f"src_w{n}")
    for n, body in enumerate((LONG, REWORDED, HALF_ALIKE, LONG, HALF_ALIKE, REWORDED))
]
PREVIEW, DEEP = both_lanes("t1")
FACTS = facts_of(PREVIEW, replace(DEEP, batches=[*DEEP.batches, Batch(WRITES)]))


def troubled(seed: int) -> Story:
    """A ledger with decisions between any two inputs, which come in any order, some repeated."""
    chance, told = random.Random(seed), Story()
    for record in shuffled(FACTS, seed):
        told.play([record])
        while chance.random() < 0.3 and (event := a_decision(told.view, chance)):
            said = decided(event, key=f"{seed}|{len(told.log)}")
            told.play([said] if chance.random() < 0.9 else [said, said])
    return told


def tables_of(view: LedgerView) -> list[object]:
    return [
        dict(table)
        for table in (
            *(view.places, view.progress, view.causes, view.atoms, view.evidence),
            *(view.links, view.mentions, view.merge_candidates, view.contradictions),
        )
    ]


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_a_refold_in_any_interleaving_keeps_every_decision_at_its_place(seed: int):
    told = troubled(seed)
    before, log = tables_of(told.view), told.bytes()
    chance = random.Random(seed)
    own, inputs = list(told.log), list(told.inputs)
    told.state = LEDGER.open(MemoryTables())
    while own or inputs:
        source = own if own and (not inputs or chance.random() < 0.5) else inputs
        LEDGER.evolve(told.state, source.pop(0))
    assert tables_of(told.view) == before
    assert LEDGER.decide(told.state) is None
    assert not told.state.decisions.projects()
    assert told.bytes() == log


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_the_same_decisions_at_the_same_places_make_the_same_ledger(seed: int):
    told = troubled(seed)
    said = {
        str(record.envelope.event_id): record
        for record in told.inputs
        if isinstance(record.envelope.event, PersonDecided)
    }
    again = Story()
    quiet = iter(FACTS)
    for change_set in told.change_sets:
        if change_set.turn is None:
            again.fold([said[change_set.caused_by_event_id]])
        while (decision := LEDGER.decide(again.state)) is None:
            again.fold([next(quiet)])
        again.write(decision)
    assert again.bytes() == told.bytes()


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_figures_links_and_floors_hold_after_every_decision(seed: int):
    told = troubled(seed)
    view = told.view
    seen: dict[str, str] = {}
    for key, row in view.evidence.items():
        assert seen.setdefault(row.evidence_id, key) == key
    for atom in view.atoms.values():
        rows = view.evidence_of("prj_test", atom.atom_id)
        fresh = [row for row in rows if not row.stale]
        assert atom.evidence_count == len(rows)
        assert atom.stale_evidence_count == len(rows) - len(fresh)
        assert atom.source_count == len({row.source_id for row in fresh})
        assert (atom.merged_into is not None) == (atom.status == "merged")
        assert atom.confidence >= (atom.confidence_floor or 0)
    for dispute in view.contradictions.values():
        stands = dispute.status in ("open", "escalated")
        links = [
            link
            for link in view.links.values()
            if link.link_type == "contradicts"
            and {link.from_atom_id, link.to_atom_id} == {dispute.atom_a_id, dispute.atom_b_id}
        ]
        assert [link.active for link in links] == [stands]


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_before_and_after_are_complete(seed: int):
    told = troubled(seed)
    view = LedgerView(MemoryTables())
    for record, change_set in zip(told.log, told.change_sets, strict=True):
        if change_set.hitl:
            before = change_set.hitl.before
            held = {row.evidence_id: row for row in view.evidence.values()}
            assert all(view.atoms[f"prj_test|{atom.atom_id}"] == atom for atom in before.atoms)
            assert all(held[row.evidence_id] == row for row in before.evidence)
            if change_set.hitl.outcome == "applied":
                known = [a for a in change_set.atoms if f"prj_test|{a.atom_id}" in view.atoms]
                assert len(before.atoms) == len(known) == len(change_set.atoms)
                assert len(before.evidence) == len(change_set.evidence)
        assert view.fold(record)


def test_the_same_decision_twice_has_one_effect():
    told = story(a_run(Chunk("c1", [judged("Orders are kept")])))
    said = decided(AtomDismissed(**about(told.atom("Orders are kept"))), key="once")
    told.play([said, said])
    told.refold(own_first=False)
    told.play([said])
    assert [change.reason for change in told.ops("hitl_applied")] == ["atom_dismissal"]
    assert not told.ops("hitl_refused")


def test_a_decision_whose_effect_does_not_fit_into_a_record_is_refused_and_others_follow():
    told = story(a_run(Chunk("c1", [judged("Orders are kept")])))
    told.fold([decided(AtomDismissed(**about(told.atom("Orders are kept"))))])
    too_large = LEDGER.decide(told.state)
    assert too_large
    told.write(LEDGER.give_up(told.state, a_trouble("ledger", "RecordTooLarge"), whole=True))
    answer = told.change_sets[-1].hitl
    assert answer and answer.refusal == "record_too_large"
    assert told.atom("Orders are kept").status == "active"
    assert LEDGER.decide(told.state) is None


def test_a_decision_comes_between_two_turns_of_a_begun_batch():
    facts: list[Record] = facts_of(a_run(*WRITES[:3]))
    told = Story()
    told.play(facts[:-2])
    first = told.atom("Order store writes")
    told.decision(AtomDismissed(**about(first)))
    told.play(facts[-2:])
    kinds = [each.turn.kind if each.turn else each.reason for each in told.change_sets]
    assert kinds == ["chunk", "decision", "chunk", "chunk", "run_end"]
    assert [each.turn.position for each in told.change_sets if each.turn] == [1, 2, 3, 0]
