"""What documents are is folded from the log, listed with what told it, and rebuilt the same."""

from __future__ import annotations

import pytest

from projections.checkpoint import Record
from projections.read.document_roles import DocumentState
from projections.read.people import find_answer
from projections.read.source_detail import read_source
from projections.read.source_list import list_sources
from projections.verify import verify
from schemas.codec import decode
from schemas.events.hitl import DocumentRoleDecided
from schemas.events.hygiene import DocumentDescribed
from streams.memory import Driver
from streams.pipeline import pipeline
from tests.parcel import contents
from tests.projections.conftest import ReadModel
from tests.projections.log import PARTITIONS, records_in
from tests.projections.test_rebuild import LogInMemory, rebuilt
from tests.whole.test_decisions import said
from tests.whole.test_faults import read
from tests.worlds import PROJECT, info, ingestion

HINTS = "docs/hints.md"
REASON = "the team keeps its rules here"


def id_of(path: str) -> str:
    return info(path, "parcel").source_id


@pytest.fixture(scope="module")
def driver() -> Driver:
    """A project in which somebody has said what one of its documents is."""
    driver = Driver(pipeline(read), partitions=1)
    driver.publish(ingestion(contents(), key="k1"))
    driver.run()
    event = DocumentRoleDecided(
        source_id=id_of(HINTS),
        role="requirements",
        expected_revision=0,
        actor_role="owner",
        rationale=REASON,
    )
    driver.publish([said(event, "first"), said(event, "first")])
    driver.run()
    return driver


@pytest.fixture(scope="module")
def records(driver: Driver) -> list[Record]:
    return records_in(driver)


def listed(model: ReadModel) -> dict[str, DocumentState]:
    return {it.path: it for it in list_sources(model.connection, PROJECT).items}


def test_each_document_is_described_once_and_code_is_not(driver: Driver):
    described = [it.envelope.event for it in driver.log.of("hygiene.v1")]
    sources = [it.source_id for it in described if isinstance(it, DocumentDescribed)]
    assert len(sources) == len(set(sources))
    assert id_of("docs/architecture.md") in sources
    assert id_of("src/parcel/tracker.py") not in sources


def test_sources_are_listed_with_role_status_and_what_told_them(
    model: ReadModel, records: list[Record]
):
    found = listed(model.fold(records))
    adr = found["docs/adr/0001-use-an-event-log.md"]
    assert (adr.role, adr.role_reason) == ("decision_record", "its folder “adr”")
    assert (adr.document_status, adr.status_reason) == ("accepted", "the document says so")
    assert found["docs/glossary.rst"].role == "glossary"
    assert (found["src/parcel/tracker.py"].role, found["src/parcel/tracker.py"].role_reason) == (
        *(None, ""),
    )
    only = list_sources(model.connection, PROJECT, role="requirements").items
    assert [it.path for it in only] == [HINTS]


def test_a_persons_word_is_listed_with_who_has_said_it(model: ReadModel, records: list[Record]):
    model.fold(records)
    said_of = read_source(model.connection, PROJECT, id_of(HINTS))
    assert (said_of.role, said_of.role_reason) == ("requirements", f"set by ana: {REASON}")
    assert said_of.role_revision == 1
    facts = [decode(it.value) for it in records if it.topic == "hitl.v1" and it.value is not None]
    answer = find_answer(model.connection, str(facts[0].event_id))
    assert answer is not None and answer.undoable
    assert answer.summary.startswith(f"ana said that the document “{HINTS}” is requirements")
    assert answer.hitl_event_id == said_of.role_decision


def test_a_rebuild_makes_the_same_and_the_log_is_sound(model: ReadModel, records: list[Record]):
    live = model.fold(records).sums()
    assert all(each.equal for each in rebuilt(model, LogInMemory(records)))
    assert model.sums() == live
    codes = {it.code for it in verify(records, PARTITIONS).findings}
    assert codes == {"unknown_key"}  # contents are in clear here, under a key that nobody made


def test_a_log_without_descriptions_shows_unknown_roles(model: ReadModel, records: list[Record]):
    older = [
        it
        for it in records
        if it.value is None or not isinstance(decode(it.value).event, DocumentDescribed)
    ]
    found = listed(model.fold(older))
    assert {it.role for path, it in found.items() if path != HINTS} == {None}
    assert found[HINTS].role == "requirements"
