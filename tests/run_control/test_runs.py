"""Which chunks are read in which batch depends on recorded states, and every chunk is read once."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events.extract import ExtractRequested
from schemas.events.ingestion import BatchCommitted, BatchPlanned, RunStarted, RunStopped
from schemas.events.ingestion_request import SourcesUnchanged
from schemas.events.ledger import LedgerChanged, Turn
from streams.run_control.writer import RUN_CONTROL
from streams.stage import Record
from streams.tables import MemoryTables
from tests.run_control.play import Play, a_chunk, a_source, chunks_read


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def test_a_whole_listing_starts_a_run_for_each_lane_the_preview_first():
    play = Play().asked(a_source("README.md", tier=1), a_source("a.py"))
    started = of(RunStarted, play.when())
    assert [(run.lane, run.source_count) for run in started] == [("preview", 1), ("deep", 2)]


def test_nothing_starts_before_the_listing_is_whole():
    play = Play()
    whole = Play().asked(a_source("a.py"))
    request, listing = (envelope.event for envelope in whole.inputs)
    play.given(request, listing.model_copy(update={"part_count": 2}))
    assert play.when() == []
    play.given(listing.model_copy(update={"part_count": 2, "part_index": 1, "sources": []}))
    assert len(of(RunStarted, play.when())) == 2


def test_a_batch_waits_until_every_source_of_its_horizon_is_ready():
    readme, code = a_source("README.md", tier=1), a_source("a.py")
    play = Play().asked(readme, code)
    play.when()
    assert chunks_read(play.ready(code).when()) == []
    assert chunks_read(play.ready(readme).when()) == [
        "chk_README.md_0",
        "chk_README.md_1",
        "chk_a.py_0",
        "chk_a.py_1",
    ]


def test_a_preview_begins_when_its_first_eight_sources_are_ready():
    sources = [a_source(f"docs/{n:02}.md", 2, tier=1) for n in range(40)]
    play = Play().asked(*sources, lanes=["preview"]).ready(*sources[:7])
    assert chunks_read(play.when()) == []
    (batch, *_) = of(BatchPlanned, play.ready(sources[7]).when())
    read = {chunk.rpartition("_")[0] for chunk in batch.hint.selected_chunk_ids}
    assert read == {f"chk_docs/{n:02}.md" for n in range(8)}


def test_a_preview_of_a_listing_without_mandatory_sources_reads_the_first_32():
    sources = [a_source(f"m{n:02}.py") for n in range(40)]
    (run,) = of(RunStarted, Play().asked(*sources, lanes=["preview"]).when())
    assert run.source_count == 32


def test_the_deep_run_leaves_the_previews_sources_alone_while_it_lasts():
    readme, code = a_source("README.md", tier=1), a_source("a.py")
    play = Play().asked(readme, code).ready(readme, code)
    planned = of(BatchPlanned, play.when())
    chosen = [batch.hint.selected_chunk_ids for batch in planned]
    assert chosen == [["chk_README.md_0", "chk_README.md_1"], ["chk_a.py_0", "chk_a.py_1"]]


def test_every_chunk_is_read_exactly_once_and_both_runs_end():
    sources = [a_source("README.md", 3, tier=1), *(a_source(f"m{n}.py", 5) for n in range(60))]
    play = Play().asked(*sources).ready(*sources)
    done = play.to_the_end()
    read = chunks_read(done)
    assert sorted(read) == sorted(ref.chunk_id for source in sources for ref in source.chunks)
    assert [stop.stop_reason for stop in of(RunStopped, done)] == [
        "mandatory_set_covered",
        "exhausted",
    ]
    commits = of(BatchCommitted, done)
    assert [c.batch_no for c in commits if c.run_id == commits[-1].run_id] == list(
        range(commits[-1].batch_no + 1)
    )


def test_the_checkpoint_is_the_last_chunk_of_the_committed_batch():
    source = a_source("README.md", 3, tier=1)
    play = Play().asked(source, lanes=["preview"]).ready(source)
    (batch,) = of(BatchPlanned, play.when())
    play.ledger_applies(batch)
    (commit,) = of(BatchCommitted, play.when())
    assert commit.last_successful_chunk_id == batch.hint.selected_chunk_ids[-1]
    assert commit.counters.chunks_processed == 3
    assert commit.counters.tokens == 300


def test_only_so_many_batches_are_under_way_at_once():
    source = a_source("a.py", 100)
    play = Play().asked(source, lanes=["deep"], batch_size=10, planned_ahead=2).ready(source)
    planned = of(BatchPlanned, play.when())
    assert [batch.batch_no for batch in planned] == [0, 1, 2]
    play.ledger_applies(planned[0])
    assert [batch.batch_no for batch in of(BatchPlanned, play.when())] == [3]


def test_a_batch_is_chosen_from_the_gaps_at_the_commit_of_its_basis():
    chunks = [a_chunk("a.py", at, areas=["security"] if at == 9 else []) for at in range(10)]
    source = a_source("a.py", chunks=0).model_copy(update={"chunks": chunks})
    play = Play().asked(source, lanes=["deep"], batch_size=2, planned_ahead=0).ready(source)
    (first,) = of(BatchPlanned, play.when())
    play.ledger_applies(first, gaps=["security"])
    (second,) = of(BatchPlanned, play.when())
    assert second.hint.decision_rule == "gap_fill"
    assert second.hint.selected_chunk_ids[0] == "chk_a.py_9"
    assert second.hint.gaps_targeted == ["security"]
    assert second.hint.candidate_chunks[0].reason_code == "gap_match"
    assert second.basis_seq == 2


def test_every_candidate_shown_has_a_score_and_ranks_count_from_one():
    source = a_source("a.py", 100)
    play = Play().asked(source, lanes=["deep"]).ready(source)
    (batch, *_) = of(BatchPlanned, play.when())
    shown = batch.hint.candidate_chunks
    assert [candidate.priority_rank for candidate in shown] == list(range(1, 51))
    scores = [candidate.expected_value_score for candidate in shown]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_a_copy_of_an_earlier_listed_source_is_told_and_not_read():
    one, two = a_source("a.md", content="same"), a_source("b.md", content="same")
    play = Play().asked(one, two, lanes=["deep"]).ready(one, two)
    done = play.to_the_end()
    assert set(chunks_read(done)) == {"chk_a.md_0", "chk_a.md_1"}
    (change,) = [change for batch in of(BatchPlanned, done) for change in batch.source_changes]
    assert (change.kind, change.source_id, change.other_source_id) == (
        "duplicate",
        "src_b.md",
        "src_a.md",
    )


def test_a_revised_source_is_told_to_the_ledger_before_its_chunks():
    old = a_source("a.md", content="old")
    play = Play().asked(old, lanes=["deep"]).ready(old)
    play.to_the_end()
    new = a_source("a.md", content="new", trigger_key="k2", revision_seq=2).model_copy(
        update={
            "previous_sanitized_hash": old.sanitized_hash,
            "chunks": [a_chunk("new", 0, text_hash="g")],
        }
    )
    play.asked(new, key="k2", lanes=["deep"]).ready(new)
    (batch,) = of(BatchPlanned, play.when())
    (change,) = batch.source_changes
    assert (change.kind, change.old_hash, change.new_hash) == (
        "revised",
        old.sanitized_hash,
        new.sanitized_hash,
    )
    assert batch.hint.candidate_chunks[0].reason_code == "changed_content"


def test_an_unchanged_source_is_not_read_again():
    source = a_source("a.md")
    play = Play().asked(source, lanes=["deep"]).ready(source)
    play.to_the_end()
    play.asked(source, key="k2", lanes=["deep"])
    play.given(SourcesUnchanged(trigger_key="k2", part_index=0, source_ids=["src_a.md"]))
    done = play.to_the_end()
    assert chunks_read(done) == []
    assert [stop.stop_reason for stop in of(RunStopped, done)] == ["exhausted"]


def test_an_empty_listing_ends_at_once():
    play = Play().asked()
    assert len(of(RunStopped, play.to_the_end())) == 2


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ({"max_chunks_per_run": 3}, "max_chunks_per_run"),
        ({"token_budget": 350}, "budget_exhausted"),
    ],
)
def test_a_limit_ends_the_run_and_is_named(limit, reason):
    source = a_source("a.md", 10)
    play = Play().asked(source, lanes=["deep"], **limit).ready(source)
    done = play.to_the_end()
    assert len(chunks_read(done)) == 3
    assert [stop.stop_reason for stop in of(RunStopped, done)] == [reason]


def test_what_a_preview_leaves_at_its_limit_the_deep_run_reads():
    readme = a_source("README.md", 10, tier=1)
    play = Play().asked(readme, max_chunks_per_run=6).ready(readme)
    done = play.to_the_end()
    stops = [stop.stop_reason for stop in of(RunStopped, done)]
    assert stops == ["max_chunks_per_run", "exhausted"]
    assert sorted(chunks_read(done)) == sorted(ref.chunk_id for ref in readme.chunks)


def test_a_skipped_chunk_and_a_skipped_source_are_counted_not_read():
    skipped = a_source("b.png", 0, outcome="skipped", skip_reason="binary")
    chunks = [a_chunk("a.md", 0), a_chunk("a.md", 1, skip_reason="too_short")]
    source = a_source("a.md", chunks=0).model_copy(update={"chunks": chunks})
    play = Play().asked(source, skipped, lanes=["deep"]).ready(source, skipped)
    done = play.to_the_end()
    (stop,) = of(RunStopped, done)
    assert chunks_read(done) == ["chk_a.md_0"]
    assert (stop.sources_processed, stop.sources_skipped, stop.chunks_skipped) == (1, 1, 1)


def test_the_next_request_starts_only_when_the_run_before_has_its_last_turn():
    source = a_source("a.md")
    play = Play().asked(source, lanes=["deep"]).ready(source)
    (batch,) = of(BatchPlanned, play.when())
    play.ledger_applies(batch)
    (stop,) = of(RunStopped, play.when())
    play.asked(source, key="k2", lanes=["deep"])
    assert of(RunStarted, play.when()) == []
    play.ledger_ends(stop)
    (started,) = of(RunStarted, play.when())
    assert started.basis_seq == 3


def test_requests_name_the_place_of_the_chunk_and_their_position():
    chunks = [a_chunk("a.md", 0, partition=2, offset=41)]
    source = a_source("a.md", chunks=0).model_copy(update={"chunks": chunks})
    play = Play().asked(source, lanes=["deep"]).ready(source)
    (request,) = of(ExtractRequested, play.when())
    assert (request.chunk_partition, request.chunk_offset, request.position) == (2, 41, 1)


@pytest.mark.parametrize(
    ("lane", "engine", "told"),
    [
        ("preview", "heuristic", True),
        ("preview", "model", True),
        ("deep", "model", True),
        ("deep", "heuristic", False),
    ],
)
def test_a_model_is_told_the_state_of_the_project_in_both_lanes(lane, engine, told):
    sources = [a_source("README.md", 2, tier=1)]
    asking = {"engine": engine}
    play = Play().asked(*sources, lanes=[lane], asking=asking, batch_size=1, planned_ahead=0)
    requests = of(ExtractRequested, play.ready(*sources).to_the_end())
    assert [request.project_state_version for request in requests] == ["", "v"]
    stated = [bool(request.project_state) for request in requests]
    assert stated == [False, told]


def a_busy_play() -> Play:
    sources = [a_source("README.md", 3, tier=1), *(a_source(f"m{n}.py", 4) for n in range(20))]
    play = Play().asked(*sources, batch_size=8).ready(*sources)
    play.to_the_end()
    return play


@settings(max_examples=40)
@given(cut=st.integers(0, 300), lost=st.integers(0, 20))
def test_state_thrown_away_and_folded_again_decides_the_same(cut, lost):
    quiet = a_busy_play()
    own = {envelope.event_id: envelope.event for envelope in quiet.written}
    before, after = quiet.order[:cut], quiet.order[cut:]
    state = RUN_CONTROL.open(MemoryTables())
    for envelope in [e for e in before if e.event_id in own]:
        fold(state, envelope)
    decided = {envelope.event_id for envelope in before if envelope.event_id in own}
    inputs = [envelope for envelope in before if envelope.event_id not in own]
    for envelope in inputs[: max(0, len(inputs) - lost)]:
        fold(state, envelope)
    for envelope in [*inputs, *(e for e in after if e.event_id not in own)]:
        fold(state, envelope)
        while decision := RUN_CONTROL.decide(state):
            assert decision.commit_record.event == own[decision.commit_record.event_id]
            decided.add(decision.commit_record.event_id)
            fold(state, decision.commit_record)
    markers = {e.event_id for e in quiet.written if not isinstance(e.event, ExtractRequested)}
    assert decided == markers


def fold(state, envelope):
    RUN_CONTROL.evolve(state, Record("t", 0, 0, b"", envelope))


def test_repeats_of_inputs_and_of_own_output_change_nothing():
    play = a_busy_play()
    for envelope in itertools.chain(play.inputs, play.written):
        play.fold(envelope)
    assert play.when() == []


def test_a_turn_built_on_a_change_set_nobody_accepted_moves_no_batch():
    play = Play()
    sources = [a_source("README.md", 2, tier=1)]
    play.asked(*sources, lanes=("deep",)).ready(*sources)
    (planned,) = [event for event in play.when() if isinstance(event, BatchPlanned)]
    play.ledger_begins(planned, 1)
    turn = Turn(
        run_id=planned.run_id,
        batch_no=0,
        position=2,
        kind="chunk",
        lane="deep",
        chunk_id=planned.hint.selected_chunk_ids[1],
        outcome="extracted",
        last_in_batch=True,
    )
    stray = LedgerChanged(ledger_seq=2, prev_hash="another", caused_by_event_id="x", turn=turn)
    play.given(stray)
    assert play.when() == []
