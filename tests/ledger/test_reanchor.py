"""Evidence moves along with its chunk, and what comes back lives again."""

from __future__ import annotations

from schemas.events.ingestion import Reanchored, SourceChange
from schemas.ids import evidence_id
from tests.ledger.story import Chunk, Story, a_row, a_run, judged, story
from tests.ledger.test_merging import LONG, REWORDED

KEPT, OTHER = "Backups are taken every night", "Logs are shipped to the archive"


def moved(to: str = "c2", shift: int = 40, **fields) -> SourceChange:
    """The source was revised, and its chunk c1 stands at another place now."""
    pair = Reanchored(from_chunk_id="c1", to_chunk_id=to, shift=shift, line_shift=3)
    change = {"kind": "revised", "source_id": "src_a", "old_hash": "h1", "new_hash": "h2"}
    return SourceChange(**(change | {"reanchored": [pair]} | fields))


def first_reading(*more) -> Story:
    return story(a_run(Chunk("c1", [judged(KEPT, rows=[a_row(start=7)]), *more])))


def rows_of(told: Story, title: str):
    rows = told.view.evidence_of("prj_test", told.atom(title).atom_id)
    return sorted(rows, key=lambda row: row.stale)


def test_a_row_gets_a_fresh_twin_shifted_with_its_chunk():
    told = first_reading().given(a_run(trigger="t2", changes=[moved()]))
    twin, old = rows_of(told, KEPT)
    assert (old.stale, old.chunk_id, old.char_start) == (True, "c1", 7)
    assert (twin.chunk_id, twin.sanitized_hash) == ("c2", "h2")
    assert (twin.char_start, twin.char_end) == (old.char_start + 40, old.char_end + 40)
    assert (twin.line_start, twin.snippet) == (old.line_start + 3, old.snippet)
    atom = told.atom(KEPT)
    assert twin.evidence_id == evidence_id(atom.atom_id, "c2", twin.char_start, twin.char_end)
    assert (atom.status, atom.evidence_state, atom.source_count) == ("active", "partial", 1)
    assert [change.reason for change in told.ops("evidence_refreshed")] == ["reanchored"]


def test_reading_the_moved_chunk_all_the_same_adds_nothing():
    told = first_reading().given(a_run(trigger="t2", changes=[moved()]))
    again = Chunk("c2", [judged(KEPT, rows=[a_row(start=47)])], sanitized_hash="h2")
    told.given(a_run(again, trigger="t3"))
    assert len(rows_of(told, KEPT)) == 2


def test_telling_the_same_revision_twice_changes_nothing_more():
    told = first_reading().given(a_run(trigger="t2", changes=[moved(), moved()]))
    told.given(a_run(trigger="t3", changes=[moved()]))
    assert len(rows_of(told, KEPT)) == 2
    assert told.atom(KEPT).stale_evidence_count == 1


def test_a_renamed_source_hands_its_rows_on_and_keeps_none():
    renamed = moved(kind="renamed", source_id="src_b", other_source_id="src_a", new_hash="h1")
    told = first_reading(judged(OTHER)).given(a_run(trigger="t2", changes=[renamed]))
    for title in (KEPT, OTHER):
        twin, old = rows_of(told, title)
        assert (twin.source_id, old.source_id, old.stale) == ("src_b", "src_a", True)
        assert (told.atom(title).status, told.atom(title).source_count) == ("active", 1)
    assert not told.ops("atom_obsoleted")


def test_a_late_reading_of_the_source_that_was_renamed_is_refused():
    renamed = moved(kind="renamed", source_id="src_b", other_source_id="src_a", new_hash="h1")
    told = first_reading().given(a_run(trigger="t2", changes=[renamed]))
    told.given(a_run(Chunk("c9", [judged(OTHER)]), trigger="t3"))
    assert told.ops("candidate_rejected")[-1].reason == "missing_chunk"


def test_a_content_that_comes_back_makes_its_rows_fresh_and_its_atoms_live():
    told = first_reading()
    told.given(a_run(trigger="t2", changes=[SourceChange(kind="removed", source_id="src_a")]))
    assert told.atom(KEPT).status == "obsolete"
    told.given(a_run(trigger="t3", changes=[moved("c1", 0, old_hash=None, new_hash="h1")]))
    atom = told.atom(KEPT)
    assert (atom.status, atom.status_reason, atom.evidence_state) == (
        *("active", "found_again"),
        "fresh",
    )
    assert len(rows_of(told, KEPT)) == 1


def test_a_decision_that_comes_back_with_one_row_is_a_draft():
    one = judged(KEPT, kind="decision", status="draft")
    told = story(a_run(Chunk("c1", [one])))
    told.given(a_run(trigger="t2", changes=[SourceChange(kind="removed", source_id="src_a")]))
    told.given(a_run(trigger="t3", changes=[moved("c1", 0, old_hash=None, new_hash="h1")]))
    assert (told.atom(KEPT).status, told.atom(KEPT).status_reason) == ("draft", "found_again")


def test_a_row_that_a_merge_has_moved_keeps_the_name_it_was_read_under():
    twice = [judged("Order store writes", LONG), judged("Order store writes", REWORDED)]
    told = story(a_run(Chunk("c1", twice[:1]), Chunk("c0", twice[1:], source_id="src_b")))
    (loser,) = [atom for atom in told.view.atoms.values() if atom.status == "merged"]
    change = moved(shift=0, source_id=told.view.evidence[_row_of(told, loser)].source_id)
    chunk = told.view.evidence[_row_of(told, loser)].chunk_id
    pair = change.reanchored[0].model_copy(update={"from_chunk_id": chunk})
    told.given(a_run(trigger="t2", changes=[change.model_copy(update={"reanchored": [pair]})]))
    winner = loser.merged_into
    assert winner
    rows = [row for row in told.view.evidence_of("prj_test", winner) if row.chunk_id == "c2"]
    assert [row.evidence_id for row in rows] == [
        evidence_id(loser.atom_id, "c2", row.char_start, row.char_end) for row in rows
    ]
    assert rows


def test_a_source_that_repeats_another_now_takes_its_rows_back_at_the_end_of_the_run():
    repeats = SourceChange(
        kind="duplicate", source_id="src_a", other_source_id="src_b", old_hash="h1"
    )
    told = first_reading()
    told.given(a_run(Chunk("c5", [judged(KEPT)], source_id="src_b"), trigger="t2"))
    told.given(a_run(trigger="t3", changes=[repeats]))
    assert (told.atom(KEPT).status, told.atom(KEPT).source_count) == ("active", 1)
    told = first_reading().given(a_run(trigger="t3", changes=[repeats]))
    assert told.atom(KEPT).status == "obsolete"


def _row_of(told: Story, loser) -> str:
    """The key of the row that was read under the name of the atom that is merged."""
    (key,) = [
        key
        for key, row in told.view.evidence.items()
        if row.evidence_id == evidence_id(loser.atom_id, row.chunk_id, row.char_start, row.char_end)
    ]
    return key
