"""Requests by idempotency key with the answers they had, and the audit log of writes.

Rows of the audit log are facts on `audit.v1`: one commits in the outbox before a write is done, and
one, with the answer that its key keeps, before the write is answered. So a process that is killed
in between leaves the first, and the loss of the tables leaves what the relay has published.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from infra.platform.errors import Invalid
from infra.store.jobs.outbox import add_fact
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows
from schemas.envelope import Actor, Event
from schemas.events.audit import WriteBegun, WriteEnded

FORGOTTEN_AT_ONCE = 5_000
AUDIT = Listing(
    "audit",
    "audit_id, at, project_id, token_id, actor, role, operation, path, key, reason,"
    " spoken_by, status, code,"
    " correlation_id",
    "audit_log",
    {"audit_id": "bigint"},
)
ANYWHERE = "-"  # the project of a write that is about none


@dataclass(frozen=True, slots=True)
class Asked:
    """A request with a key; ``fingerprint`` is of everything that it asks for."""

    scope: str
    key: str
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that was kept; without one (``status`` None) the request may have been cut off.

    ``repeated``: the key was there before.
    """

    repeated: bool
    status: int | None = None
    body: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """A row of the audit log."""

    audit_id: int
    entry: AuditEntry


@dataclass(frozen=True, slots=True)
class Begun:
    """A write that may be done, with its place in the audit log; or one that was answered."""

    earlier: Answered
    written: Written


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A write that was asked for, by whom, and why if they were asked.

    ``spoken_by``: who has asked on behalf of ``actor``.
    """

    project_id: str | None
    token_id: str
    actor: str
    role: str
    operation: str
    path: str
    key: str
    correlation_id: str
    reason: str = ""
    spoken_by: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a write: ``code`` is ``done`` or a problem's."""

    status: int
    code: str


class AuditRow(ReadModel):
    """``code`` is ``done``, a problem's, or ``begun`` where nobody has written what came of it.

    ``spoken_by``: who has asked on behalf of ``actor``; empty where that is the same person.
    """

    audit_id: int
    at: datetime
    project_id: str | None
    token_id: str
    actor: str
    role: str
    operation: str
    path: str
    key: str
    reason: str
    spoken_by: str
    status: int | None
    code: str
    correlation_id: str


def begin_write(connection: Conn, asked: Asked | None, entry: AuditEntry) -> Begun:
    """Note a write before it is done, and what is known of its key, if it has one.

    One that was answered before is not noted again. Raises Invalid when the key was used for
    another request.
    """
    with connection.transaction():
        earlier = _note_request(connection, asked) if asked else Answered(repeated=False)
        if earlier.status is not None:
            return Begun(earlier, Written(0, entry))
        return Begun(earlier, _note_write(connection, entry))


def end_write(
    connection: Conn, written: Written, outcome: Outcome, asked: Asked | None = None, body: str = ""
) -> None:
    """Note what came of a write; with ``asked`` its answer is kept, if it is the first."""
    with connection.transaction():
        event = WriteEnded(audit_id=written.audit_id, status=outcome.status, code=outcome.code)
        _add_fact(connection, event, written.entry)
        if asked:
            connection.execute(
                "UPDATE api_requests SET status = %s, body = %s"
                " WHERE scope = %s AND key = %s AND status IS NULL",
                (outcome.status, body, asked.scope, asked.key),
            )


def end_refused(
    connection: Conn, written: Written, outcome: Outcome, asked: Asked, earlier: Answered
) -> None:
    """Note a write that was refused and has recorded nothing: its key may come with another body.

    Not where the key was there before, since nobody knows what that request has recorded.
    """
    with connection.transaction():
        end_write(connection, written, outcome)
        if not earlier.repeated:
            connection.execute(
                "DELETE FROM api_requests WHERE scope = %s AND key = %s AND fingerprint = %s"
                " AND status IS NULL",
                (asked.scope, asked.key, asked.fingerprint),
            )


def record_refused(connection: Conn, entry: AuditEntry, outcome: Outcome) -> None:
    """Note a write that was not begun."""
    with connection.transaction():
        end_write(connection, _note_write(connection, entry), outcome)


def forget_old(connection: Conn, keys_days: int, audit_days: int) -> int:
    """Remove keys and writes older than that, some at a time; how many were removed."""
    keys = connection.execute(
        "DELETE FROM api_requests WHERE ctid = ANY(ARRAY(SELECT ctid FROM api_requests"
        " WHERE created_at < now() - interval '1 day' * %s LIMIT %s))",
        (keys_days, FORGOTTEN_AT_ONCE),
    )
    with connection.transaction():
        writes = connection.execute(
            "DELETE FROM api_audit WHERE audit_id = ANY(ARRAY(SELECT audit_id FROM api_audit"
            " WHERE at < now() - interval '1 day' * %s ORDER BY at LIMIT %s)) RETURNING audit_id",
            (audit_days, FORGOTTEN_AT_ONCE),
        ).fetchall()
        connection.execute(
            "DELETE FROM api_audit_outcomes WHERE audit_id = ANY(%s)",
            ([audit_id for (audit_id,) in writes],),
        )
    return keys.rowcount + len(writes)


def _note_request(connection: Conn, asked: Asked) -> Answered:
    noted = connection.execute(
        "INSERT INTO api_requests (scope, key, fingerprint) VALUES (%s, %s, %s)"
        " ON CONFLICT DO NOTHING",
        (asked.scope, asked.key, asked.fingerprint),
    )
    (found,) = rows(
        connection,
        "SELECT fingerprint, status, body FROM api_requests WHERE scope = %s AND key = %s",
        *(asked.scope, asked.key),
    )
    if bytes(found["fingerprint"]) != asked.fingerprint:
        raise Invalid(
            "This idempotency key was used for another request: take a new one.",
            code="idempotency_key_reused",
        )
    return Answered(noted.rowcount == 0, found["status"], found["body"] or "")


def _note_write(connection: Conn, entry: AuditEntry) -> Written:
    (drawn,) = rows(connection, "SELECT nextval('audit_ids') AS audit_id")
    audit_id = int(drawn["audit_id"])
    event = WriteBegun(
        audit_id=audit_id,
        token_id=entry.token_id,
        actor=entry.actor,
        role=entry.role,
        operation=entry.operation,
        path=entry.path,
        key=entry.key,
        reason=entry.reason,
        spoken_by=entry.spoken_by,
    )
    _add_fact(connection, event, entry)
    return Written(audit_id, entry)


def _add_fact(connection: Conn, event: Event, entry: AuditEntry) -> None:
    (clock,) = rows(connection, "SELECT clock_timestamp() AS now")
    add_fact(
        connection,
        event,
        project_id=entry.project_id or ANYWHERE,
        occurred_at=clock["now"],
        actor=Actor(type="human", id=entry.actor),
        correlation_id=entry.correlation_id,
    )


def list_audit(
    connection: Conn,
    project_id: str | None = None,
    *,
    newest_first: bool = False,
    cursor: str | None = None,
    limit: int = PAGE,
) -> Page[AuditRow]:
    """A page of the audit log of one project or of all, oldest first unless said.

    Raises Refusal for a bad cursor.
    """
    conditions: list[Condition] = [("true",)]
    if project_id is not None:
        conditions.append(("project_id = %s", project_id))
    found, following = page_of(connection, AUDIT, conditions, cursor, limit, backwards=newest_first)
    for row in found:
        row["project_id"] = None if row["project_id"] == ANYWHERE else row["project_id"]
    return Page(items=[AuditRow(**row) for row in found], next_cursor=following)
