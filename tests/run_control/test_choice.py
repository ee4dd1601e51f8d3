"""Every batch names the rule it was chosen by, and every candidate the reason it was looked at."""

import pytest

from schemas.events.ingestion import BatchPlanned, RunStopped
from tests.run_control.play import Play, a_chunk, a_source, chunks_read


def first_batch(*sources, **asking) -> BatchPlanned:
    """The first batch that a deep run over the sources chooses."""
    play = Play().asked(*sources, lanes=["deep"], asking=asking).ready(*sources)
    return next(event for event in play.when() if isinstance(event, BatchPlanned))


def reasons(batch: BatchPlanned) -> list[str]:
    return [candidate.reason_code for candidate in batch.hint.candidate_chunks]


@pytest.mark.parametrize("trigger", ["delta", "stale_evidence", "edit"])
def test_a_request_about_some_sources_reads_these_only_and_says_so(trigger):
    known = [a_source("a.py"), a_source("b.py")]
    play = Play().asked(*known, lanes=["deep"], max_chunks_per_run=1).ready(*known)
    play.to_the_end()
    named = a_source("b.py", trigger_key="k2", outcome="unchanged")
    play.asked(named, key="k2", lanes=["deep"], complete=False, asking={"trigger": trigger})
    decided = play.ready(named).to_the_end()
    assert chunks_read(decided) == ["chk_b.py_0", "chk_b.py_1"]
    batch = next(event for event in decided if isinstance(event, BatchPlanned))
    assert batch.hint.decision_rule == "delta"
    assert [stop.stop_reason for stop in decided if isinstance(stop, RunStopped)] == ["exhausted"]


def test_stale_evidence_is_its_own_reason():
    assert reasons(first_batch(a_source("a.py", 1), trigger="stale_evidence")) == ["stale_evidence"]


def test_what_is_mandatory_comes_before_what_was_named():
    batch = first_batch(a_source("README.md", 1, tier=1), trigger="delta")
    assert batch.hint.decision_rule == "mandatory_set"
    assert reasons(batch) == ["mandatory_set_uncovered"]


def test_a_new_chunk_with_a_structure_is_of_high_value_and_a_plain_one_is_not():
    chunks = [a_chunk("a.py", 0, words=[7], structured=True), a_chunk("a.py", 1)]
    source = a_source("a.py", chunks=0).model_copy(update={"chunks": chunks})
    batch = first_batch(source)
    assert batch.hint.decision_rule == "best_effort"
    assert reasons(batch) == ["high_value_source", "best_effort"]


def test_batches_follow_the_tiers_when_nothing_else_tells_chunks_apart():
    sources = [a_source("R", 2, tier=1), a_source("m.toml", 2, tier=2), a_source("deep.py", 2)]
    play = Play().asked(*sources, lanes=["deep"], batch_size=2).ready(*sources)
    read = chunks_read(play.to_the_end())
    assert [chunk.split("_")[1] for chunk in read] == ["R", "R", *["m.toml"] * 2, *["deep.py"] * 2]
