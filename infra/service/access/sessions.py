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
from functools import cached_property

from infra.platform import postgres
from infra.platform.errors import Conflict
from infra.platform.settings import Settings
from infra.runtime.local.http_address import read_address
from infra.service.access.signed import signature_of
from infra.service.access.stream_tokens import read_stream_key
from infra.service.access.tokens import read_owner_token
from infra.store.requests import AuditEntry, Outcome, begin_write, end_write
from infra.store.sessions import end_session, insert_link, insert_session
from infra.store.tokens import Caller, find_caller
from projections.read.session import Conn

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


@dataclass(frozen=True, slots=True)
class NewSession:
    """Where a session begins: in which browser, and which cookie it had there before.

    ``flow``: the sign-in with an issuer that it comes from; empty: it was begun with a token.
    """

    browser: str
    earlier_cookie: str = ""
    flow: str = ""


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
    insert_link(connection, code, token_id)
    return code


def begin_session(connection: Conn, caller: Caller, new: NewSession, entry: AuditEntry) -> str:
    """The cookie of a new session, which the audit log knows of; an earlier one of it ends.

    Raises Conflict for a sign-in with an issuer that has begun one before.
    """
    cookie = secrets.token_urlsafe(DRAWN_BYTES)
    with connection.transaction():
        begun = begin_write(connection, None, entry)
        end_session(connection, new.earlier_cookie)
        if not insert_session(connection, cookie, caller, browser=new.browser, flow=new.flow):
            raise Conflict("This sign-in was finished before: begin again.", code="sign_in_over")
        end_write(connection, begun.written, Outcome(303, "done"))
    return cookie


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
