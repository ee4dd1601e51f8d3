"""What the tables hold after a log, whatever is repeated, reordered, broken or cut off."""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.service.upkeep.dead_letters import retry_dead_letter
from projections.apply import apply_batch
from projections.checkpoint import Record, StaleProjector, read_checkpoint
from projections.checksums import checksums
from projections.core import CORE
from projections.fold import PROJECTED_TOPICS
from projections.projector import prepare
from projections.read.dead_letters import list_dead_letters, list_undecided
from projections.rows import Rows
from schemas import ids
from schemas.codec import decode, encode
from schemas.envelope import Envelope
from schemas.events.artifact import LatestSet
from schemas.events.atom import AtomAdjudicated, AtomReflected, Verdict
from schemas.events.dlq import DeadLetter, DeadLetterSettled, RecordUndecidable
from schemas.events.ingestion import Reanchored, SourceChange
from schemas.events.ledger import LedgerChanged
from schemas.events.project import ProjectCreated
from tests.projections.builders import PROJECT, an_atom, replace_part, source_of
from tests.projections.conftest import ReadModel
from tests.projections.log import PARTITIONS, README, Story, a_whole_story


def projected(story: Story) -> list[Record]:
    return [record for record in story.log.records if record.topic in PROJECTED_TOPICS]


def test_a_log_becomes_rows(model: ReadModel):
    model.fold(projected(a_whole_story()))
    assert model.value("SELECT count(*) FROM dead_letters") == 0
    assert model.rows("SELECT name FROM projects") == [("Demo",)]
    assert model.rows("SELECT path, state FROM sources ORDER BY path") == [
        ("README.md", "sanitized"),
        ("docs/auth.md", "sanitized"),
    ]
    assert model.value("SELECT count(*) FROM chunks WHERE state = 'extracted'") == 3
    assert model.value("SELECT count(*) FROM ledger_atoms") == 3
    assert model.value("SELECT max(ledger_seq) FROM ledger_change_sets") == 4
    assert model.value("SELECT title FROM ledger_rejections") == "Too short"
    assert model.value("SELECT status FROM ingestion_runs") == "stopped"
    assert model.value("SELECT title FROM prds") == "Demo"
    assert model.value("SELECT count(*) FROM artifact_citations") == 2


def test_repeated_records_change_nothing(model: ReadModel):
    story = a_whole_story()
    once = model.fold(projected(story)).sums()
    again = [story.log.again(record) for record in projected(story)]
    assert model.fold(again).sums() == once


def test_records_that_come_twice_in_one_batch_count_once(model: ReadModel):
    story = a_whole_story()
    once = model.fold(projected(story)).sums()
    doubled = Story()
    for record in projected(story):
        first = doubled.log.write_bytes(
            record.topic, record.key or b"", record.value or b"", record.headers
        )
        doubled.log.again(first)
    twice = model.emptied().fold(doubled.log.records).sums()
    assert {name for name in once if once[name] != twice[name]} <= {"event_places"}


def interleaved(records: list[Record], choices: list[int]) -> list[Record]:
    """The same records in another order between partitions, in the same order within each."""
    queues: dict[tuple[str, int], list[Record]] = defaultdict(list)
    for record in records:
        queues[record.topic, record.partition].append(record)
    order: list[Record] = []
    for choice in itertools.chain(choices, itertools.repeat(0)):
        if not (places := [place for place in sorted(queues) if queues[place]]):
            return order
        order.append(queues[places[choice % len(places)]].pop(0))
    return order


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    choices=st.lists(st.integers(0, 40), max_size=120), batch=st.sampled_from([1, 2, 7, 50, 1_000])
)
def test_the_order_in_which_topics_are_read_cannot_be_seen(
    model: ReadModel, choices: list[int], batch: int
):
    story = a_changing_story()
    expected = model.emptied().fold(projected(story)).sums()
    shuffled = interleaved(projected(story), choices)
    assert model.emptied().fold(shuffled, batch).sums() == expected


def a_changing_story() -> Story:
    """A revision comes, goes and comes back; a batch is withdrawn; a source is removed."""
    story = a_whole_story()
    (chunk,) = story.source("docs/auth.md", "Sessions are kept in Redis now.", trigger_key="t2")
    story.planned([chunk], batch_no=1)
    (back,) = story.source(
        "docs/auth.md", "The gateway keeps sessions in cookies.", trigger_key="t3"
    )
    story.run = f"{story.run}x"
    story.planned([back], batch_no=0)
    gone = SourceChange(kind="removed", source_id=source_of("README.md").source_id)
    story.stopped(withdrawn_batches=[0], source_changes=[gone])
    return story


