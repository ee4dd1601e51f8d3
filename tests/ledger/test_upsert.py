"""Exact matches: one atom, however often and wherever it is said."""

from __future__ import annotations

import pytest

from schemas.confirmations import CONFIRMED_BY
from schemas.events.ingestion import SourceChange
from schemas.ids import atom_id
from tests.ledger.story import Batch, Chunk, Run, a_row, a_run, judged, story

FACT = "The queue keeps its messages for seven days"


def test_the_same_fact_from_two_sources_is_one_atom_with_two_rows_and_one_merge_op():
    told = story(
        a_run(
            Chunk("c1", [judged(FACT, confidence=0.7)]),
            Chunk("c2", [judged(FACT, confidence=0.6)], source_id="src_b"),
        )
    )
    atom = told.atom(FACT)
    assert (atom.evidence_count, atom.source_count, atom.revision) == (2, 2, 2)
    assert atom.confidence == pytest.approx(1 - 0.3 * 0.4)
    (op,) = [op for each in told.change_sets for op in each.merge_ops]
    assert (op.op, op.confidence_before, op.confidence_after) == ("exact_upsert", 0.7, 0.88)
    assert len(op.evidence_added) == 1
    assert len(told.view.evidence) == 2


def test_case_and_punctuation_make_no_second_atom():
    told = story(a_run(Chunk("c1", [judged(FACT)]), Chunk("c2", [judged(FACT.upper() + "!")])))
    assert [atom.title for atom in told.view.atoms.values()] == [FACT]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pass -v to the tool", "Pass -V to the tool"),
        ("The disk holds 4 GB of logs", "The disk holds 4 Gb of logs"),
        ("The exit code != 0", "The exit code = 0"),
        ("Read queue_size at start", "Read QUEUE_SIZE at start"),
        ("The parser is pinned to ^1.2", "The parser is pinned to ~1.2"),
        ("The config is in /etc/app", "The config is in etc/app"),
    ],
)
def test_letters_and_marks_that_carry_meaning_make_a_second_atom(one: str, other: str):
    again = [
        Chunk(f"c{at}", [judged(it)], source_id=f"s{at}") for at, it in enumerate((other, one))
    ]
    told = story(a_run(Chunk("c8", [judged(one)]), Chunk("c9", [judged(other)]), *again))
    assert {atom.title for atom in told.view.live_atoms("prj_test")} == {one, other}
    assert {told.atom(it).source_count for it in (one, other)} == {2}
    (fingerprint,) = {atom.atom_fingerprint for atom in told.view.atoms.values()}
    assert told.atom(one).atom_id == atom_id("prj_test", "claim", fingerprint)


def test_an_entity_is_its_name_however_that_is_written():
    named = [judged(it, kind="entity") for it in ("order_store", "Order-Store")]
    told = story(a_run(Chunk("c1", named[:1]), Chunk("c2", named[1:])))
    assert len(told.view.atoms) == 1


def test_a_source_that_says_it_again_raises_confidence_to_its_best_reading_only():
    told = story(
        a_run(
            Chunk("c1", [judged(FACT, confidence=0.7)]),
            Chunk("c2", [judged(FACT, confidence=0.75)]),
        )
    )
    assert told.atom(FACT).confidence == 0.75


def test_merged_confidence_never_passes_its_ceiling():
    chunks = [
        Chunk(f"c{n}", [judged(FACT, confidence=0.9)], source_id=f"src_{n}") for n in range(5)
    ]
    assert story(a_run(*chunks)).atom(FACT).confidence == 0.99


def test_a_quote_read_again_in_a_later_run_changes_nothing():
    chunk = Chunk("c1", [judged(FACT)])
    told = story(a_run(chunk), a_run(chunk, trigger="t2"))
    assert told.atom(FACT).revision == 1
    assert told.change_sets[2].atoms == []
    assert told.change_sets[2].changes == []


