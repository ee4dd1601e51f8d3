"""Whatever order, repeat, lost state or half-written decision: one ledger, one PRD."""

from functools import cache
from uuid import UUID

import pytest

from agents.offline.reader import OfflineReader
from agents.reader import ReadRequest
from schemas.events.artifact import LatestSet
from schemas.events.extract import ExtractRequested
from streams.memory import Driver, Faults
from streams.pipeline import pipeline
from tests.parcel import contents
from tests.whole.changing import ledger_of
from tests.worlds import ingestion

READER = OfflineReader()
FAULTS = {"repeat": 0.15, "forget": 0.03, "halve": 0.1, "outlive": 0.1, "shuffle": True}


def read(request, chunk):
    return READER.read(ReadRequest(request, chunk))


def run(partitions=3, twice=False, **faults) -> Driver:
    driver = Driver(pipeline(read), partitions=partitions, faults=Faults(**faults))
    facts = list(ingestion(contents()))
    driver.publish(facts)
    if twice:
        driver.publish(facts)
    driver.run()
    return driver


def artifacts_of(driver: Driver) -> list[LatestSet]:
    found: dict[UUID, LatestSet] = {}
    for record in driver.log.of("artifact.latest.v1"):
        event = record.envelope.event
        assert isinstance(event, LatestSet)
        found.setdefault(record.envelope.event_id, event)
    ordered = sorted((event.snapshot.artifact_id, str(key)) for key, event in found.items())
    return [found[UUID(key)] for _, key in ordered]


@cache
def quiet() -> Driver:
    return run()


@pytest.mark.parametrize("partitions", [1, 2, 5])
@pytest.mark.parametrize("seed", range(4))
def test_a_troubled_run_ends_in_the_same_ledger_and_prd(seed, partitions):
    troubled = run(partitions, seed=seed, **FAULTS)
    assert ledger_of(troubled) == ledger_of(quiet())
    assert artifacts_of(troubled) == artifacts_of(quiet())


def test_the_same_command_twice_has_one_effect():
    assert ledger_of(run(twice=True)) == ledger_of(quiet())


def test_the_ledger_sequence_has_no_gap_and_every_chunk_has_one_turn():
    change_sets = ledger_of(quiet())
    assert [c.ledger_seq for c in change_sets] == list(range(1, len(change_sets) + 1))
    turns = [c.turn.chunk_id for c in change_sets if c.turn and c.turn.kind == "chunk"]
    requested = {
        record.envelope.event.chunk_id
        for topic in ("extract.preview.v1", "extract.deep.v1")
        for record in quiet().log.of(topic)
        if isinstance(record.envelope.event, ExtractRequested)
    }
    assert len(turns) == len(set(turns))
    assert set(turns) == requested


def test_the_preview_run_comes_whole_before_the_deep_run():
    lanes = [c.turn.lane for c in ledger_of(quiet()) if c.turn]
    assert lanes == sorted(lanes, reverse=True)
    assert set(lanes) == {"preview", "deep"}
