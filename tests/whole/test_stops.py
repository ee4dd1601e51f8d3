"""Whatever order, repeat or loss: a run stops at the same batch for the same reason, and what was
withdrawn leaves nothing in the ledger.
"""

from functools import cache
from typing import Any

import pytest

from schemas.envelope import Event
from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion import (
    BatchCommitted,
    BatchPlanned,
    DeepDiveQueued,
    RunStarted,
    RunStopped,
)
from schemas.events.ledger import LedgerChanged
from streams.memory import Driver, Faults
from streams.pipeline import pipeline
from tests.parcel import contents
from tests.whole.test_faults import FAULTS, read
from tests.worlds import ingestion

DEFINED = b"The **Gateway** is the service that receives scan events over HTTP.\n\n"
ONE_SIDE = DEFINED + b"The Gateway must run on Kubernetes.\n"
OTHER_SIDE = DEFINED + b"The Gateway must not run on Kubernetes.\n"
DISPUTED = {
    "README.md": b"# Running it\n\n" + ONE_SIDE,
    "AGENTS.md": b"# Rules\n\n" + OTHER_SIDE,
    "CLAUDE.md": b"# Working here\n\n" + OTHER_SIDE,
    "docs/architecture.md": b"# Where it runs\n\n" + ONE_SIDE,
    "notes/one.md": b"# Notes\n\nThe Gateway keeps revoked sessions in PostgreSQL for a month.\n",
    "notes/two.md": b"# Two\n\nThe depot is red and stands beside the river since last year.\n",
}
DIMINISHING: dict[str, Any] = {
    "lanes": ["deep"],
    "limits": {"new_atoms_per_10k_tokens": 100_000, "low_batches": 2, "batch_size": 3},
}


def facts(driver: Driver, topic: str, kind: type[Event]) -> list[Any]:
    """The facts of a kind, repeats left out, in the order of their project's log."""
    found = {
        record.envelope.event_id: record.envelope.event
        for record in driver.log.of(topic)
        if isinstance(record.envelope.event, kind)
    }
    return list(found.values())


def run(files: dict[str, bytes], asking: dict[str, Any], **faults: Any) -> Driver:
    driver = Driver(pipeline(read), faults=Faults(**faults))
    driver.publish(ingestion(files, **asking))
    driver.run()
    return driver


def ends(driver: Driver) -> list[tuple[Any, ...]]:
    """Where and why each run stopped, and what its checkpoints say."""
    return [
        (stop.run_id, stop.stop_reason, stop.totals, stop.unfinished_sources)
        for stop in facts(driver, "ingestion.v1", RunStopped)
    ] + [
        (commit.run_id, commit.batch_no, commit.ledger_seq, commit.stop_reason)
        for commit in facts(driver, "ingestion.v1", BatchCommitted)
    ]


def turns(driver: Driver) -> list[tuple[Any, ...]]:
    change_sets = facts(driver, "ledger.v1", LedgerChanged)
    return [
        (change_set.ledger_seq, change_set.turn.batch_no, change_set.turn.chunk_id)
        for change_set in change_sets
        if change_set.turn
    ]


@cache
def diminished() -> Driver:
    return run(contents(), DIMINISHING)


def test_batches_that_bring_too_little_stop_the_run_and_leave_nothing_behind_it():
    (stop,) = facts(diminished(), "ingestion.v1", RunStopped)
    assert stop.stop_reason == "diminishing_returns"
    assert stop.withdrawn_batches == [2, 3]
    planned = {
        batch.batch_no: set(batch.hint.selected_chunk_ids)
        for batch in facts(diminished(), "ingestion.v1", BatchPlanned)
    }
    applied = {chunk for _, _, chunk in turns(diminished()) if chunk}
    assert applied == planned[0] | planned[1]
    evidence = {
        row.chunk_id
        for change_set in facts(diminished(), "ledger.v1", LedgerChanged)
        for row in change_set.evidence
    }
    assert evidence <= applied


@pytest.mark.parametrize("seed", range(6))
def test_a_troubled_run_stops_at_the_same_batch(seed):
    troubled = run(contents(), DIMINISHING, seed=seed, **FAULTS)
    assert sorted(ends(troubled), key=repr) == sorted(ends(diminished()), key=repr)
    assert sorted(set(turns(troubled)), key=repr) == sorted(turns(diminished()), key=repr)


def test_withdrawn_chunks_are_read_by_the_next_request():
    driver = run(contents(), DIMINISHING)
    before = {chunk for _, _, chunk in turns(driver) if chunk}
    driver.publish(ingestion(contents(), key="k2", lanes=("deep",)))
    driver.run()
    first, second = facts(driver, "ingestion.v1", RunStarted)
    after = {chunk for _, _, chunk in turns(driver) if chunk} - before
    assert (first.trigger_key, second.trigger_key) == ("k1", "k2")
    assert {
        change.turn.chunk_id
        for change in facts(driver, "ledger.v1", LedgerChanged)
        if change.turn and change.turn.run_id == second.run_id
    } - {None} == after
    assert after


@cache
def disputed() -> Driver:
    return run(DISPUTED, {"lanes": ["preview"]})


def test_a_high_contradiction_is_dived_into_before_the_preview_stops():
    facts_in_order = [record.envelope.event for record in disputed().log.of("ingestion.v1")]
    (dive,) = facts(disputed(), "ingestion.v1", DeepDiveQueued)
    (stop,) = facts(disputed(), "ingestion.v1", RunStopped)
    assert facts_in_order.index(dive) < facts_in_order.index(stop)
    assert stop.stop_reason == "mandatory_set_covered"
    batch = facts(disputed(), "ingestion.v1", BatchPlanned)[dive.batch_no]
    assert batch.hint.decision_rule == "contradiction_deep_dive"
    assert dive.chunk_ids
    assert set(batch.hint.selected_chunk_ids) == set(dive.chunk_ids)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("asking", [{"lanes": ["preview"]}, {"coverage_target": "mandatory"}, {}])
def test_a_troubled_dive_reads_the_same_chunks_in_the_same_places(seed, asking):
    quiet = run(DISPUTED, asking)
    troubled = run(DISPUTED, asking, seed=seed, **FAULTS)
    assert sorted(ends(troubled), key=repr) == sorted(ends(quiet), key=repr)
    assert sorted(set(turns(troubled)), key=repr) == sorted(turns(quiet), key=repr)
    dives = [facts(driver, "ingestion.v1", DeepDiveQueued) for driver in (quiet, troubled)]
    assert dives[0] == dives[1] != []


def test_the_preview_begins_with_the_first_tier_and_both_lanes_are_under_way_at_once():
    driver = run(contents(), {})
    facts_in_order = [record.envelope.event for record in driver.log.of("ingestion.v1")]
    preview, deep = facts(driver, "ingestion.v1", RunStarted)
    assert (preview.lane, deep.lane) == ("preview", "deep")
    ended = facts(driver, "ingestion.v1", RunStopped)[0]
    assert ended.run_id == preview.run_id
    assert facts_in_order.index(deep) < facts_in_order.index(ended)
    assert ended.totals.tokens <= preview.limits.token_budget
    tiers = {
        processed.source.source_id: processed.source.priority_tier
        for processed in facts(driver, "chunk.v1", SourceProcessed)
    }
    first = facts(driver, "ingestion.v1", BatchPlanned)[0]
    selected = set(first.hint.selected_chunk_ids)
    read = [c.source_id for c in first.hint.candidate_chunks if c.chunk_id in selected]
    assert {tiers[source] for source in read} == {1}