@pytest.mark.parametrize("kind", ["decision", "requirement"])
def test_a_decision_with_one_row_is_draft_until_a_later_run_brings_a_second(kind: str):
    told = story(a_run(Chunk("c1", [judged(FACT, kind=kind, status="draft")])))
    assert told.atom(FACT).status == "draft"
    second = judged(FACT, kind=kind, status="draft", rows=[a_row(start=500)])
    told.given(a_run(Chunk("c2", [second]), trigger="t2"))
    assert (told.atom(FACT).status, told.atom(FACT).status_reason) == ("active", "two_rows")
    assert [change.target_id for change in told.ops("status_set")] == [told.atom(FACT).atom_id]


def test_rows_that_overlap_count_once():
    overlapping = [a_row(start=0), a_row(start=10)]
    told = story(a_run(Chunk("c1", [judged(FACT, kind="decision", rows=overlapping)])))
    assert told.atom(FACT).evidence_count == 2
    assert told.atom(FACT).status == "draft"


def test_two_rows_apart_make_a_decision_active_at_once():
    apart = [a_row(start=0), a_row(start=100)]
    told = story(a_run(Chunk("c1", [judged(FACT, kind="decision", rows=apart)])))
    assert told.atom(FACT).status == "active"


def test_a_row_that_only_frames_the_other_does_not_make_a_decision_active():
    framing = a_row(start=100).model_copy(update={"framing": True})
    told = story(a_run(Chunk("c1", [judged(FACT, kind="decision", rows=[a_row(), framing])])))
    assert (told.atom(FACT).status, told.atom(FACT).evidence_count) == ("draft", 2)


CONFIRMED = {CONFIRMED_BY: "section"}


@pytest.mark.parametrize("kind", ["decision", "requirement"])
def test_what_its_place_confirms_is_active_from_one_row(kind: str):
    told = story(a_run(Chunk("c1", [judged(FACT, kind=kind, attributes=CONFIRMED)])))
    assert (told.atom(FACT).status, told.atom(FACT).status_reason) == ("active", "accepted")


def test_a_draft_is_active_once_another_document_confirms_it():
    told = story(a_run(Chunk("c1", [judged(FACT, kind="decision", status="draft")])))
    again = judged(FACT, kind="decision", attributes=CONFIRMED)
    told.given(a_run(Chunk("c2", [again], source_id="src_b"), trigger="t2"))
    assert told.atom(FACT).status == "active"
    assert told.atom(FACT).attributes[CONFIRMED_BY] == "section"


def test_what_nothing_confirms_any_more_is_a_draft_at_the_end_of_its_run():
    told = story(a_run(Chunk("c1", [judged(FACT, kind="decision", attributes=CONFIRMED)])))
    moved = Chunk("c2", [judged(FACT, kind="decision", status="draft")], sanitized_hash="h2")
    changed = SourceChange(kind="revised", source_id="src_a", old_hash="h1", new_hash="h2")
    told.given(a_run(moved, changes=[changed], trigger="t2"))
    assert CONFIRMED_BY not in told.atom(FACT).attributes
    assert (told.atom(FACT).status, told.atom(FACT).status_reason) == (
        "draft",
        "evidence_below_floor",
    )


@pytest.mark.parametrize(
    ("gone", "status", "attributes"), [("src_a", "draft", {}), ("src_b", "active", CONFIRMED)]
)
@pytest.mark.parametrize("confirming", ["first", "second"])
def test_a_confirmation_goes_with_the_document_that_gave_it(
    confirming: str, gone: str, status: str, attributes: dict[str, str]
):
    chunks = [
        Chunk("c1", [judged(FACT, kind="decision", attributes=CONFIRMED)]),
        Chunk("c2", [judged(FACT, kind="decision", status="draft")], source_id="src_b"),
    ]
    told = story(a_run(*(chunks if confirming == "first" else reversed(chunks))))
    removal = SourceChange(kind="removed", source_id=gone, old_hash="h1")
    told.given(a_run(trigger="t2", removals=[removal]))
    assert (told.atom(FACT).status, told.atom(FACT).attributes) == (status, attributes)


