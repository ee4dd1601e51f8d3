"""Sessions of the console and the links that begin one, as rows; cookies and codes as SHA-256."""

from __future__ import annotations

import hashlib
from datetime import datetime

from infra.platform.errors import NotFound
from infra.store.tokens import LIVE, Caller, caller_of_row
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows

VALID_S, UNUSED_S = 12 * 3600, 2 * 3600
LINK_VALID_S = 600
SEEN_EVERY_S = 300  # so often the use of a session is written

_OPEN = (
    "s.ended_at IS NULL AND s.expires_at > now() AND coalesce(s.role, t.role) IS NOT NULL"
    f" AND s.seen_at > now() - interval '{UNUSED_S} seconds'"
)
_SESSIONS = (
    "console_sessions s LEFT JOIN"
    f" (SELECT token_id, name, role, projects FROM api_tokens WHERE {LIVE}) t USING (token_id)"
)


SESSIONS = Listing(
    "sessions",
    "s.session_id, coalesce(s.name, t.name) AS name, s.browser, s.created_at, s.seen_at,"
    " s.expires_at",
    _SESSIONS,
    {"s.session_id": "bigint"},
)


class Session(ReadModel):
    """A session without its cookie; ``name`` is whose it is."""

    session_id: int
    name: str
    browser: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime


def insert_link(connection: Conn, code: str, token_id: str) -> None:
    """Keep a link that signs in once, for ten minutes."""
    connection.execute(
        "INSERT INTO console_links (code_sha256, token_id, expires_at)"
        " VALUES (%s, %s, now() + interval '1 second' * %s)",
        (_hash(code), token_id, LINK_VALID_S),
    )


def redeem_link(connection: Conn, code: str) -> Caller | None:
    """Whom the code of a link signs in; None when it is none, or is used, or too old."""
    found = rows(
        connection,
        "WITH used AS (DELETE FROM console_links WHERE code_sha256 = %s AND expires_at > now()"
        " RETURNING token_id)"
        f" SELECT token_id, name, role, projects FROM api_tokens JOIN used USING (token_id)"
        f" WHERE {LIVE}",
        _hash(code),
    )
    return next(iter(caller_of_row(**row) for row in found), None)


def insert_session(
    connection: Conn, cookie: str, caller: Caller, *, browser: str, flow: str
) -> bool:
    """Keep a session; False where the sign-in ``flow`` has begun one before."""
    kept = connection.execute(
        "INSERT INTO console_sessions (cookie_sha256, token_id, browser, expires_at,"
        " name, role, projects, flow_sha256)"
        " VALUES (%s, %s, %s, now() + interval '1 second' * %s, %s, %s, %s, %s)"
        " ON CONFLICT (flow_sha256) DO NOTHING",
        (_hash(cookie), caller.token_id, browser, VALID_S, *_whose(caller, flow)),
    )
    return bool(kept.rowcount)


def find_signed_in(connection: Conn, cookie: str) -> Caller | None:
    """Whose session this cookie opens; None when it is over. That it was used is noted, rarely."""
    found = rows(
        connection,
        "WITH found AS (SELECT s.session_id, token_id, coalesce(s.name, t.name) AS name,"
        " coalesce(s.role, t.role) AS role, coalesce(s.projects, t.projects) AS projects"
        f" FROM {_SESSIONS} WHERE s.cookie_sha256 = %s AND {_OPEN}),"
        " seen AS (UPDATE console_sessions s SET seen_at = now() FROM found"
        " WHERE s.session_id = found.session_id"
        " AND s.seen_at < now() - interval '1 second' * %s)"
        " SELECT token_id, name, role, projects FROM found",
        *(_hash(cookie), SEEN_EVERY_S),
    )
    return next(iter(caller_of_row(**row) for row in found), None)


def list_sessions(
    connection: Conn, caller: Caller, *, cursor: str | None = None, limit: int = PAGE
) -> Page[Session]:
    """A page of the open sessions that a caller may end, the newest first. Raises Refusal."""
    conditions = [(_OPEN,), _within(caller)]
    found, following = page_of(connection, SESSIONS, conditions, cursor, limit, backwards=True)
    return Page(items=[Session(**row) for row in found], next_cursor=following)


def session_of(connection: Conn, cookie: str) -> int | None:
    """The id of the session that a cookie belongs to."""
    found = rows(
        connection,
        "SELECT session_id FROM console_sessions WHERE cookie_sha256 = %s",
        _hash(cookie),
    )
    return next((int(row["session_id"]) for row in found), None)


def end_session(connection: Conn, cookie: str) -> None:
    """The session of a cookie is over, wherever else the cookie is kept."""
    connection.execute(
        "UPDATE console_sessions SET ended_at = now()"
        " WHERE cookie_sha256 = %s AND ended_at IS NULL",
        (_hash(cookie),),
    )


def end_session_of(connection: Conn, session_id: int, caller: Caller) -> None:
    """One session is over. Raises NotFound for one that the caller may not end."""
    condition, *parameters = _within(caller)
    ended = connection.execute(
        "UPDATE console_sessions s SET ended_at = coalesce(s.ended_at, now())"
        f" WHERE s.session_id = %s AND {condition}".encode(),
        (session_id, *parameters),
    )
    if not ended.rowcount:
        raise NotFound("There is no such session that you may end.", code="unknown_session")


def end_all_sessions(connection: Conn, caller: Caller) -> None:
    """Every session of a caller is over, in every browser."""
    connection.execute(
        "UPDATE console_sessions SET ended_at = now() WHERE token_id = %s AND ended_at IS NULL",
        (caller.token_id,),
    )


def forget_sessions(connection: Conn) -> int:
    """Remove sessions and links whose time is over; how many."""
    return sum(
        connection.execute(f"DELETE FROM {table} WHERE expires_at <= now()".encode()).rowcount
        for table in ("console_sessions", "console_links")
    )


def _within(caller: Caller) -> Condition:
    """The sessions that a caller may end: their own, and all for an owner of all projects."""
    if caller.role == "owner" and caller.projects is None:
        return ("true",)
    return ("s.token_id = %s", caller.token_id)


def _whose(caller: Caller, flow: str) -> tuple[object, ...]:
    """Name, role and projects that a row keeps, and its flow; nothing where a token says it."""
    if not flow:
        return None, None, None, None
    projects = None if caller.projects is None else sorted(caller.projects)
    return caller.name, caller.role, projects, _hash(flow)


def _hash(drawn: str) -> bytes:
    return hashlib.sha256(drawn.encode(errors="replace")).digest()