def test_the_first_record_with_an_id_is_the_fact(model: ReadModel):
    story = Story()
    story.project("First")
    story.outside(ProjectCreated(name="Second"), natural_key="demo")
    assert model.fold(story.log.records).value("SELECT name FROM projects") == "First"


def test_a_change_set_out_of_sequence_is_ignored(model: ReadModel):
    story = a_whole_story()
    cause = story.project()
    story.seq += 1
    story.changed(cause, reason="from a second writer, two ahead")
    model.fold(projected(story))
    assert model.value("SELECT max(ledger_seq) FROM ledger_change_sets") == 4


def test_what_was_built_on_a_change_set_nobody_accepted_is_ignored(model: ReadModel):
    story = a_whole_story()
    story.fork(ahead=2)
    model.fold(projected(story), batch=1)
    kept = "SELECT reason FROM ledger_change_sets WHERE ledger_seq IN (6, 7)"
    assert model.rows(kept) == [("the owner's",)] * 2


def test_a_head_without_a_hash_is_followed_by_its_number(model: ReadModel):
    story = a_whole_story()
    known = projected(story)
    model.fold(known)
    model.connection.execute("UPDATE log_heads SET value_hash = NULL")
    story.changed(story.project("a new cause"))
    model.fold(projected(story)[len(known) :])
    assert model.value("SELECT max(ledger_seq) FROM ledger_change_sets") == 5


def test_a_turn_that_was_applied_is_not_applied_again(model: ReadModel):
    story = a_whole_story()
    (chunk, *_) = story.chunks.values()
    story.turns = 0
    story.read(chunk, reason="decided twice")
    model.fold(projected(story))
    assert model.value("SELECT max(ledger_seq) FROM ledger_change_sets") == 4


def test_a_cause_without_a_turn_is_answered_once(model: ReadModel):
    story = a_whole_story()
    cause = story.project("a new cause")
    story.changed(cause)
    story.changed(cause, reason="decided twice")
    model.fold(projected(story))
    assert model.value("SELECT max(ledger_seq) FROM ledger_change_sets") == 5


def test_an_artifact_shows_its_latest_state(model: ReadModel):
    story = a_whole_story()
    facts = (decode(record.value or b"").event for record in story.log.records)
    *_, event = (fact for fact in facts if isinstance(fact, LatestSet))
    moved = replace_part(event.snapshot, artifact_state="draft", rendered_markdown="moved")
    story.outside(LatestSet(snapshot=moved), natural_key="moved")
    model.fold(projected(story))
    rows = model.rows("SELECT artifact_state, rendered_markdown FROM artifacts")
    assert rows == [("draft", "moved")]


def test_a_projector_killed_between_batches_goes_on_where_it_stopped(model: ReadModel):
    records = projected(a_whole_story())
    quiet = model.fold(records).sums()
    model.emptied().fold(records[:20], batch=5)
    model.connection.close()
    with psycopg.connect(model.conninfo, autocommit=True) as connection:
        prepare(connection, CORE.schema)
        after = ReadModel(model.conninfo, connection)
        reached = read_checkpoint(connection, CORE.name)
        after.fold([r for r in records if r.offset >= reached.get((r.topic, r.partition), 0)])
        assert after.sums() == quiet


def test_rows_and_checkpoint_are_written_together_or_not_at_all(model: ReadModel):
    records = projected(a_whole_story())
    read_checkpoint(
        model.connection, CORE.name, {(record.topic, record.partition) for record in records}
    )
    with pytest.raises(ZeroDivisionError), model.connection.transaction():
        apply_batch(CORE, model.connection, records, PARTITIONS)
        raise ZeroDivisionError
    assert model.value("SELECT count(*) FROM event_places") == 0
    assert set(read_checkpoint(model.connection, CORE.name).values()) == {0}


def test_a_batch_behind_the_checkpoint_is_refused(model: ReadModel):
    records = projected(a_whole_story())
    before = model.fold(records).sums()
    with pytest.raises(StaleProjector):
        apply_batch(CORE, model.connection, records[:3], PARTITIONS)
    assert model.sums() == before


@pytest.mark.parametrize("value", [b"", b"no avro", b"\xc3\x01" + b"\0" * 8 + b"body"])
def test_of_bytes_that_are_no_fact_only_the_place_is_kept(model: ReadModel, value: bytes):
    story = a_whole_story()
    bad = story.log.write_bytes("ledger.v1", PROJECT.encode(), value)
    story.changed(story.project("a new cause"))
    model.fold(projected(story))
    kept = "SELECT stage, origin_topic, origin_partition, origin_offset, value FROM dead_letters"
    assert model.rows(kept) == [("projector", "ledger.v1", bad.partition, bad.offset, None)]
    assert model.value("SELECT max(ledger_seq) FROM ledger_change_sets") == 5


