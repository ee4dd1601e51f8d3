"""A record that was copied elsewhere counts for nobody, and no rebuild makes a ledger smaller."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from infra.platform.errors import Refusal
from projections.checkpoint import Record, read_checkpoint
from projections.checksums import columns_of
from projections.core import CORE
from projections.rebuild import Rebuilt, rebuild_from
from projections.replay import replay_from
from projections.verify import verify
from schemas.codec import decode, encode, headers
from schemas.events.artifact import LatestSet
from schemas.events.ledger import LedgerChanged
from schemas.events.vault import KeyCreated
from schemas.topics import key_of, topic_of
from tests.projections.builders import PROJECT
from tests.projections.conftest import ReadModel
from tests.projections.log import PARTITIONS, a_whole_story
from tests.projections.test_folding import projected
from tests.projections.test_rebuild import LogInMemory

OTHER = "prj_other"


def first(records: list[Record], kind: type) -> Record:
    return next(r for r in records if isinstance(decode(r.value or b"").event, kind))


def of_other(record: Record) -> Record:
    """The same fact said of another project, with that one's key."""
    fact = replace(decode(record.value or b""), project_id=OTHER)
    return replace(record, key=OTHER.encode(), value=encode(fact), headers=tuple(headers(fact)))


def copied(record: Record, partition: int, offset: int) -> Record:
    return replace(record, partition=partition, offset=offset)


def with_copies() -> tuple[list[Record], dict[str, Record]]:
    """A sound log, and in it a change set copied three ways."""
    records = projected(a_whole_story())
    one = first(records, LedgerChanged)
    elsewhere = (one.partition + 1) % PARTITIONS
    end = sum(r.topic == one.topic for r in records)
    copies = {
        "partition": copied(one, elsewhere, 0),
        "key": replace(copied(one, one.partition, end), key=OTHER.encode()),
        "key ": replace(copied(of_other(one), one.partition, end + 1), key=PROJECT.encode()),
    }
    return [*records, *copies.values()], copies


def rebuilt(model: ReadModel, records: list[Record], *, accept: bool = False) -> Rebuilt:
    ends = {
        (r.topic, r.partition): r.offset + 1 for r in sorted(records, key=lambda each: each.offset)
    }
    log = LogInMemory(records)
    accepted = ends if accept else None
    return asyncio.run(
        rebuild_from(CORE, model.conninfo, log.stretch, PARTITIONS, accepted=accepted)
    )


def test_copies_elsewhere_change_no_table_and_are_kept_as_dead_letters(model: ReadModel):
    quiet = model.fold(projected(a_whole_story())).sums()
    records, copies = with_copies()
    model.emptied().fold(records)
    sums = model.sums()
    assert {name for name in sums if sums[name] != quiet[name]} == {"dead_letters"}
    kept = model.rows("SELECT origin_partition, origin_offset, error_class FROM dead_letters")
    wanted = [(one.partition, one.offset, "Misplaced") for one in copies.values()]
    assert sorted(kept) == sorted(wanted)


def test_a_rebuild_leaves_copies_out_and_names_them_each_time(model: ReadModel):
    records, copies = with_copies()
    live = model.fold(records).sums()
    for _ in range(2):
        found = rebuilt(model, records)
        assert all(each.equal for each in found.tables)
        assert [(f.code, f.partition, f.offset) for f in found.findings] == sorted(
            ((code.strip(), one.partition, one.offset) for code, one in copies.items()),
            key=lambda each: each[1:],
        )
        assert model.sums() == live


def test_a_replay_reads_a_ledger_from_its_own_partition(model: ReadModel):
    records, copies = with_copies()
    model.fold(records)
    log = LogInMemory(records)
    replayed = asyncio.run(replay_from(model.conninfo, log.stretch, PARTITIONS, PROJECT, 4))
    assert replayed.differences == []
    assert [(f.code, f.offset) for f in replayed.findings] == [("key", copies["key "].offset)]


def lost(records: list[Record]) -> list[Record]:
    """Without the project's second change set: what comes behind it does not follow."""
    second = [r for r in records if isinstance(decode(r.value or b"").event, LedgerChanged)][1]
    return [r for r in records if r is not second]


def test_a_rebuild_of_a_log_with_findings_makes_no_ledger_smaller(model: ReadModel):
    records = projected(a_whole_story())
    live = model.fold(records).sums()
    with pytest.raises(Refusal, match=rf"(?s)ledger_gap at ledger\.v1.*{PROJECT}.*no table was"):
        rebuilt(model, lost(records))
    assert model.sums() == live


def test_told_to_it_takes_what_is_left_and_the_tables_go_on_behind(model: ReadModel):
    records = projected(a_whole_story())
    model.fold(records)
    found = rebuilt(model, lost(records), accept=True)
    assert [f.code for f in found.findings] == ["ledger_gap"]
    assert model.value("SELECT count(*) FROM ledger_change_sets") == 1
    last = max(r.offset for r in records if r.topic == "ledger.v1")
    partition = first(records, LedgerChanged).partition
    assert read_checkpoint(model.connection, CORE.name)["ledger.v1", partition] == last + 1


def test_a_rebuild_of_a_sound_log_may_make_a_ledger_smaller(model: ReadModel):
    """Rows that no record has made are put right without asking."""
    records = projected(a_whole_story())
    live = model.fold(records).sums()
    columns = ", ".join(columns_of(model.connection, "ledger_evidence", stored=True))
    copy = columns.replace("evidence_id", "'evd_extra'")
    insert = f"INSERT INTO ledger_evidence ({columns}) SELECT {copy} FROM ledger_evidence LIMIT 1"
    model.connection.execute(insert.encode())
    assert rebuilt(model, records).findings == []
    assert model.sums() == live


def test_verify_names_each_copy_with_what_to_do_in_the_order_of_the_log():
    records, copies = with_copies()
    key = first(a_whole_story().log.records, KeyCreated)
    report = verify([key, *records], PARTITIONS)
    assert [(f.code, f.partition, f.offset) for f in report.findings] == sorted(
        ((code.strip(), one.partition, one.offset) for code, one in copies.items()),
        key=lambda each: each[1:],
    )
    assert all(f.remedy for f in report.findings)
    assert report.notes == []


def test_a_tombstone_is_sound_where_the_topic_is_compacted_and_nowhere_else(model: ReadModel):
    story = a_whole_story()
    latest = first(story.log.records, LatestSet)
    gone = replace(latest, offset=latest.offset + 1, value=None, headers=())
    report = verify([*story.log.records, gone], PARTITIONS)
    assert report.findings == []
    project = story.log.records[0]
    report = verify([*story.log.records, replace(project, offset=99, value=None)], PARTITIONS)
    assert [f.code for f in report.findings] == ["undecodable"]
    model.fold([*projected(story), gone])
    assert model.value("SELECT count(*) FROM dead_letters") == 0


def test_every_record_of_a_story_stands_where_its_topic_and_key_say():
    for record in a_whole_story().log.records:
        fact = decode(record.value or b"")
        assert (record.topic, record.key) == (topic_of(fact).name, key_of(fact).encode())
