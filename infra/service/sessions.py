"""Sessions of the console: a signed cookie that names the token somebody has signed in with.

The cookie is no token: it opens the console alone, and nothing once its token is revoked or has
expired. Decided against: rows in a table, which would have to be written at each sign-in and
cleared, and would say no more.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from functools import cached_property

from pydantic import BaseModel, ConfigDict

import infra.postgres
from infra.service.http_address import read_address
from infra.service.signed import sign, signature_of, verify
from infra.service.stream_tokens import read_stream_key
from infra.service.tokens import Caller, find_caller, read_owner_token
from infra.settings import Settings

VALID_S = 12 * 3600
LINK_VALID_S = 600
SESSION = b"cairn console session 1\n"
LINK = b"cairn console link 1\n"
FORM = b"cairn console form 1\n"


class Session(BaseModel):
    """Whoever holds it may use the console as the owner of the token, until then."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token_id: str
    expires_s: int
    drawn: str


def create_console_link(settings: Settings) -> str | None:
    """The console's address, which signs the owner of CAIRN_HOME in once, within ten minutes.

    None where the API never ran here. Raises DatabaseUnavailable.
    """
    url = read_address(settings)
    if url is None:
        return None
    with infra.postgres.connect(settings.conninfo, autocommit=True) as connection:
        owner = find_caller(connection, read_owner_token(settings))
    if owner is None:
        return f"{url}/console"
    return f"{url}/console/sign-in?code={Sessions(settings).create_link(owner.token_id)}"


class Sessions:
    """Makes and reads the sessions of one installation, its sign-in links and marks of forms."""

    def __init__(self, settings: Settings, now_s: Callable[[], float] = time.time) -> None:
        self._settings, self._now_s = settings, now_s
        self._spent: dict[str, int] = {}  # redeemed links, ended sessions: what was drawn for them

    def cookie(self, scheme: str) -> str:
        """Its name: two installations on one machine share a host, and so their cookies.

        Under https no page of a neighbouring host can set one of this name.
        """
        return f"__Host-{self._name}" if scheme == "https" else self._name

    def create(self, caller: Caller) -> str:
        return sign(self._key, SESSION, self._draw(caller.token_id, VALID_S))

    def create_link(self, token_id: str) -> str:
        """The code of a link that signs in once, within ten minutes."""
        return sign(self._key, LINK, self._draw(token_id, LINK_VALID_S))

    def read(self, text: str) -> Session | None:
        """The session of a cookie; None when it is none, is over, or was ended in this process."""
        return self._verify(SESSION, text)

    def end(self, text: str) -> None:
        """The session of a cookie is over, wherever else the cookie is kept."""
        if found := self.read(text):
            self._spend(found)

    def redeem(self, code: str) -> Session | None:
        """What the code of a link says, the first time in this process."""
        if found := self._verify(LINK, code):
            self._spend(found)
        return found

    def form_mark(self, cookie: str) -> str:
        """What a form sends back: only a page that was made for ``cookie`` has it."""
        return signature_of(self._key, FORM, cookie)

    def is_form_mark(self, cookie: str, mark: str) -> bool:
        return mark.isascii() and hmac.compare_digest(self.form_mark(cookie), mark)

    def _draw(self, token_id: str, valid_s: int) -> Session:
        expires_s = int(self._now_s()) + valid_s
        return Session(token_id=token_id, expires_s=expires_s, drawn=secrets.token_urlsafe(12))

    def _spend(self, session: Session) -> None:
        """Note it until it would expire by itself."""
        self._spent = {it: end for it, end in self._spent.items() if end > self._now_s()}
        self._spent[session.drawn] = session.expires_s

    def _verify(self, purpose: bytes, signed: str) -> Session | None:
        """What was signed for this purpose; None once it has expired or is spent."""
        found = verify(self._key, purpose, signed, Session)
        is_good = found and self._now_s() < found.expires_s and found.drawn not in self._spent
        return found if is_good else None

    @cached_property
    def _name(self) -> str:
        return f"cairn_{hashlib.sha256(SESSION + self._key).hexdigest()[:8]}"

    @cached_property
    def _key(self) -> bytes:
        return read_stream_key(self._settings)