@pytest.mark.parametrize("error_class", ["RecordTooLarge", "Undecidable"])
def test_what_was_never_written_cannot_be_published_again(model: ReadModel, error_class: str):
    story = Story()
    letter = DeadLetter(
        stage="reduce",
        origin_topic="reduce.v1",
        origin_partition=0,
        origin_offset=7,  # of the answer in its place
        origin_key=PROJECT,
        error_class=error_class,
        error="ValueError at streams/reduce/plan.py:1 in plan",
        attempts=3,
    )
    story.outside(letter)
    model.fold(story.log.records)
    letter_id = model.value("SELECT dead_letter_id FROM dead_letters")
    with pytest.raises(Conflict, match=r"reduce.v1/0@7, so there is no record"):
        asyncio.run(retry_dead_letter(Settings(database_url=model.conninfo), letter_id))


def test_a_row_the_database_refuses_does_not_stop_its_neighbours(model: ReadModel):
    story = Story()
    story.project()
    story.requested(["README.md"])
    chunks = story.source("README.md", README)
    broken = replace_part(chunks[0], chunk_id="chk_broken", token_estimate=2**40)
    story.follows(story.revised["README.md"], broken)
    story.run_started()
    model.fold(story.log.records)
    assert model.value("SELECT error_class FROM dead_letters") == "NumericValueOutOfRange"
    assert model.value("SELECT count(*) FROM chunks") == 2
    assert model.value("SELECT status FROM ingestion_runs") == "running"


def test_a_fold_that_raises_leaves_out_its_record_and_the_ledger_goes_on(model: ReadModel):
    def sick(rows: Rows, fact: Envelope, event: LedgerChanged) -> None:
        if event.ledger_seq == 2:
            raise IndexError("words of the change set")
        CORE.folds["ledger.changed"](rows, fact, event)

    records = projected(a_whole_story())
    read_checkpoint(model.connection, CORE.name, sorted({(r.topic, r.partition) for r in records}))
    apply_batch(
        replace(CORE, folds={**CORE.folds, "ledger.changed": sick}),
        model.connection,
        records,
        PARTITIONS,
    )

    numbers = model.rows("SELECT ledger_seq FROM ledger_change_sets ORDER BY ledger_seq")
    assert [seq for (seq,) in numbers] == [1, 3, 4]
    [told] = list_undecided(model.connection)
    assert str(told) == (
        "1 record could not be decided (projector, IndexError): `cairn dlq list`,"
        " `cairn dlq retry` after an upgrade."
    )


def test_what_is_settled_is_told_no_more_whatever_was_read_first(model: ReadModel):
    letter = RecordUndecidable(
        stage="ledger",
        origin_topic="ledger.v1",
        origin_partition=0,
        origin_offset=7,
        origin_key=PROJECT,
        error_class="IndexError",
        error="IndexError at streams/ledger/figures/quantities.py:1 in scan",
        attempts=3,
        subject_id="cnd_1",
        stage_version="0.1.0",
    )
    story = Story()
    story.outside(DeadLetterSettled(dead_letter_id=letter.dead_letter_id, stage="ledger"))
    other = letter.model_copy(update={"origin_offset": 8})
    story.outside(letter)
    story.outside(other)
    model.fold(story.log.records)
    assert [(it.stage, it.count) for it in list_undecided(model.connection, PROJECT)] == [
        ("ledger", 1)
    ]
    assert list_undecided(model.connection, "prj_another") == []
    places = [it.origin_offset for it in list_dead_letters(model.connection).items]
    assert places == [other.origin_offset]
    every = list_dead_letters(model.connection, settled=True).items
    assert [(it.origin_offset, it.settled) for it in every] == [(7, True), (8, False)]


def test_a_nul_in_a_text_does_not_stop_the_projector(model: ReadModel):
    story = Story()
    story.outside(ProjectCreated(name="a\0b", description="\\u0000 stays"), natural_key="demo")
    model.fold(story.log.records)
    rows = model.rows("SELECT name, description FROM projects")
    assert rows == [("a\ufffdb", "\\u0000 stays")]


def chunk_states(model: ReadModel, story: Story) -> list[tuple[Any, ...]]:
    model.fold(projected(story))
    return model.rows("SELECT state, skip_reason FROM chunks ORDER BY source_id, anchor_start")


