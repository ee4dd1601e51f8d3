"""Sessions of the console: rows behind a cookie, and links that begin one.

A cookie is 256 random bits that are stored as their SHA-256, as a token is, and it opens the
console alone. Its session lasts twelve hours, two without use, and no longer than its token. One
that an issuer has begun (`oidc_sign_in.py`) has no token, so its row says whose it is.
Decided against: a signed cookie without a row, which other web processes, and this one after a
restart, would still take when its session has ended.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from infra.platform import postgres
from infra.platform.errors import Conflict, NotFound
from infra.platform.settings import Settings
from infra.service.access.signed import signature_of
from infra.service.access.stream_tokens import read_stream_key
from infra.service.access.tokens import LIVE, Caller, caller_of_row, find_caller, read_owner_token
from infra.service.upkeep.address import read_address
from infra.store.requests import AuditEntry, Outcome, begin_write, end_write
from projections.read.page import PAGE, Condition, Listing, Page, page_of
from projections.read.session import Conn, ReadModel, rows

VALID_S, UNUSED_S = 12 * 3600, 2 * 3600
LINK_VALID_S = 600
SEEN_EVERY_S = 300  # so often the use of a session is written
DRAWN_BYTES = 32
DRAWN = re.compile(r"[A-Za-z0-9_-]{43}")
NAME = b"cairn console session 1\n"
FORM = b"cairn console form 1\n"
# By what a browser's User-Agent holds; the first that fits. Nothing else of it is kept.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iOS",
    "iPad": "iOS",
    "Mac OS": "macOS",
    "Linux": "Linux",
}

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


@dataclass(frozen=True, slots=True)
class NewSession:
    """Where a session begins: in which browser, and which cookie it had there before.

    ``flow``: the sign-in with an issuer that it comes from; empty: it was begun with a token.
    """

    browser: str
    earlier_cookie: str = ""
    flow: str = ""


class Session(ReadModel):
    """A session without its cookie; ``name`` is whose it is."""

    session_id: int
    name: str
    browser: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime


def create_console_link(settings: Settings) -> str | None:
    """The console's address, which signs the owner of CAIRN_HOME in once, within ten minutes.

    None where the API never ran here. Raises DatabaseUnavailable.
    """
    url = read_address(settings)
    if url is None:
        return None
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        owner = find_caller(connection, read_owner_token(settings))
        if owner is None:
            return f"{url}/console"
        return f"{url}/console/sign-in?code={create_link(connection, owner.token_id)}"


def create_link(connection: Conn, token_id: str) -> str:
    """The code of a link that signs in once, within ten minutes."""
    code = secrets.token_urlsafe(DRAWN_BYTES)
    connection.execute(
        "INSERT INTO console_links (code_sha256, token_id, expires_at)"
        " VALUES (%s, %s, now() + interval '1 second' * %s)",
        (_hash(code), token_id, LINK_VALID_S),
    )
    return code


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


def begin_session(connection: Conn, caller: Caller, new: NewSession, entry: AuditEntry) -> str:
    """The cookie of a new session, which the audit log knows of; an earlier one of it ends.

    Raises Conflict for a sign-in with an issuer that has begun one before.
    """
    cookie = secrets.token_urlsafe(DRAWN_BYTES)
    with connection.transaction():
        begun = begin_write(connection, None, entry)
        end_session(connection, new.earlier_cookie)
        made = connection.execute(
            "INSERT INTO console_sessions (cookie_sha256, token_id, browser, expires_at,"
            " name, role, projects, flow_sha256)"
            " VALUES (%s, %s, %s, now() + interval '1 second' * %s, %s, %s, %s, %s)"
            " ON CONFLICT (flow_sha256) DO NOTHING",
            (_hash(cookie), caller.token_id, new.browser, VALID_S, *_whose(caller, new.flow)),
        )
        if not made.rowcount:
            raise Conflict("This sign-in was finished before: begin again.", code="sign_in_over")
        end_write(connection, begun.written, Outcome(303, "done"))
    return cookie


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


def is_drawn(text: str) -> bool:
    """Whether ``text`` has the form of a cookie or code: nothing else is worth a question."""
    return DRAWN.fullmatch(text) is not None


def browser_of(user_agent: str) -> str:
    """A browser as its owner knows it, such as `Firefox on Linux`."""
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), "A browser")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return f"{browser} on {system}" if system else browser


class Sessions:
    """How cookies of one installation are called, and what proves that its page sent a form."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def cookie(self, scheme: str) -> str:
        """Its name: two installations on one machine share a host, and so their cookies.

        Under https no page of a neighbouring host can set one of this name.
        """
        return f"__Host-{self._name}" if scheme == "https" else self._name

    def form_mark(self, cookie: str) -> str:
        """What a form sends back: only a page that was made for ``cookie`` has it."""
        return signature_of(self._key, FORM, cookie)

    def is_form_mark(self, cookie: str, mark: str) -> bool:
        return mark.isascii() and hmac.compare_digest(self.form_mark(cookie), mark)

    @cached_property
    def _name(self) -> str:
        return f"cairn_{hashlib.sha256(NAME + self._key).hexdigest()[:8]}"

    @cached_property
    def _key(self) -> bytes:
        return read_stream_key(self._settings)


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
