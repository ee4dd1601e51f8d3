"""Source changes: evidence becomes stale, and runs settle what they have read again."""

from __future__ import annotations

from typing import Any

from schemas.events.ingestion import SourceChange
from streams.ledger.writer import LEDGER
from tests.ledger.story import (
    Batch,
    Chunk,
    Run,
    Story,
    a_row,
    a_run,
    ingestion_of,
    judged,
    results_of,
    story,
)
from tests.troubles import a_trouble

KEPT, LOST = "Backups are taken every night", "Logs are shipped to the archive"
REVISED = SourceChange(kind="revised", source_id="src_a", old_hash="h1", new_hash="h2")
REMOVED = SourceChange(kind="removed", source_id="src_a", old_hash="h1")


def first_reading() -> Story:
    return story(a_run(Chunk("c1", [judged(KEPT), judged(LOST)])))


def second_reading(*accepted: Any, **fields: Any) -> Run:
    chunk = Chunk("c2", list(accepted), sanitized_hash="h2")
    return a_run(chunk, trigger="t2", changes=[REVISED], **fields)


def test_a_revision_makes_evidence_stale_and_atoms_keep_their_status_meanwhile():
    told = first_reading().given(second_reading(judged(KEPT)))
    stale = told.change_sets[2]
    assert stale.turn and (stale.turn.kind, stale.turn.position) == ("sources", 0)
    assert {(atom.status, atom.evidence_state) for atom in stale.atoms} == {("active", "stale")}
    assert {row.stale_since_seq for row in stale.evidence} == {3}


def test_the_end_of_the_run_makes_obsolete_what_was_not_found_again():
    told = first_reading().given(second_reading(judged(KEPT)))
    assert told.atom(LOST).status == "obsolete"
    kept = told.atom(KEPT)
    assert (kept.status, kept.evidence_state) == ("active", "partial")
    assert (kept.evidence_count, kept.stale_evidence_count, kept.source_count) == (2, 1, 1)
    last = told.change_sets[-1]
    assert last.turn and last.turn.kind == "run_end"
    assert [change.target_id for change in told.ops("atom_obsoleted")] == [told.atom(LOST).atom_id]


def test_reading_a_revised_source_again_does_not_make_an_atom_surer():
    told = first_reading().given(second_reading(judged(KEPT)))
    assert told.atom(KEPT).confidence == 0.75


def test_an_unfinished_source_is_settled_by_the_run_that_reads_its_rest():
    told = first_reading().given(second_reading(unfinished=["src_a"]))
    assert told.atom(LOST).status == "active"
    told.given(a_run(Chunk("c3", [judged(KEPT)], sanitized_hash="h2"), trigger="t3"))
    assert told.atom(LOST).status == "obsolete"
    assert told.atom(KEPT).status == "active"


def test_what_comes_back_is_found_again():
    told = first_reading().given(second_reading(judged(KEPT)))
    told.given(a_run(Chunk("c4", [judged(LOST)], sanitized_hash="h2"), trigger="t3"))
    lost = told.atom(LOST)
    assert (lost.status, lost.status_reason) == ("active", "found_again")


def test_a_reading_of_an_outdated_payload_is_refused():
    told = first_reading().given(second_reading(judged(KEPT)))
    late = Chunk("c1", [judged("Alerts go to the person on call")], sanitized_hash="h1")
    told.given(a_run(late, trigger="t3"))
    (refused,) = told.ops("candidate_rejected")
    assert refused.reason == "missing_chunk"
    assert len(told.view.atoms) == 2


def test_a_source_that_returns_to_its_first_payload_has_fresh_evidence_again():
    back = SourceChange(kind="revised", source_id="src_a", old_hash="h2", new_hash="h1")
    told = first_reading().given(second_reading(judged(KEPT)))
    chunk = Chunk("c1", [judged(KEPT), judged(LOST)])
    told.given(a_run(chunk, trigger="t3", changes=[back]))
    assert told.atom(LOST).evidence_state == "fresh"
    assert told.atom(LOST).status == "active"
    assert told.atom(KEPT).stale_evidence_count == 1
    assert len(told.ops("evidence_refreshed")) == 2


