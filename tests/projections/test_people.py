"""What people decided is in the tables, whole, and the database does not let go of it."""

from __future__ import annotations

import json
from dataclasses import replace

import psycopg
import pytest

from projections.checkpoint import Record
from projections.read.contradictions import list_contradictions
from projections.read.lineage import trace
from projections.verify import verify
from schemas.codec import decode, encode
from schemas.events.hitl import ContradictionDecided, PersonDecided
from schemas.events.ledger import LedgerChanged
from streams.memory import Driver
from streams.pipeline import pipeline
from tests.parcel import contents
from tests.projections.builders import replace_part
from tests.projections.conftest import ReadModel
from tests.projections.log import PARTITIONS, records_in
from tests.projections.test_rebuild import LogInMemory, rebuilt
from tests.whole.test_decisions import said, view_of
from tests.whole.test_faults import read
from tests.worlds import PROJECT, ingestion

REASON = "the security review chose it"


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """The log of a project whose contradiction was resolved, and then once more, too late."""
    driver = Driver(pipeline(read), partitions=1)
    driver.publish(ingestion(contents(), key="k1"))
    driver.run()
    (dispute,) = view_of(driver).contradictions.values()
    seen = {
        "contradiction_id": dispute.contradiction_id,
        "decision": "resolve",
        "resolution_kind": "a_wins",
        "expected_revision": dispute.revision,
        "actor_role": "owner",
        "rationale": REASON,
    }
    event = ContradictionDecided.model_validate(seen)
    driver.publish([said(event, "first"), said(event, "second")])
    driver.run()
    return records_in(driver)


def test_each_decision_has_a_row_with_what_it_changed_before_and_after(
    model: ReadModel, records: list[Record]
):
    model.fold(records)
    assert model.value("SELECT count(*) FROM dead_letters") == 0
    first, second = model.rows(
        "SELECT outcome, refusal, decision, actor_id, actor_role, rationale, before_state,"
        " after_state FROM ledger_hitl_events ORDER BY ledger_seq"
    )
    assert first[:6] == ("applied", "", "a_wins", "ana", "owner", REASON)
    assert second[:3] == ("refused", "stale_revision", "a_wins")
    before, after = first[6], first[7]
    assert sorted(atom["status"] for atom in before["atoms"]) == ["active", "draft"]
    assert sorted(atom["status"] for atom in after["atoms"]) == ["active", "superseded"]
    assert [each["status"] for each in before["contradictions"]] == ["open"]
    assert [each["status"] for each in after["contradictions"]] == ["resolved"]
    assert [each["status"] for each in second[6]["contradictions"]] == ["resolved"]
    assert second[7] is None


def test_a_card_shows_both_sides_with_their_quotes(model: ReadModel, records: list[Record]):
    model.fold(records)
    project = model.value("SELECT DISTINCT project_id FROM ledger_contradictions")
    assert list_contradictions(model.connection, project).items == []
    (card,) = list_contradictions(model.connection, project, "resolved").items
    assert (card.resolution_kind, card.allowed_actions) == ("a_wins", [])
    assert [side.status for side in (card.a, card.b)] == ["active", "superseded"]
    for side in (card.a, card.b):
        quote = side.evidence[0]
        assert quote.path and quote.line_start >= 1 and quote.snippet


def test_the_touched_rows_name_the_decision(model: ReadModel, records: list[Record]):
    model.fold(records)
    ((status, kind, by, at, revision, hitl),) = model.rows(
        "SELECT status, resolution_kind, decided_by, decided_at, revision, hitl_event_id"
        " FROM ledger_contradictions"
    )
    assert (status, kind, by, revision) == ("resolved", "a_wins", "ana", 2)
    assert at is not None
    assert model.value("SELECT hitl_event_id FROM ledger_hitl_events WHERE outcome='applied'") == (
        hitl
    )
    assert (
        model.value(
            "SELECT count(*) FROM ledger_atoms WHERE resolution->>'hitl_event_id' = %s", hitl
        )
        == 2
    )


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger_hitl_events SET rationale = 'another'",
        "DELETE FROM ledger_hitl_events",
        "TRUNCATE ledger_hitl_events",
        "INSERT INTO ledger_hitl_events SELECT * FROM ledger_hitl_events"
        " ON CONFLICT (hitl_event_id) DO UPDATE SET rationale = 'another'",
    ],
)
def test_the_database_refuses_to_change_or_delete_a_decision(
    model: ReadModel, records: list[Record], statement: str
):
    model.fold(records)
    with pytest.raises(psycopg.errors.RestrictViolation, match="never changed or deleted"):
        model.connection.execute(statement.encode())
    assert model.value("SELECT count(*) FROM ledger_hitl_events WHERE rationale = %s", REASON) == 2


def test_the_log_twice_gives_the_same_rows(model: ReadModel, records: list[Record]):
    once = model.fold(records).sums()
    again = [replace(record, offset=record.offset + len(records)) for record in records]
    assert model.emptied().fold([*records, *again]).sums() == once


def test_a_rebuild_equals_and_puts_right_a_row_that_was_forged_around_the_trigger(
    model: ReadModel, records: list[Record]
):
    live = model.fold(records).sums()
    assert all(each.equal for each in rebuilt(model, LogInMemory(records)))
    model.connection.execute("ALTER TABLE ledger_hitl_events DISABLE TRIGGER USER")
    model.connection.execute("UPDATE ledger_hitl_events SET rationale = 'another'")
    model.connection.execute("ALTER TABLE ledger_hitl_events ENABLE TRIGGER USER")
    found = rebuilt(model, LogInMemory(records))
    assert [each.table for each in found if not each.equal] == ["ledger_hitl_events"]
    assert model.sums() == live
    with pytest.raises(psycopg.errors.RestrictViolation):
        model.connection.execute("DELETE FROM ledger_hitl_events")


def test_a_trace_of_the_atom_names_the_decision_and_its_place(
    model: ReadModel, records: list[Record]
):
    model.fold(records)
    loser = model.value("SELECT atom_id FROM ledger_atoms WHERE status = 'superseded'")
    shown = json.dumps(trace(model.connection, PROJECT, loser).flat(), default=str)
    assert "hitl.contradiction_decided" in shown


def test_the_log_is_sound_and_a_forged_answer_is_found(records: list[Record]):
    decided = [r for r in records if isinstance(decode(r.value or b"").event, PersonDecided)]
    assert len(decided) == 2
    sound = {f.code for f in verify(records, PARTITIONS).findings}
    assert sound == {"unknown_key"}  # contents are in clear here, under a key that nobody made
    (at,) = [
        place
        for place, record in enumerate(records)
        if isinstance(event := decode(record.value or b"").event, LedgerChanged)
        and event.hitl
        and event.hitl.refusal
    ]
    fact = decode(records[at].value or b"")
    assert isinstance(fact.event, LedgerChanged) and fact.event.hitl
    forged = replace_part(fact.event.hitl, hitl_event_id="hitl_another")
    value = encode(replace(fact, event=replace_part(fact.event, hitl=forged)))
    damaged = [*records[:at], replace(records[at], value=value), *records[at + 1 :]]
    assert "hitl_event_id" in {f.code for f in verify(damaged, PARTITIONS).findings}
