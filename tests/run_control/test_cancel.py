"""A run can be ended between two batches and gone on with; the rest stays to be read."""

from schemas.events.ingestion import BatchPlanned, RunStarted, RunStopped
from schemas.events.ingestion_request import RunCancelRequested, RunResumeRequested
from tests.run_control.play import Play, a_source, chunks_read


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def a_run(chunks: int = 10, **limits) -> tuple[Play, RunStarted, list[BatchPlanned]]:
    source = a_source("a.md", chunks)
    limits = {"batch_size": 2, "planned_ahead": 1} | limits
    play = Play().asked(source, lanes=["deep"], **limits).ready(source)
    decided = play.when()
    return play, of(RunStarted, decided)[0], of(BatchPlanned, decided)


def cancel(run: RunStarted, reason: str = "wrong folder") -> RunCancelRequested:
    return RunCancelRequested(run_id=run.run_id, request_key="c", reason=reason)


def resume(run: RunStarted, key: str = "r", **more) -> RunResumeRequested:
    return RunResumeRequested(run_id=run.run_id, request_key=key, **more)


def test_a_cancelled_run_plans_nothing_more_and_ends_when_its_batches_are_in_the_ledger():
    play, run, (first, second) = a_run()
    play.given(cancel(run))
    assert play.when() == []
    play.ledger_applies(first)
    assert of(RunStopped, play.when()) == []
    play.ledger_applies(second)
    (stop,) = of(RunStopped, play.when())
    assert (stop.stop_reason, stop.stop_detail) == ("cancelled", "wrong folder")
    assert (stop.totals.chunks_processed, stop.withdrawn_batches) == (4, [])


def test_a_run_that_judges_each_batch_withdraws_what_it_had_planned_when_cancelled():
    play, run, (first, second) = a_run(new_atoms_per_10k_tokens=1)
    play.given(cancel(run))
    play.ledger_applies(first, atoms=5)
    (stop,) = of(RunStopped, play.when())
    assert (stop.stop_reason, stop.withdrawn_batches) == ("cancelled", [second.batch_no])


def test_a_run_that_waits_for_sources_is_cancelled_at_once():
    play = Play().asked(a_source("a.md"), lanes=["deep"])
    (run,) = of(RunStarted, play.when())
    (stop,) = of(RunStopped, play.given(cancel(run)).when())
    assert stop.stop_reason == "cancelled"


def test_a_resumed_run_reads_what_is_left_of_the_same_listing():
    play, run, planned = a_run()
    play.given(cancel(run))
    for batch in planned:
        play.ledger_applies(batch)
    (stop,) = of(RunStopped, play.when())
    assert of(RunStarted, play.given(resume(run)).when()) == []
    play.ledger_ends(stop)
    decided = play.to_the_end()
    (again,) = of(RunStarted, decided)
    assert (again.resumed_from, again.trigger_key) == (run.run_id, run.trigger_key)
    before = [chunk for batch in planned for chunk in batch.hint.selected_chunk_ids]
    everything = [ref.chunk_id for ref in a_source("a.md", 10).chunks]
    assert sorted(chunks_read(decided) + before) == sorted(everything)


def test_a_resumed_deep_run_also_begins_with_the_first_tier():
    sources = [a_source("README.md", 4, tier=1), a_source("a.py", 4)]
    play = Play().asked(*sources, max_chunks_per_run=2, batch_size=2).ready(*sources)
    deep = of(RunStarted, play.to_the_end())[1]
    again = of(BatchPlanned, play.given(resume(deep)).when())
    assert again[0].hint.selected_chunk_ids == ["chk_README.md_2", "chk_README.md_3"]


def test_the_same_resume_twice_starts_one_run_and_another_key_another():
    play, run, _ = a_run()
    play.to_the_end()
    play.given(resume(run), resume(run))
    assert len(of(RunStarted, play.to_the_end())) == 1
    assert len(of(RunStarted, play.given(resume(run, "r2")).to_the_end())) == 1


def test_a_chunk_that_was_given_up_is_counted_and_read_again_only_when_asked():
    play, run, planned = a_run(4)
    play.ledger_applies(planned[0], poison=("chk_a.md_1",))
    play.ledger_applies(planned[1])
    (stop,) = of(RunStopped, play.when())
    assert (stop.totals.chunks_processed, stop.totals.chunks_poison) == (3, 1)
    play.ledger_ends(stop)
    assert chunks_read(play.given(resume(run, "plain")).to_the_end()) == []
    retried = play.given(resume(run, "retry", retry_poison=True)).to_the_end()
    assert chunks_read(retried) == ["chk_a.md_1"]


def test_a_new_complete_listing_of_the_root_ends_its_unfinished_runs_first():
    play, _, planned = a_run()
    source = a_source("a.md", 10)
    play.asked(source, key="k2", lanes=["deep"])
    play.ready(source.model_copy(update={"trigger_key": "k2", "outcome": "unchanged"}))
    assert play.when() == []
    for batch in planned:
        play.ledger_applies(batch)
    (stop,) = of(RunStopped, play.when())
    assert (stop.stop_reason, stop.stop_detail) == ("cancelled", "superseded")
    play.ledger_ends(stop)
    before = [chunk for batch in planned for chunk in batch.hint.selected_chunk_ids]
    read = chunks_read(play.to_the_end())
    assert sorted(read + before) == sorted(ref.chunk_id for ref in source.chunks)


def test_a_listing_of_some_sources_ends_nothing():
    play, _, _ = a_run()
    play.asked(a_source("a.md", 10), key="k2", lanes=["deep"], complete=False)
    (started,) = of(RunStarted, play.when())
    assert started.trigger_key == "k2"


def test_a_superseded_run_may_be_resumed_after_the_one_that_came_for_it_began():
    play = Play().asked(a_source("a.md"), lanes=["deep"])
    (first,) = of(RunStarted, play.when())
    play.asked(a_source("a.md"), key="k2", lanes=["deep"])
    (stop,) = of(RunStopped, play.when())
    play.ledger_ends(stop)
    assert [run.trigger_key for run in of(RunStarted, play.when())] == ["k2"]
    decided = play.given(resume(first)).when()
    assert len(of(RunStarted, decided)) == 1
    assert of(RunStopped, decided) == []
