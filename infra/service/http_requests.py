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

AUDIT = Listing(
    "audit",
    "w.audit_id, w.at, w.project_id, w.token_id, w.actor, w.role, w.operation, w.path, w.key,"
    " w.status, w.code, w.correlation_id",
    "api_audit w",
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
class AuditEntry:
    """A write that was asked for, and what came of it: ``code`` is ``done`` or a problem's."""

    project_id: str | None
    token_id: str
    actor: str
    role: str
    operation: str
    path: str
    key: str
    status: int
    code: str
    correlation_id: str


class AuditRow(ReadModel):
    audit_id: int
    at: datetime
    project_id: str | None
    token_id: str
    actor: str
    role: str
    operation: str
    path: str
    key: str
    status: int
    code: str
    correlation_id: str


def begin_request(connection: Conn, asked: Asked) -> Answered:
    """What is known of this request, which is noted now.

    Raises Invalid when the key was used for another request.
    """
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


def end_request(connection: Conn, asked: Asked, status: int, body: str) -> None:
    """Keep the first answer."""
    connection.execute(
        "UPDATE api_requests SET status = %s, body = %s"
        " WHERE scope = %s AND key = %s AND status IS NULL",
        (status, body, asked.scope, asked.key),
    )


def record_write(connection: Conn, entry: AuditEntry) -> None:
    connection.execute(
        "INSERT INTO api_audit (project_id, token_id, actor, role, operation, path, key, status,"
        " code, correlation_id) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        astuple(entry),
    )


def list_audit(
    connection: Conn, project_id: str | None = None, *, cursor: str | None = None, limit: int = PAGE
) -> Page[AuditRow]:
    """A page of the audit log, oldest first; of one project or of all. Raises Refusal."""
    conditions: list[Condition] = [("true",)]
    if project_id is not None:
        conditions.append(("w.project_id = %s", project_id))
    found, following = page_of(connection, AUDIT, conditions, cursor, limit)
    return Page(items=[AuditRow(**row) for row in found], next_cursor=following)