def a_story_with_a_readme() -> Story:
    story = Story()
    story.project()
    story.requested(["README.md"])
    story.source("README.md", "One paragraph that is long enough.")
    return story


def test_a_chunk_is_pending_until_it_is_planned(model: ReadModel):
    assert chunk_states(model, a_story_with_a_readme()) == [("pending", None)]


def test_a_planned_chunk_is_scheduled(model: ReadModel):
    story = a_story_with_a_readme()
    story.planned(story.chunks.values())
    assert chunk_states(model, story) == [("scheduled", None)]


def test_the_chunk_of_a_withdrawn_batch_is_pending_again(model: ReadModel):
    story = a_story_with_a_readme()
    story.planned(story.chunks.values(), batch_no=3)
    story.stopped(withdrawn_batches=[3])
    assert chunk_states(model, story) == [("pending", None)]


def test_a_poison_chunk_is_skipped_and_says_so(model: ReadModel):
    story = a_story_with_a_readme()
    (chunk,) = story.chunks.values()
    story.planned([chunk])
    story.read(chunk, outcome="poison")
    assert chunk_states(model, story) == [("skipped", "poison")]


def test_a_reading_outlasts_a_poison_answer_of_another_run(model: ReadModel):
    story = a_story_with_a_readme()
    (chunk,) = story.chunks.values()
    story.read(chunk)
    story.run = "run_other"
    story.read(chunk, outcome="poison")
    assert chunk_states(model, story) == [("extracted", None)]


def test_chunks_of_an_earlier_content_are_obsolete(model: ReadModel):
    story = a_story_with_a_readme()
    story.source("README.md", "Another paragraph, a later one.", trigger_key="t2")
    model.fold(story.log.records)
    counts = model.rows("SELECT state, count(*) FROM chunks GROUP BY state ORDER BY state")
    assert counts == [("obsolete", 1), ("pending", 1)]


def test_chunks_live_again_when_their_content_comes_back(model: ReadModel):
    story = a_story_with_a_readme()
    first = next(iter(story.chunks))
    story.source("README.md", "Another paragraph, a later one.", trigger_key="t2")
    story.source("README.md", "One paragraph that is long enough.", trigger_key="t3")
    model.fold(story.log.records)
    live = model.rows("SELECT chunk_id FROM chunks WHERE state <> 'obsolete'")
    assert live == [(first,)]
    assert model.value("SELECT count(*) FROM source_revisions") == 3


def source_state(model: ReadModel) -> tuple[Any, ...]:
    (row,) = model.rows("SELECT state, skip_reason FROM sources WHERE path = 'README.md'")
    return row


def test_a_source_that_repeats_another_is_skipped_as_a_duplicate(model: ReadModel):
    story = a_story_with_a_readme()
    same = SourceChange(
        kind="duplicate", source_id=source_of("README.md").source_id, other_source_id="src_other"
    )
    story.planned([], source_changes=[same])
    model.fold(story.log.records)
    assert source_state(model) == ("skipped", "duplicate_content")


def test_a_removed_source_says_so_until_it_is_seen_again(model: ReadModel):
    story = a_story_with_a_readme()
    gone = SourceChange(kind="removed", source_id=source_of("README.md").source_id)
    story.stopped(source_changes=[gone])
    folded = len(story.log.records)
    model.fold(story.log.records)
    assert source_state(model) == ("removed", None)
    story.source("README.md", "One paragraph that is long enough.", trigger_key="t2")
    model.fold(story.log.records[folded:])
    assert source_state(model) == ("sanitized", None)


def test_a_chunk_that_says_what_was_read_before_counts_as_read_and_names_where(model: ReadModel):
    story = a_story_with_a_readme()
    (chunk,) = story.chunks.values()
    same = Reanchored(
        from_chunk_id="chk_earlier", to_chunk_id=chunk.chunk_id, shift=0, line_shift=0
    )
    revised = SourceChange(kind="revised", source_id=chunk.source_id, reanchored=[same])
    story.planned([], source_changes=[revised])
    model.fold(story.log.records)
    assert model.rows("SELECT state, reanchored_from, reanchored_run_id FROM chunks") == [
        ("extracted", "chk_earlier", story.run)
    ]


