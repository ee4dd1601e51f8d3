"""Every stop rule fires in a constructed case and is named; what was planned ahead is withdrawn."""

from typing import Any

import pytest

from schemas.events.ingestion import BatchCommitted, BatchPlanned, RunStopped, SourceChange
from tests.run_control.play import Play, a_chunk, a_source, chunks_read


def of(kind: Any, events: list[Any]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def a_deep_run(chunks: int, asking=None, **limits) -> Play:
    """A deep run over one source, its first batches planned; estimates are far too low."""
    refs = [a_chunk("a.md", at, token_estimate=1) for at in range(chunks)]
    source = a_source("a.md", chunks=0).model_copy(update={"chunks": refs})
    limits = {"batch_size": 2, "planned_ahead": 1} | limits
    play = Play().asked(source, lanes=["deep"], asking=asking, **limits).ready(source)
    play.when()
    return play


def batch(play: Play, batch_no: int) -> BatchPlanned:
    planned = of(BatchPlanned, [envelope.event for envelope in play.written])
    found: BatchPlanned = next(event for event in planned if event.batch_no == batch_no)
    return found


def applied(play: Play, *atoms_of_batches: int) -> list[Any]:
    """The ledger applies one batch after another, each with so many new atoms."""
    decided: list[Any] = []
    for batch_no, atoms in enumerate(atoms_of_batches):
        play.ledger_applies(batch(play, batch_no), atoms=atoms)
        decided = play.when()
    return decided


def test_batches_in_a_row_that_bring_too_little_end_the_run():
    play = a_deep_run(20, new_atoms_per_10k_tokens=100, low_batches=2)
    decided = applied(play, 3, 1, 0)
    (commit,), (stop,) = of(BatchCommitted, decided), of(RunStopped, decided)
    assert commit.stop_reason == stop.stop_reason == "diminishing_returns"
    assert (stop.totals.chunks_processed, stop.withdrawn_batches) == (6, [3])
    assert of(BatchPlanned, decided) == []


def test_a_batch_that_brings_enough_starts_the_count_anew():
    play = a_deep_run(8, new_atoms_per_10k_tokens=100, low_batches=2)
    (stop,) = of(RunStopped, applied(play, 0, 2, 0, 2))
    assert stop.stop_reason == "exhausted"


def test_the_offline_default_reads_on_however_little_it_finds():
    play = a_deep_run(8)
    (stop,) = of(RunStopped, applied(play, 0, 0, 0, 0))
    assert stop.stop_reason == "exhausted"


def test_a_model_that_used_up_the_budget_ends_the_run_whatever_was_planned():
    play = a_deep_run(20, asking={"engine": "model"}, token_budget=400)
    (stop,) = of(RunStopped, applied(play, 9, 9))
    assert stop.stop_reason == "budget_exhausted"
    assert (stop.totals.tokens, stop.withdrawn_batches) == (400, [2])


def test_a_run_that_has_read_all_within_its_last_tokens_has_no_spent_budget():
    play = a_deep_run(4, asking={"engine": "model"}, token_budget=400)
    (stop,) = of(RunStopped, applied(play, 9, 9))
    assert stop.stop_reason == "exhausted"
    assert (stop.totals.tokens, stop.withdrawn_batches) == (400, [])


def test_the_budget_comes_before_diminishing_returns():
    limits = {"token_budget": 400, "new_atoms_per_10k_tokens": 100, "low_batches": 2}
    play = a_deep_run(20, asking={"engine": "model"}, **limits)
    (stop,) = of(RunStopped, applied(play, 0, 0))
    assert stop.stop_reason == "budget_exhausted"


def test_the_most_chunks_come_before_the_covered_target():
    readme = a_source("README.md", 4, tier=1)
    play = Play().asked(readme, lanes=["preview"], max_chunks_per_run=4).ready(readme)
    (stop,) = of(RunStopped, play.to_the_end())
    assert stop.stop_reason == "max_chunks_per_run"


@pytest.mark.parametrize(("target", "read"), [("tier1", ["R"]), ("mandatory", ["R", "m.toml"])])
def test_a_run_with_a_target_stops_when_it_is_covered_and_leaves_the_rest(target, read):
    sources = [a_source("R", 3, tier=1), a_source("m.toml", 2, tier=2), a_source("deep.py", 5)]
    play = Play().asked(
        *sources, lanes=["deep"], asking={"coverage_target": target}, batch_size=2, planned_ahead=0
    )
    done = play.ready(*sources).to_the_end()
    (stop,) = of(RunStopped, done)
    assert stop.stop_reason == "mandatory_set_covered"
    assert [chunk.split("_")[1] for chunk in chunks_read(done)] == sorted(
        (chunk.split("_")[1] for chunk in chunks_read(done)), key=read.index
    )
    assert {chunk.split("_")[1] for chunk in chunks_read(done)} == set(read)


def test_a_best_effort_run_goes_on_into_the_last_tier():
    sources = [a_source("R", 1, tier=1), a_source("deep.py", 1)]
    play = Play().asked(*sources, lanes=["deep"]).ready(*sources)
    (stop,) = of(RunStopped, play.to_the_end())
    assert (stop.stop_reason, stop.totals.chunks_processed) == ("exhausted", 2)


def test_chunks_of_withdrawn_batches_are_read_by_the_next_request():
    play = a_deep_run(12, new_atoms_per_10k_tokens=100, low_batches=1)
    (stop,) = of(RunStopped, applied(play, 0))
    play.ledger_ends(stop)
    before = batch(play, 0).hint.selected_chunk_ids
    source = a_source("a.md", 12)
    again = play.asked(source, key="k2", lanes=["deep"]).ready(
        source.model_copy(update={"trigger_key": "k2", "outcome": "unchanged"})
    )
    read = chunks_read(again.to_the_end())
    assert sorted(read + before) == sorted(ref.chunk_id for ref in source.chunks)


def test_what_a_withdrawn_batch_would_have_told_of_a_source_is_told_with_the_end():
    old = a_source("a.md", 6, content="old")
    play = Play().asked(old, lanes=["deep"]).ready(old)
    play.to_the_end()
    new = a_source("a.md", content="new", trigger_key="k2", revision_seq=2).model_copy(
        update={
            "previous_sanitized_hash": old.sanitized_hash,
            "chunks": [a_chunk("new", at, text_hash=f"n{at}") for at in range(4)],
        }
    )
    other = a_source("b.md", 2, trigger_key="k2")
    limits: dict[str, Any] = {"low_batches": 1, "batch_size": 2, "horizon": 1}
    limits["new_atoms_per_10k_tokens"] = 100
    play.asked(other, new, key="k2", lanes=["deep"], **limits).ready(other, new)
    first, second = of(BatchPlanned, play.when())[:2]
    assert second.source_changes
    play.ledger_applies(first, atoms=0)
    (stop,) = of(RunStopped, play.when())
    assert (
        stop.source_changes
        == second.source_changes
        == [
            SourceChange(
                kind="revised",
                source_id="src_a.md",
                old_hash=old.sanitized_hash,
                new_hash=new.sanitized_hash,
            )
        ]
    )
    assert stop.unfinished_sources == ["src_a.md"]


def test_a_limit_leaves_its_sources_unfinished_so_that_nothing_becomes_obsolete():
    sources = [a_source("a.md", 4), a_source("b.md", 4)]
    play = Play().asked(*sources, lanes=["deep"], max_chunks_per_run=5).ready(*sources)
    (stop,) = of(RunStopped, play.to_the_end())
    assert (stop.stop_reason, stop.unfinished_sources) == ("max_chunks_per_run", ["src_b.md"])
