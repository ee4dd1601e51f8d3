"""What is written can be read, by us and by anybody who has the schema files."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fastavro
import pytest

from schemas import asyncapi, avro
from schemas.codec import InvalidRecord, decode, encode, fingerprint, headers
from schemas.envelope import Actor, outside_fact
from schemas.events import EVENT_TYPES
from schemas.events.project import ProjectCreated
from schemas.events.source import SourceInfo, SourceRevised
from schemas.events.team import PlanSet
from schemas.topics import BY_NAME, TOPICS, key_of, topic_of

SCHEMAS = Path(avro.__file__).parent
AT = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)
ANA = Actor(type="human", id="ana")


def a_project(**changes):
    event = ProjectCreated(name="Orders", **changes)
    return outside_fact(
        event, project_id="prj_1", natural_key="key-1", occurred_at=AT, actor=ANA
    ).recorded(AT)


def a_revision():
    source = SourceInfo(
        source_id="src_1",
        root="repo",
        external_ref="repo@README.md",
        path="README.md",
        source_type="readme",
        priority_tier=1,
    )
    event = SourceRevised(
        source=source,
        trigger_key="k",
        byte_count=3,
        raw_sha256="00",
        key_id="key",
        content=b"\x00a",
    )
    return outside_fact(event, project_id="prj_1", occurred_at=AT, actor=ANA).recorded(AT)


@pytest.mark.parametrize("envelope", [a_project(vision="fast"), a_revision()])
def test_an_envelope_comes_back_as_it_was_written(envelope):
    assert decode(encode(envelope)) == envelope


def test_a_reader_with_only_the_schema_files_reads_the_record():
    value = encode(a_project())
    schema = json.loads((SCHEMAS / "project" / "created.v1.avsc").read_text())
    assert value[:2] == b"\xc3\x01"
    assert value[2:10] == fingerprint(schema)
    fields: Any = fastavro.schemaless_reader(io.BytesIO(value[10:]), schema, None)
    assert fields["payload"]["name"] == "Orders"
    assert fields["event_id"] == a_project().event_id


def test_the_headers_name_type_version_project_and_correlation():
    assert dict(headers(a_project())) == {
        "event-type": b"project.created",
        "schema-version": b"1",
        "project-id": b"prj_1",
        "correlation-id": b"key-1",
    }


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (b"", "marker"),
        (b"hello, this is no avro", "marker"),
        (b"\xc3\x01" + b"\x00" * 8 + b"body", "unknown writer schema"),
        (encode(a_project())[:-4], "unreadable body"),
    ],
)
def test_bytes_that_are_no_event_are_refused_with_a_reason(value, says):
    with pytest.raises(InvalidRecord, match=says):
        decode(value)


@pytest.mark.parametrize("day", ["tomorrow", "20260131", "2026-02-30", ""])
def test_a_fact_about_a_day_that_is_none_is_refused(day):
    fact = PlanSet.model_construct(start_day=day, velocity=None)
    written = outside_fact(
        fact, project_id="prj_1", natural_key="key-1", occurred_at=AT, actor=ANA
    ).recorded(AT)
    with pytest.raises(InvalidRecord):
        decode(encode(written))


def test_a_refusal_names_no_content():
    value = encode(a_project(description="the launch code is 1234"))
    with pytest.raises(InvalidRecord) as refused:
        decode(value[:-20])
    assert "1234" not in str(refused.value)


def test_a_fact_that_was_never_recorded_is_not_written():
    envelope = outside_fact(
        ProjectCreated(name="x"), project_id="p", natural_key="k", occurred_at=AT, actor=ANA
    )
    with pytest.raises(ValueError, match="recorded_at"):
        encode(envelope)


def test_every_schema_has_a_fingerprint_of_its_own():
    prints = [fingerprint(schema) for schema in avro.load_schemas().values()]
    assert len(set(prints)) == len(prints) >= len(EVENT_TYPES)


def test_the_asyncapi_document_is_made_from_the_topic_table():
    document = json.loads((SCHEMAS / "asyncapi.json").read_text())
    assert document == asyncapi.asyncapi_document()
    assert set(document["channels"]) == {topic.name for topic in TOPICS}


def test_every_event_type_stands_on_the_topic_it_names():
    listed = {name for topic in TOPICS for name in topic.events}
    assert listed == set(EVENT_TYPES)
    for event in EVENT_TYPES.values():
        assert event.type_name in BY_NAME[event.topic].events


def test_topics_of_one_project_share_the_projects_key():
    assert topic_of(a_project()).name == "project.v1"
    assert key_of(a_project()) == "prj_1"
    assert key_of(a_revision()) == "src_1"


def test_an_output_has_the_same_id_whenever_it_is_made_and_another_for_another_cause():
    event = ProjectCreated(name="x")
    one, two = a_project(), a_revision()
    assert one.caused(event).event_id == one.recorded(AT).caused(event).event_id
    assert one.caused(event).event_id != two.caused(event).event_id
    assert one.caused(event).causation_id == one.event_id
