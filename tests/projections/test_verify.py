"""Each kind of damage to the log is found; repeats and ignored change sets are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from infra.platform.kafka import partition_of
from projections.checkpoint import Record
from projections.verify import Report, verify
from schemas.codec import decode, encode, headers
from schemas.envelope import SYSTEM, Envelope, outside_fact
from schemas.events.artifact import ArtifactChanged, VersionPublished
from schemas.events.hygiene import ChunkCreated, SourceSanitized
from schemas.events.ledger import LedgerChanged, MergeOp
from schemas.events.vault import KeyCreated, KeyErased
from tests.projections.builders import PROJECT, START, replace_part
from tests.projections.log import KEY, PARTITIONS, Log, a_whole_story, records_in
from tests.whole.changing import Project

Records = list[Record]


def report_on(records: Records) -> Report:
    return verify(records, PARTITIONS)


def codes(records: Records) -> set[str]:
    return {finding.code for finding in report_on(records).findings}


def place_of(records: Records, kind: type[Any], nth: int = -1) -> int:
    """The place in ``records`` of one with this event."""
    return [
        place
        for place, record in enumerate(records)
        if isinstance(decode(record.value or b"").event, kind)
    ][nth]


def rewritten(record: Record, change: Callable[[Envelope], Envelope]) -> Record:
    fact = change(decode(record.value or b""))
    return replace(record, value=encode(fact), headers=tuple(headers(fact)))


def with_event(**changes: Any) -> Callable[[Envelope], Envelope]:
    return lambda fact: replace(fact, event=replace_part(fact.event, **changes))


def damaged(kind: type[Any], change: Callable[[Envelope], Envelope], nth: int = -1) -> Records:
    records = a_whole_story().log.records
    place = place_of(records, kind, nth)
    records[place] = rewritten(records[place], change)
    return records


def with_row(name: str, **changes: Any) -> Records:
    """The first row of a list in the first change set is another one now."""

    def change(fact: Envelope) -> Envelope:
        rows = list(getattr(fact.event, name))
        rows[0] = replace_part(rows[0], **changes)
        return with_event(**{name: rows})(fact)

    return damaged(LedgerChanged, change, nth=0)


def test_a_sound_log_has_no_findings():
    report = report_on(a_whole_story().log.records)
    assert report.findings == []
    assert report.notes == []
    assert report.counts["ledger.v1"] == 4


def test_two_statements_with_one_fingerprint_are_no_finding():
    needs = b"# Tool\n\n## Requirements\n\n- The tool must print all with -v.\n"
    project = Project().ingest({"docs/a.md": needs, "docs/b.md": needs.replace(b"-v", b"-V")})
    atoms = [atom for _, atom in project.ledger.atoms.items() if atom.kind == "requirement"]
    assert (len(atoms), len({atom.atom_fingerprint for atom in atoms})) == (2, 1)
    assert "atom_id" not in codes(records_in(project.driver))


def test_a_cut_record_is_undecodable():
    records = a_whole_story().log.records
    records[5] = replace(records[5], value=(records[5].value or b"")[:40])
    assert codes(records) >= {"undecodable"}


def test_a_record_of_an_unknown_schema_is_found():
    records = a_whole_story().log.records
    records[0] = replace(records[0], value=b"\xc3\x01" + bytes(8) + b"later")
    assert codes(records) == {"unknown_schema"}


def test_headers_that_contradict_the_envelope_are_found():
    records = a_whole_story().log.records
    records[3] = replace(records[3], headers=(("event-type", b"something.else"),))
    assert codes(records) == {"headers"}


def test_an_event_id_that_does_not_follow_from_its_key_is_found():
    records = a_whole_story().log.records
    records[0] = rewritten(records[0], lambda fact: replace(fact, natural_key="other"))
    assert codes(records) == {"event_id"}


def test_a_wrong_key_is_found():
    records = a_whole_story().log.records
    records[0] = replace(records[0], key=b"prj_other")
    assert codes(records) == {"key"}


def test_a_record_in_a_partition_that_is_not_its_keys_is_found():
    records = a_whole_story().log.records
    records[0] = replace(records[0], partition=(records[0].partition + 1) % PARTITIONS)
    assert codes(records) == {"partition"}


def test_a_record_on_a_topic_that_is_not_its_own_is_found():
    records = a_whole_story().log.records
    records[0] = replace(records[0], topic="hygiene.v1")
    assert codes(records) == {"topic"}


def test_a_lost_change_set_is_found():
    records = a_whole_story().log.records
    del records[place_of(records, LedgerChanged, 1)]
    assert codes(records) >= {"ledger_gap"}


def test_a_change_set_that_was_changed_breaks_the_chain():
    assert "prev_hash" in codes(damaged(LedgerChanged, with_event(reason="edited"), nth=0))


def test_what_a_second_writer_built_ahead_is_noted_and_no_damage():
    story = a_whole_story()
    story.fork(ahead=3)
    report = report_on(story.log.records)
    assert report.findings == []
    assert [note.code for note in report.notes] == ["ignored_change_set"] * 3


def test_a_lost_cause_is_found():
    records = a_whole_story().log.records
    cause = decode(records[place_of(records, LedgerChanged, 0)].value or b"").causation_id
    assert codes([r for r in records if decode(r.value or b"").event_id != cause]) == {"cause"}


def test_a_quote_that_is_not_in_the_text_is_found():
    assert "evidence" in codes(with_row("evidence", snippet="never said"))


def test_an_evidence_id_that_does_not_follow_from_its_span_is_found():
    assert "evidence_id" in codes(with_row("evidence", evidence_id="evd_x"))


def test_evidence_that_a_merge_moved_keeps_its_id():
    records = a_whole_story().log.records
    place = place_of(records, LedgerChanged, 2)
    event = decode(records[place].value or b"").event
    assert isinstance(event, LedgerChanged)
    (row,) = event.evidence
    moved = replace_part(row, atom_id="atm_winner")
    op = MergeOp(
        merge_op_id="mop_1",
        op="auto_merge",
        winner_atom_id="atm_winner",
        loser_atom_id=row.atom_id,
        similarity=0.95,
        fingerprint_winner="f",
        confidence_before=0.8,
        confidence_after=0.9,
        evidence_added=[row.evidence_id],
        caused_by_event_id=event.caused_by_event_id,
    )
    records[place] = rewritten(records[place], with_event(evidence=[moved], merge_ops=[op]))
    assert "evidence_id" not in codes(records)
    records[place] = rewritten(records[place], with_event(merge_ops=[]))
    assert "evidence_id" in codes(records)


def test_an_atom_whose_words_were_changed_is_found():
    assert "fingerprint" in codes(with_row("atoms", body="Something else."))


def test_an_atom_id_that_does_not_follow_from_its_fingerprint_is_found():
    assert "atom_id" in codes(with_row("atoms", kind="risk"))


def test_a_sanitized_text_that_was_changed_is_found():
    found = codes(damaged(SourceSanitized, with_event(text="Another text."), nth=0))
    assert found == {"sanitized_hash", "chunk_span", "evidence"}


def test_a_lost_text_is_found():
    records = a_whole_story().log.records
    del records[place_of(records, SourceSanitized)]
    assert codes(records) == {"text_missing"}


def test_a_chunk_whose_text_was_changed_is_found():
    assert codes(damaged(ChunkCreated, with_event(text_payload="Other."))) == {"chunk_text"}


def test_a_chunk_whose_anchor_was_moved_is_found():
    assert codes(damaged(ChunkCreated, with_event(anchor_start=1))) == {"chunk_id", "chunk_span"}


def test_a_citation_of_an_atom_that_never_was_is_found():
    def cite_nobody(fact: Envelope) -> Envelope:
        assert isinstance(fact.event, VersionPublished)
        snapshot = fact.event.snapshot.model_dump()
        snapshot["sections"][0]["statements"][0]["citations"][0]["atom_id"] = "atm_nobody"
        return with_event(snapshot=snapshot)(fact)

    assert codes(damaged(VersionPublished, cite_nobody)) == {"citation"}


def test_a_citation_of_an_atom_that_was_not_live_then_is_found():
    records = a_whole_story().log.records
    for place, record in enumerate(records):
        event = decode(record.value or b"").event
        if isinstance(event, LedgerChanged) and event.atoms:
            atoms = [replace_part(atom, status="dismissed") for atom in event.atoms]
            records[place] = rewritten(record, with_event(atoms=atoms))
    assert "citation" in codes(records)


def test_a_gap_among_the_artifacts_is_found():
    assert codes(damaged(ArtifactChanged, with_event(artifact_seq=2))) == {"artifact_gap"}


def test_repeats_are_noted_and_no_damage():
    story = a_whole_story()
    for record in list(story.log.records):
        story.log.again(record)
    report = report_on(story.log.records)
    assert report.findings == []
    assert {note.code for note in report.notes} == {
        "repeat",
        "ignored_change_set",
        "ignored_artifact",
    }


def test_a_repeat_that_says_something_else_is_noted():
    story = a_whole_story()
    place = place_of(story.log.records, SourceSanitized)
    other = rewritten(story.log.records[place], with_event(encoding="latin-1"))
    story.log.again(other)
    assert [note.code for note in report_on(story.log.records).notes] == ["repeat_differs"]


@pytest.mark.parametrize(
    ("key", "murmur2"),  # vectors of Apache Kafka's UtilsTest.testMurmur2
    [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536)],
)
def test_partitions_are_those_of_kafkas_default_partitioner(key: bytes, murmur2: int):
    assert partition_of(key, PARTITIONS) == (murmur2 & 0x7FFFFFFF) % PARTITIONS


def test_a_content_whose_key_was_never_told_is_found():
    records = a_whole_story().log.records
    del records[place_of(records, KeyCreated)]
    (finding,) = report_on(records).findings
    assert (finding.code, finding.topic) == ("unknown_key", "source.v1")
    assert f"{KEY} is not on vault.key.v1, so 2 contents cannot be read" in finding.detail


def test_the_content_of_an_erased_key_is_no_finding():
    records = a_whole_story().log.records
    place = place_of(records, KeyCreated)
    erased = Log()
    erased.write(
        outside_fact(
            KeyErased(key_id=KEY, generation=1),
            project_id=PROJECT,
            occurred_at=START,
            actor=SYSTEM,
        )
    )
    records[place] = erased.records[0]
    assert report_on(records).findings == []
