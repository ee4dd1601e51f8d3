"""One transition of one job: the row changes and its fact is in the outbox, or neither."""

from __future__ import annotations

import json
from typing import Any

from psycopg import Connection
from psycopg.rows import dict_row

from infra.store.jobs.outbox import add_fact
from schemas.envelope import SYSTEM, Actor
from schemas.events.job import JobChanged, JobRecord

CHANNEL = "cairn_jobs"

Conn = Connection[tuple[Any, ...]]
Row = dict[str, Any]

ENDED = "lease_owner = NULL, lease_expires_at = NULL, finished_at = now()"
RELEASED = "lease_owner = NULL, lease_expires_at = NULL"


def change_job(
    connection: Conn,
    kind: type[JobChanged],
    set_to: str,
    where: str,
    values: Row,
    actor: Actor = SYSTEM,
    *,
    prefix: str = "",
) -> Row | None:
    """One transition of one job with its fact; None where no row fits."""
    query = (
        f"{prefix}UPDATE orchestration_jobs SET {set_to}, updated_at = now(),"
        f" transition = transition + 1 WHERE {where} RETURNING *"
    )
    row = fetch_row(connection, query, values)
    if row is not None:
        record_transition(connection, kind, row, actor)
    return row


def record_transition(connection: Conn, kind: type[JobChanged], row: Row, actor: Actor) -> None:
    """The fact goes to the outbox, and whoever waits for work or holds the job hears of it."""
    record = JobRecord(
        **{name: row[name] for name in JobRecord.model_fields if name not in ("payload", "result")},
        payload=_as_text(row["payload"]),
        result=None if row["result"] is None else _as_text(row["result"]),
    )
    add_fact(
        connection,
        kind(job=record),
        project_id=row["project_id"],
        occurred_at=row["updated_at"],
        actor=actor,
        correlation_id=row["correlation_id"],
    )
    connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, row["job_id"]))


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def fetch_row(connection: Conn, query: str, values: Row) -> Row | None:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), values).fetchone()


def fetch_value(connection: Conn, query: str, values: tuple[Any, ...]) -> Any:
    found = connection.execute(query.encode(), values).fetchone()
    return found[0] if found else None