def test_a_removed_source_takes_its_atoms_with_it_at_once():
    told = first_reading().given(a_run(trigger="t2", removals=[REMOVED]))
    assert {atom.status for atom in told.view.atoms.values()} == {"obsolete"}


def test_what_another_source_supports_survives_a_removal():
    told = first_reading()
    told.given(a_run(Chunk("c5", [judged(KEPT)], source_id="src_b"), trigger="t2"))
    told.given(a_run(trigger="t3", removals=[REMOVED]))
    assert told.atom(KEPT).status == "active"
    assert (told.atom(KEPT).evidence_state, told.atom(KEPT).source_count) == ("partial", 1)


def test_a_decision_that_keeps_one_fresh_row_falls_back_to_draft_when_settled():
    two = [a_row(start=0), a_row(start=100)]
    told = story(a_run(Chunk("c1", [judged(KEPT, kind="decision", rows=two)])))
    assert told.atom(KEPT).status == "active"
    told.given(second_reading(judged(KEPT, kind="decision", status="draft")))
    assert told.atom(KEPT).status == "draft"
    assert told.ops("status_set")[-1].reason == "evidence_below_floor"


def test_a_statement_changed_at_its_place_replaces_the_older_wording():
    old, new = (
        f"Backups of the order store are taken every night at {hour} and kept for a month"
        for hour in ("two", "four")
    )
    told = story(a_run(Chunk("c1", [judged("Backups", old)])))
    told.given(second_reading(judged("Backups", new)))
    (live,) = told.view.live_atoms("prj_test")
    (gone,) = [atom for atom in told.view.atoms.values() if atom.status == "superseded"]
    assert (live.body, gone.superseded_by) == (new, live.atom_id)
    assert [op.op for each in told.change_sets for op in each.merge_ops] == ["supersede"]
    (link,) = told.view.links.values()
    assert (link.from_atom_id, link.link_type) == (live.atom_id, "supersedes")


def test_a_record_put_into_a_series_replaces_none_of_the_others():
    series = [f"The {it} office must be moved to the new region" for it in ("Narvik", "Visby")]
    told = story(a_run(Chunk("c1", [judged(it) for it in series])))
    told.given(
        second_reading(
            *(judged(it.replace("Narvik", "Halden")) for it in series[:1]), *map(judged, series)
        )
    )
    assert {atom.status for atom in told.view.atoms.values()} == {"active"}
    assert "supersedes" not in {link.link_type for link in told.view.links.values()}


def test_a_duplicate_and_a_rename_without_rows_are_only_written_down():
    changes = [
        SourceChange(kind="duplicate", source_id="src_b", other_source_id="src_a"),
        SourceChange(kind="renamed", source_id="src_c", other_source_id="src_d"),
    ]
    told = first_reading().given(Run([Batch(changes=changes)], trigger="t2"))
    assert [change.reason for change in told.change_sets[2].changes] == ["duplicate", "renamed"]
    assert told.change_sets[2].turn and told.change_sets[2].turn.last_in_batch


def test_a_change_that_no_batch_had_room_for_is_applied_and_settled_at_the_end():
    told = first_reading().given(a_run(trigger="t2", removals=[REVISED]))
    assert {atom.status for atom in told.view.atoms.values()} == {"obsolete"}


def test_a_turn_too_large_to_be_written_has_no_effect_and_the_end_of_the_run_makes_up_for_it():
    told = first_reading()
    run = second_reading(judged(KEPT))
    started, planned, stopped = ingestion_of(run)
    told.fold([started, planned])
    too_large = LEDGER.decide(told.state)
    assert too_large
    told.write(LEDGER.give_up(told.state, a_trouble("ledger", "RecordTooLarge"), whole=True))
    assert told.change_sets[-1].atoms == []
    assert told.log[-1].envelope.event_id == too_large.commit_record.event_id
    told.play([*results_of(run), stopped])
    assert told.atom(KEPT).evidence_state == "partial"
    assert told.atom(LOST).status == "obsolete"
