"""Requests by idempotency key with the answers they had, and the audit log of writes.

The audit log is an append-only table and no topic: it also holds what was refused, which is no fact
of a project, and strangers could fill a log that is kept for ever with it. What a write did change
stands in the log with its actor.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from datetime import datetime

from infra.errors import Invalid
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows

FORGOTTEN_AT_ONCE = 5_000
AUDIT = Listing(
    "audit",
    "w.audit_id, w.at, w.project_id, w.token_id, w.actor, w.role, w.operation, w.path, w.key,"
    " w.reason, o.status, coalesce(o.code, 'begun') AS code, w.correlation_id",
    "api_audit w LEFT JOIN api_audit_outcomes o USING (audit_id)",
    {"w.audit_id": "bigint"},
)


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
class Begun:
    """A write that may be done, with its place in the audit log; or one that was answered."""

    earlier: Answered
    audit_id: int = 0


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A write that was asked for, by whom, and why if they were asked."""

    project_id: str | None
    token_id: str
    actor: str
    role: str
    operation: str
    path: str
    key: str
    correlation_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a write: ``code`` is ``done`` or a problem's."""

    status: int
    code: str


class AuditRow(ReadModel):
    """``code`` is ``done``, a problem's, or ``begun`` where nobody has written what came of it."""

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
            return Begun(earlier)
        return Begun(earlier, _note_write(connection, entry))


def end_write(
    connection: Conn, audit_id: int, outcome: Outcome, asked: Asked | None = None, body: str = ""
) -> None:
    """Note what came of a write; with ``asked`` its answer is kept, if it is the first."""
    with connection.transaction():
        connection.execute(
            "INSERT INTO api_audit_outcomes (audit_id, status, code) VALUES (%s, %s, %s)",
            (audit_id, outcome.status, outcome.code),
        )
        if asked:
            connection.execute(
                "UPDATE api_requests SET status = %s, body = %s"
                " WHERE scope = %s AND key = %s AND status IS NULL",
                (outcome.status, body, asked.scope, asked.key),
            )


def end_refused(
    connection: Conn, audit_id: int, outcome: Outcome, asked: Asked, earlier: Answered
) -> None:
    """Note a write that was refused and has recorded nothing: its key may come with another body.

    Not where the key was there before, since nobody knows what that request has recorded.
    """
    with connection.transaction():
        end_write(connection, audit_id, outcome)
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
    writes = connection.execute(
        "DELETE FROM api_audit WHERE audit_id = ANY(ARRAY(SELECT audit_id FROM api_audit"
        " WHERE at < now() - interval '1 day' * %s ORDER BY at LIMIT %s))",
        (audit_days, FORGOTTEN_AT_ONCE),
    )
    return keys.rowcount + writes.rowcount


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


def _note_write(connection: Conn, entry: AuditEntry) -> int:
    (noted,) = rows(
        connection,
        "INSERT INTO api_audit (project_id, token_id, actor, role, operation, path, key,"
        " correlation_id, reason) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING audit_id",
        *astuple(entry),
    )
    return int(noted["audit_id"])


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
        conditions.append(("w.project_id = %s", project_id))
    found, following = page_of(connection, AUDIT, conditions, cursor, limit, backwards=newest_first)
    return Page(items=[AuditRow(**row) for row in found], next_cursor=following)
