"""What is written can be read, by us and by anybody who has the schema files."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fastavro
import pytest

from schemas import asyncapi, avro
from schemas.avro import avro_schema, schema_file
from schemas.codec import InvalidRecord, decode, encode, fingerprint, headers
from schemas.envelope import Actor, outside_fact
from schemas.events import EVENT_TYPES
from schemas.events.atom import AtomReflected, CandidatesExtracted
from schemas.events.hygiene import SourceProcessed
from schemas.events.ingestion import BatchPlanned, RunStopped
from schemas.events.ingestion_request import SourceReady
from schemas.events.ledger import LedgerChanged
from schemas.events.project import ProjectCreated
from schemas.events.source import SourceInfo, SourceRevised
from schemas.ids import project_id
from schemas.topics import BY_NAME, TOPICS, key_of, topic_of
from schemas.upcasters import UPCASTERS, upcast

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
    schema = json.loads((SCHEMAS / "project" / "created.v2.avsc").read_text())
    assert value[:2] == b"\xc3\x01"
    assert value[2:10] == fingerprint(schema)
    fields: Any = fastavro.schemaless_reader(io.BytesIO(value[10:]), schema, None)
    assert fields["payload"]["name"] == "Orders"
    assert fields["event_id"] == a_project().event_id


def test_the_headers_name_type_version_project_and_correlation():
    assert dict(headers(a_project())) == {
        "event-type": b"project.created",
        "schema-version": b"2",
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


@pytest.mark.parametrize("event", EVENT_TYPES.values(), ids=EVENT_TYPES)
def test_the_released_schema_file_is_what_the_model_says(event):
    file = SCHEMAS / schema_file(event.type_name, event.schema_version)
    assert json.loads(file.read_text()) == avro_schema(event), (
        f"{file.name} is released and must not change: raise schema_version of {event.__name__}, "
        "add an up-caster, run `python -m schemas.release`"
    )


def test_every_schema_has_a_fingerprint_of_its_own():
    prints = [fingerprint(schema) for schema in avro.frozen_schemas().values()]
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


def test_bytes_of_the_first_version_are_read_as_todays_event():
    value = (Path(__file__).parent / "released" / "project.created.v1.bin").read_bytes()
    envelope = decode(value)
    assert envelope.event == ProjectCreated(
        name="Orders", description="Takes orders", vision="", timezone="UTC"
    )
    assert envelope.project_id == project_id("first")


def test_a_change_set_of_the_first_version_is_read_with_todays_defaults():
    value = (Path(__file__).parent / "released" / "ledger.changed.v1.bin").read_bytes()
    event = decode(value).event
    assert isinstance(event, LedgerChanged)
    (dispute,) = event.contradictions
    assert (dispute.severity, dispute.status, dispute.revision) == ("high", "open", 1)
    assert event.hitl is None
    assert all(atom.resolution is None for atom in event.atoms)


def test_a_change_set_from_before_mentions_could_end_is_read_with_all_of_them_active():
    value = (Path(__file__).parent / "released" / "ledger.changed.v2.mentions.bin").read_bytes()
    event = decode(value).event
    assert isinstance(event, LedgerChanged)
    assert [(each.mention, each.active) for each in event.mentions] == [("order store", True)]
    (op,) = event.merge_ops
    assert (op.op, op.mentions_made) == ("auto_merge", [])


@pytest.mark.parametrize(
    "event",
    [
        "source.processed",
        "ingestion.source_ready",
        "ingestion.batch_planned",
        "ingestion.run_stopped",
    ],
)
def test_bytes_from_before_chunks_were_reanchored_are_read_with_the_defaults(event):
    value = (Path(__file__).parent / "released" / f"{event}.v1.bin").read_bytes()
    match decode(value).event:
        case SourceProcessed() as processed:
            (chunk,) = processed.chunks
            assert (chunk.chunk_id, chunk.line_start) == ("chk_a.md_0", -1)
        case SourceReady(processed=processed):
            assert processed.chunks[0].line_start == -1
        case BatchPlanned(source_changes=[change]):
            assert (change.new_hash, change.reanchored) == ("h2", [])
        case RunStopped(source_changes=[change]) as stopped:
            assert (change.new_hash, stopped.removals_held) == ("h2", [])
        case other:
            pytest.fail(f"not expected: {other}")


@pytest.mark.parametrize(
    ("event_type", "version"), [at for at in UPCASTERS if at[0].startswith("artifact.")]
)
def test_a_version_with_added_fields_reads_the_bytes_of_the_one_before(event_type, version):
    value = (Path(__file__).parent / "released" / f"{event_type}.v{version}.bin").read_bytes()
    event = decode(value).event
    assert event.type_name == event_type
    assert event.model_dump(exclude_defaults=True)
    assert version > 1 or getattr(event, "items", []) == []
    assert not any(loop.continuations for loop in getattr(event, "loops", []))


@pytest.mark.parametrize(
    "sample", ["atom.candidates_extracted.v1", "atom.reflected.v1", "ledger.changed.v2"]
)
def test_evidence_from_before_talk_was_read_has_no_speaker(sample):
    value = (Path(__file__).parent / "released" / f"{sample}.bin").read_bytes()
    match decode(value).event:
        case CandidatesExtracted(candidates=[candidate]):
            (row,) = candidate.evidence
        case AtomReflected(accepted=[judged]):
            (row,) = judged.rows
        case LedgerChanged(evidence=[row]):
            pass
        case other:
            pytest.fail(f"not expected: {other}")
    assert (row.snippet, row.speaker, row.said_at) == ("We will go with a queue.", None, None)


def test_up_casters_are_applied_step_by_step():
    steps = {
        ("thing.renamed", 1): lambda old: {"owner": old["user"]},
        ("thing.renamed", 2): lambda old: old | {"team": "core"},
    }
    lifted = upcast("thing.renamed", 1, 3, {"user": "ana"}, steps)
    assert lifted == {"owner": "ana", "team": "core"}


def test_a_missing_step_is_an_error_not_a_guess():
    with pytest.raises(KeyError):
        upcast("thing.renamed", 1, 2, {}, {})


def test_every_version_below_todays_has_its_up_caster():
    for event in EVENT_TYPES.values():
        for version in range(1, event.schema_version):
            assert (event.type_name, version) in UPCASTERS
            assert (event.type_name, version) in avro.frozen_schemas()
