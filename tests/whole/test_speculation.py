"""What is written ahead of the end of a run: early, at the same places whatever the order of
arrival, and over when the run has ended.
"""

from functools import cache
from typing import Any

import pytest

from schemas.envelope import Event
from schemas.events.artifact import ArtifactSpeculated, SectionGenerated, SpeculationEnded
from schemas.events.ingestion import RunStopped
from schemas.events.source import SourceRevised
from streams.memory import Driver, Faults
from streams.pipeline import pipeline
from tests.parcel import contents
from tests.whole.test_faults import FAULTS, read
from tests.worlds import ingestion

OF_ARTIFACTS = ("artifact.prd.v1", "artifact.feature.v1", "artifact.epic.v1")
SMALL: dict[str, float] = {"batch_size": 4}  # of a small project, so that it has several commits


def run(**faults: Any) -> Driver:
    driver = Driver(pipeline(read), faults=Faults(**faults))
    driver.publish(ingestion(contents(), limits=SMALL))
    driver.run()
    return driver


@cache
def quiet() -> Driver:
    return run()


def facts(driver: Driver, kind: type[Event], *topics: str) -> list[Any]:
    """The facts of a kind with the tick of their record, repeats left out, as they were written."""
    first: dict[Any, Any] = {}
    for topic in topics:
        for record in driver.log.of(topic):
            if isinstance(record.envelope.event, kind):
                first.setdefault(record.envelope.event_id, record.envelope)
    return sorted(first.values(), key=lambda fact: (fact.recorded_at, str(fact.event_id)))


def ahead(driver: Driver) -> list[ArtifactSpeculated]:
    return [fact.event for fact in facts(driver, ArtifactSpeculated, "reduce.v1")]


@pytest.mark.parametrize("seed", range(6))
def test_it_is_written_at_the_same_places_in_whatever_order_all_arrives(seed):
    assert ahead(run(seed=seed, **FAULTS)) == ahead(quiet())
    assert len(ahead(quiet())) > 2


def test_sections_and_epics_come_while_the_rest_of_the_project_is_still_to_be_read():
    driver = Driver(pipeline(read))
    coming = list(ingestion(contents(), limits=SMALL))
    *_, last = [fact for fact in coming if isinstance(fact.event, SourceRevised)]
    driver.publish([fact for fact in coming if fact is not last])
    driver.run()

    early = facts(driver, SectionGenerated, *OF_ARTIFACTS)
    assert {fact.event.artifact_type for fact in early} >= {"prd", "feature", "epic"}
    assert all(fact.event.speculative for fact in early)

    driver.publish([last])
    driver.run()
    (deep,) = [fact for fact in facts(driver, RunStopped, "ingestion.v1") if fact.lane == "deep"]
    assert early[0].recorded_at < deep.recorded_at


def test_an_epic_comes_before_the_last_section():
    def places(artifact_type: str) -> list[int]:
        return [
            fact.event.input_ledger_seq
            for fact in facts(quiet(), SectionGenerated, *OF_ARTIFACTS)
            if fact.event.artifact_type == artifact_type
        ]

    assert min(places("epic")) < max(places("prd"))


def test_in_the_end_nothing_is_speculative():
    last: dict[tuple[str, str], int] = {}
    for fact in facts(quiet(), SectionGenerated, *OF_ARTIFACTS):
        told = fact.event
        last[told.artifact_id, told.section.section_id] = told.input_ledger_seq
    for fact in facts(quiet(), SpeculationEnded, *OF_ARTIFACTS):
        end = fact.event.end
        for section_id in (*end.confirmed, *end.recomputed, *end.withdrawn):
            if last.get((end.artifact_id, section_id), 0) <= fact.event.input_ledger_seq:
                last.pop((end.artifact_id, section_id), None)
    assert last == {}