def test_a_confirmation_stays_while_another_document_gives_it():
    told = story(a_run(Chunk("c1", [judged(FACT, kind="decision", attributes=CONFIRMED)])))
    again = judged(FACT, kind="decision", attributes={CONFIRMED_BY: "label"})
    told.given(a_run(Chunk("c2", [again], source_id="src_b"), trigger="t2"))
    gone = SourceChange(kind="removed", source_id="src_b", old_hash="h1")
    told.given(a_run(trigger="t3", removals=[gone]))
    assert (told.atom(FACT).status, told.atom(FACT).attributes) == ("active", CONFIRMED)


def test_another_place_of_a_document_takes_no_confirmation_away():
    told = story(a_run(Chunk("c1", [judged(FACT, kind="decision", attributes=CONFIRMED)])))
    again = judged(FACT, kind="decision", status="draft")
    told.given(a_run(Chunk("c2", [again]), trigger="t2"))
    assert (told.atom(FACT).status, told.atom(FACT).attributes) == ("active", CONFIRMED)


def test_what_only_frames_a_statement_confirms_nothing():
    framing = a_row().model_copy(update={"framing": True})
    one = judged(FACT, kind="decision", rows=[framing], attributes=CONFIRMED)
    told = story(a_run(Chunk("c1", [one])))
    assert (told.atom(FACT).status, told.atom(FACT).attributes) == ("draft", {})


def test_two_rows_do_not_activate_a_decision_below_the_confidence_floor():
    apart = [a_row(start=0), a_row(start=100)]
    weak = judged(FACT, kind="decision", rows=apart, confidence=0.55)
    assert story(a_run(Chunk("c1", [weak]))).atom(FACT).status == "draft"


def test_a_poisoned_reading_is_a_turn_without_effect():
    told = story(a_run(Chunk("c1", [judged(FACT)], outcome="poison"), Chunk("c2", [])))
    first = told.change_sets[0]
    assert first.turn and (first.turn.outcome, first.turn.tokens) == ("poison", 120)
    assert first.changes == [] and first.atoms == []
    assert [each.ledger_seq for each in told.change_sets] == [1, 2, 3]


def test_times_come_from_the_cause_and_are_cut_to_milliseconds():
    told = story(a_run(Chunk("c1", [judged(FACT)])))
    seen = told.atom(FACT).first_seen_at
    assert seen.microsecond % 1000 == 0
    assert abs((told.log[0].envelope.occurred_at - seen).total_seconds()) < 0.001


def test_each_touched_atom_stands_once_in_a_change_set_with_one_more_revision():
    twice = [judged(FACT, rows=[a_row(start=0)]), judged(FACT, rows=[a_row(start=100)])]
    told = story(a_run(Chunk("c1", twice), Chunk("c2", twice, source_id="src_b")))
    assert [[atom.revision for atom in each.atoms] for each in told.change_sets] == [[1], [2], []]


def test_proposed_links_are_made_when_they_hold_and_refused_with_a_reason_when_not():
    told = story(a_run(Chunk("c1", [judged(FACT)])))
    known = told.atom(FACT).atom_id
    relations = [
        {"to": known, "link_type": "supports"},
        {"to": "atm_nowhere", "link_type": "supports"},
        {"to": known, "link_type": "supersedes"},
    ]
    reason = judged("Seven days cover a long weekend", relations=relations)
    told.given(a_run(Chunk("c2", [reason]), trigger="t2"))
    (link,) = told.view.links.values()
    assert (link.to_atom_id, link.link_type, link.active) == (known, "supports", True)
    assert [change.reason for change in told.ops("link_removed")] == [
        "refused_missing_atom",
        "refused_not_by_hint",
    ]


def test_a_run_of_several_batches_goes_on_where_the_last_one_ended():
    run = Run([Batch([Chunk("c1", [judged(FACT)])]), Batch([Chunk("c2", [judged("Two")])])])
    turns = [each.turn for each in story(run).change_sets]
    assert [(turn.batch_no, turn.position, turn.last_in_batch) for turn in turns if turn] == [
        (0, 1, True),
        (1, 1, True),
        (-1, 0, False),
    ]
