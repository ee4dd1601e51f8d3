"""The audit log is the same before its facts are published, after, and made again from them."""

from __future__ import annotations

import pytest

from infra.platform.errors import Invalid
from infra.store.jobs.outbox import list_pending, mark_published
from infra.store.requests import (
    Asked,
    AuditEntry,
    AuditRow,
    Outcome,
    begin_write,
    end_write,
    forget_old,
    list_audit,
    record_refused,
)
from projections.read.page import Page
from tests.projections.conftest import ReadModel
from tests.projections.log import Log

DONE = Outcome(201, "done")


@pytest.fixture
def audited(model: ReadModel) -> ReadModel:
    """A read model without facts on their way."""
    model.connection.execute("DELETE FROM outbox")
    return model


def entry(key: str, project_id: str | None = "prj_1", reason: str = "") -> AuditEntry:
    path = f"/v1/projects/{project_id}/runs"
    return AuditEntry(
        *(project_id, "tok_1", "ana", "owner", "start_run", path, key, "cor-1", reason)
    )


def write(model: ReadModel, key: str, project_id: str | None = "prj_1") -> None:
    begun = begin_write(model.connection, None, entry(key, project_id))
    end_write(model.connection, begun.written, DONE)


def publish(model: ReadModel, log: Log) -> None:
    """What the relay does."""
    pending = list_pending(model.connection, 1_000)
    for each in pending:
        log.write(each.fact)
    mark_published(model.connection, pending)


def listed(model: ReadModel, project_id: str | None = None) -> list[AuditRow]:
    """All rows, in pages of two."""
    found: list[AuditRow] = []
    page: Page[AuditRow] | None = None
    while page is None or page.next_cursor:
        cursor = page.next_cursor if page else None
        page = list_audit(model.connection, project_id, cursor=cursor, limit=2)
        found += page.items
    return found


def test_rows_are_the_same_on_their_way_in_the_tables_and_made_again(audited: ReadModel):
    log = Log()
    write(audited, "one")
    write(audited, "two", project_id=None)
    record_refused(audited.connection, entry("three", reason="too old"), Outcome(403, "forbidden"))
    begin_write(audited.connection, None, entry("four", "prj_2"))
    on_their_way = listed(audited)
    assert [(row.key, row.status, row.code) for row in on_their_way] == [
        ("one", 201, "done"),
        ("two", 201, "done"),
        ("three", 403, "forbidden"),
        ("four", None, "begun"),
    ]
    assert [row.project_id for row in on_their_way] == ["prj_1", None, "prj_1", "prj_2"]

    publish(audited, log)
    audited.fold(log.records[:3])
    assert listed(audited) == on_their_way
    assert [row.key for row in listed(audited, "prj_1")] == ["one", "three"]

    audited.emptied().connection.execute("DELETE FROM outbox")
    assert listed(audited) == []
    audited.fold(log.records)
    assert listed(audited) == on_their_way


def test_ids_go_on_behind_those_of_an_earlier_database(audited: ReadModel):
    log = Log()
    write(audited, "before")
    publish(audited, log)
    audited.fold(log.records)
    (before,) = listed(audited)
    start = audited.value("SELECT start_value FROM pg_sequences WHERE sequencename = 'audit_ids'")
    now = audited.value("SELECT extract(epoch FROM now())::bigint * 1000")
    assert now - 86_400_000 < start <= before.audit_id
    assert before.audit_id < 2**53, "a browser's number holds it"


def test_a_write_that_is_refused_for_its_key_leaves_no_row(audited: ReadModel):
    audited.connection.execute("DELETE FROM api_requests")
    asked = Asked("prj_1", "key", b"one")
    begun = begin_write(audited.connection, asked, entry("key"))
    end_write(audited.connection, begun.written, DONE, asked, "answer")
    with pytest.raises(Invalid):
        begin_write(audited.connection, Asked("prj_1", "key", b"two"), entry("key"))
    again = begin_write(audited.connection, asked, entry("key"))
    assert again.earlier.body == "answer"
    assert len(listed(audited)) == 1


def test_rows_that_were_forgotten_count_as_no_difference_of_a_rebuild(audited: ReadModel):
    from projections.checksums import table_sum
    from projections.tables import TABLES

    log = Log()
    write(audited, "new")
    publish(audited, log)
    audited.fold(log.records)
    of_audit = [table for table in TABLES if table.forgets]
    sums = [table_sum(audited.connection, table, narrow=True) for table in of_audit]
    audited.connection.execute(
        "WITH w AS (INSERT INTO api_audit (audit_id, token_id, actor, role, operation, path, key,"
        " correlation_id, at) VALUES (1, 't', 'a', 'owner', 'o', '/', 'old', '',"
        " now() - interval '40 days') RETURNING audit_id)"
        " INSERT INTO api_audit_outcomes (audit_id, at, status, code)"
        " SELECT audit_id, now() - interval '40 days', 200, 'done' FROM w"
    )
    assert len(listed(audited)) == 2
    assert [table_sum(audited.connection, table, narrow=True) for table in of_audit] == sums
    forget_old(audited.connection, 7, 35)
    assert [row.key for row in listed(audited)] == ["new"]
    assert [table_sum(audited.connection, table, narrow=True) for table in of_audit] == sums