def test_a_renamed_source_takes_the_place_of_the_one_it_was(model: ReadModel):
    story = a_story_with_a_readme()
    story.source("moved.md", "One paragraph that is long enough.")
    old, new = source_of("README.md").source_id, source_of("moved.md").source_id
    story.stopped(source_changes=[SourceChange(kind="renamed", source_id=new, other_source_id=old)])
    model.fold(story.log.records)
    assert dict(model.rows("SELECT path, state FROM sources")) == {
        "README.md": "removed",
        "moved.md": "sanitized",
    }


def test_a_run_shows_how_many_removals_it_holds_back(model: ReadModel):
    story = a_story_with_a_readme()
    story.stopped(removals_held=["src_1", "src_2"])
    model.fold(story.log.records)
    assert model.rows("SELECT removals_held FROM ingestion_runs") == [(["src_1", "src_2"],)]


def test_the_history_of_an_atom_has_a_row_for_every_change_set(model: ReadModel):
    story = a_story_with_a_readme()
    (chunk,) = story.chunks.values()
    atom = an_atom(chunk, story.run)
    story.read(chunk, atom)
    dismissed = replace_part(atom, status="dismissed", revision=2)
    story.changed(story.project("a new cause"), atoms=[dismissed])
    model.fold(projected(story))
    assert model.value("SELECT status FROM ledger_atoms") == "dismissed"
    rows = model.rows("SELECT ledger_seq, record->>'status' FROM ledger_atom_history ORDER BY 1")
    assert rows == [(1, "active"), (2, "dismissed")]


def test_a_verdict_that_refuses_a_candidate_is_a_rejection_and_no_other_is(model: ReadModel):
    story = a_whole_story()
    late = next(record for record in story.log.records if record.topic == "atom.validated.v1")
    reading = getattr(decode(late.value or b"").event, "reading")  # noqa: B009
    (refused,) = decode_rejections(story)
    rulings: tuple[tuple[str, str, Verdict], ...] = (
        ("no", "rejected", "reject"),
        ("yes", "active", "accept"),
    )
    for name, status, verdict in rulings:
        candidate = replace_part(refused.candidate, candidate_id=f"cnd_{name}", title=name)
        judged = replace_part(refused, candidate=candidate, status=status)
        ruled = AtomAdjudicated(reading=reading, judged=judged, verdict=verdict, decided_by="model")
        story.outside(ruled, natural_key=name)
    model.fold(projected(story))
    found = model.rows("SELECT title FROM ledger_rejections ORDER BY title")
    assert found == [("Too short",), ("no",)]


def test_rejections_of_withdrawn_batches_are_no_part_of_the_checksum(model: ReadModel):
    story = a_whole_story()
    quiet = checksums(CORE, model.fold(projected(story)).connection, PROJECT)["ledger_rejections"]
    late = next(record for record in story.log.records if record.topic == "atom.validated.v1")
    fact = decode(late.value or b"")
    story.run = "run_late"
    event = fact.event
    assert isinstance(event, AtomReflected)
    reading = replace_part(event.reading, batch_no=9, run_id=story.run)
    rejected = decode_rejections(story)
    late_event = replace_part(event, reading=reading, rejected=rejected)
    story.outside(late_event, natural_key="late")
    story.stopped(withdrawn_batches=[9])
    model.emptied().fold(projected(story))
    assert model.value("SELECT count(*) FROM ledger_rejections") == 2
    assert checksums(CORE, model.connection, PROJECT)["ledger_rejections"] == quiet


def decode_rejections(story: Story) -> list[Any]:
    """The rejections in the story, as candidates of another name."""
    for record in story.log.records:
        event = decode(record.value or b"").event
        if rejected := getattr(event, "rejected", None):
            return [
                replace_part(
                    judged, candidate=replace_part(judged.candidate, candidate_id="cnd_late")
                )
                for judged in rejected
            ]
    raise AssertionError("no rejection in the story")


def test_checksums_do_not_see_when_something_happened(model: ReadModel, other_model: ReadModel):
    story = a_whole_story()
    later = Story()
    for record in projected(story):
        fact = decode(record.value or b"")
        assert fact.recorded_at is not None
        moved = replace(fact, recorded_at=fact.recorded_at.replace(year=2030))
        if isinstance(fact.event, LedgerChanged):
            moved = replace(moved, event=replace_part(fact.event, prev_hash=later.prev_hash))
            later.prev_hash = ids.sha256_hex(encode(moved))
        else:
            moved = replace(moved, occurred_at=fact.occurred_at.replace(year=2030))
        later.log.write_bytes(record.topic, record.key or b"", encode(moved), record.headers)
    one = checksums(CORE, model.fold(projected(story)).connection, PROJECT)
    other = checksums(CORE, other_model.fold(later.log.records).connection, PROJECT)
    assert one == other
