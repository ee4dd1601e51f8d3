"""Of a run that is judged batch by batch nothing is applied before the run is known to go on."""

from __future__ import annotations

from schemas.events.ingestion import BatchCommitted, Counters, RunStarted, RunStopped, StopReason
from streams.stage import Record
from tests.ledger.story import LIMITS, Batch, Chunk, Run, Story, fact, ingestion_of, results_of

RUN = Run([Batch([Chunk("one")]), Batch([Chunk("two")]), Batch([Chunk("three")])], withdrawn=[1, 2])


def facts() -> tuple[list[Record], Record, list[Record]]:
    """Start and plans, the end, and the readings of a run with a least yield."""
    *begun, end = ingestion_of(RUN)
    started = begun[0].envelope.event
    assert isinstance(started, RunStarted)
    limits = LIMITS.model_copy(update={"new_atoms_per_10k_tokens": 2.0})
    guarded = started.model_copy(update={"limits": limits})
    begun[0] = fact(guarded, "started", lane=RUN.lane, run=RUN.run_id)
    assert isinstance(end.envelope.event, RunStopped)
    return begun, end, results_of(RUN)


def commit(batch_no: int, stop_reason: StopReason | None = None) -> Record:
    event = BatchCommitted(
        run_id=RUN.run_id,
        batch_no=batch_no,
        ledger_seq=batch_no + 1,
        last_successful_chunk_id=None,
        counters=Counters(),
        new_atoms_per_10k_tokens=0.0,
        stop_reason=stop_reason,
    )
    return fact(event, f"{batch_no}|committed", lane=RUN.lane, run=RUN.run_id)


def chunks(story: Story) -> list[str | None]:
    return [each.turn.chunk_id for each in story.change_sets if each.turn]


def test_a_batch_begins_when_the_commit_before_says_that_the_run_goes_on():
    begun, _, results = facts()
    story = Story().play([*begun, *results])
    assert chunks(story) == ["one"]
    assert chunks(story.play([commit(0)])) == ["one", "two"]


def test_after_the_last_commit_only_the_runs_end_follows():
    begun, end, results = facts()
    story = Story().play([*begun, *results, commit(0, "diminishing_returns"), end])
    assert chunks(story) == ["one", None]


def test_a_lost_store_folds_to_the_same_place_whichever_topic_comes_first():
    for own_first in (True, False):
        begun, _, results = facts()
        story = Story().play([*begun, *results, commit(0)])
        before = story.bytes()
        story.refold(own_first)
        story.decide()
        assert story.bytes() == before
        assert chunks(story.play([commit(1)])) == ["one", "two", "three"]
