"""Sign in to the console with the issuer: authorization code with PKCE, state and nonce.

What has been begun is a signed cookie of the browser, and no row: strangers could fill a table.
State, nonce and the verifier of PKCE follow from what was drawn for it, so an answer is good for
the browser that asked alone. A session remembers the sign-in that it came from, so that one is
finished once (`sessions.py`).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, urlencode, urlsplit

import httpx
from pydantic import BaseModel, ConfigDict

from infra.platform.errors import Forbidden, Invalid, Unavailable
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.service.access.oidc import LONGEST_TOKEN, Document, Issuer
from infra.service.access.signed import sign, signature_of, verify
from infra.service.access.stream_tokens import read_stream_key
from infra.store.tokens import Caller

VALID_S = 600
LONGEST_PLACE = 400  # in bytes, for the cookie
FLOW = b"cairn console sign-in 1\n"
STATE, NONCE, VERIFIER = (b"cairn oidc %s 1\n" % it for it in (b"state", b"nonce", b"verifier"))
REASON = re.compile(r"[a-z_]{1,40}")

log = get("oidc")


class Flow(BaseModel):
    """A sign-in that was begun: what was drawn for it, where it leads, and until when."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    drawn: str
    next_place: str
    expires_s: int


@dataclass(frozen=True, slots=True)
class Finished:
    """Whom the issuer has signed in, and where they wanted to go; ``flow`` is good once."""

    caller: Caller
    next_place: str
    flow: str


class SignIn:
    """Begins and finishes sign-ins with one issuer. Raises Refusal for a secret without a file."""

    def __init__(
        self, settings: Settings, issuer: Issuer, now_s: Callable[[], float] = time.time
    ) -> None:
        self._settings, self._issuer, self._now_s = settings, issuer, now_s
        self._client_id = settings.oidc_client_id or ""
        self._secret = read_client_secret(settings)
        self.name = urlsplit(settings.oidc_issuer or "").netloc

    async def begin(self, callback: str, next_place: str) -> tuple[str, str]:
        """Where the browser goes, and the cookie that it comes back with to ``callback``.

        Raises Unavailable.
        """
        document = await self._issuer.document()
        if len(next_place.encode()) > LONGEST_PLACE:
            next_place = ""
        drawn = secrets.token_urlsafe(18)
        flow = Flow(drawn=drawn, next_place=next_place, expires_s=int(self._now_s()) + VALID_S)
        asked = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": callback,
            "scope": self._settings.oidc_scopes,
            "state": self._of(STATE, drawn),
            "nonce": self._of(NONCE, drawn),
            "code_challenge": _challenge(self._of(VERIFIER, drawn)),
            "code_challenge_method": "S256",
        }
        joint = "&" if "?" in document.authorization_endpoint else "?"
        place = f"{document.authorization_endpoint}{joint}{urlencode(asked)}"
        return place, sign(self._key, FLOW, flow)

    async def finish(self, cookie: str, answer: Mapping[str, str], callback: str) -> Finished:
        """Whom the issuer's ``answer`` to the browser signs in.

        Raises Forbidden, also for somebody without a role, and Unavailable.
        """
        flow = verify(self._key, FLOW, cookie, Flow)
        if flow is None or self._now_s() >= flow.expires_s:
            raise _refused(
                "This sign-in was not begun in this browser, or more than ten minutes ago: begin"
                " again."
            )
        document = await self._issuer.document()
        self._check(answer, flow, document)
        token = await self._exchange(document, answer["code"], flow, callback)
        caller = await self._issuer.find_signed_in(token, self._of(NONCE, flow.drawn))
        if caller is None:
            raise _refused(
                "What the issuer says of you is not valid here: begin again, or use a token."
            )
        return Finished(caller, flow.next_place, flow.drawn)

    def _check(self, answer: Mapping[str, str], flow: Flow, document: Document) -> None:
        """Raises Forbidden for what is no answer to this flow. Source of ``iss``: RFC 9207."""
        state = answer.get("state", "").encode(errors="replace")
        if not hmac.compare_digest(state, self._of(STATE, flow.drawn).encode()):
            raise _refused("This answers another sign-in: begin again.")
        known = None if document.authorization_response_iss_parameter_supported else document.issuer
        if answer.get("iss", known) != document.issuer:
            raise _refused("Another issuer has answered: begin again.")
        if reason := answer.get("error", ""):
            shown = reason if REASON.fullmatch(reason) else "no reason"
            raise _refused(
                f"The issuer has not signed you in ({shown}): begin again, or use a token."
            )
        if not answer.get("code"):
            raise _refused("The issuer has sent no code: begin again.")

    async def _exchange(self, document: Document, code: str, flow: Flow, callback: str) -> str:
        """The token that the issuer gives for ``code``. Raises Forbidden, Unavailable."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback,
            "code_verifier": self._of(VERIFIER, flow.drawn),
        }
        account = None
        if self._secret and "client_secret_basic" in document.token_endpoint_auth_methods_supported:
            account = httpx.BasicAuth(quote(self._client_id, ""), quote(self._secret, ""))
        else:
            form["client_id"] = self._client_id
            form |= {"client_secret": self._secret} if self._secret else {}
        status, said = await self._issuer.ask(document.token_endpoint, form, account)
        found = said if isinstance(said, dict) else {}
        token = found.get("id_token")
        if status == 200 and isinstance(token, str) and len(token) <= LONGEST_TOKEN:
            return token
        error = str(found.get("error", ""))
        log.warning("oidc.code_refused", status=status, error=error[:100])
        if error == "invalid_client":
            raise Unavailable(
                "The issuer does not take the client that Cairn is set up with: tell who runs it.",
                code="issuer_refuses_client",
            )
        raise _refused("The issuer does not take its code again: begin again.")

    def _of(self, purpose: bytes, drawn: str) -> str:
        return signature_of(self._key, purpose, drawn)

    @cached_property
    def _key(self) -> bytes:
        return read_stream_key(self._settings)


def read_client_secret(settings: Settings) -> str:
    """The secret that the issuer gave; empty when there is none. Raises Refusal."""
    if settings.oidc_client_secret:
        return settings.oidc_client_secret.get_secret_value()
    path = settings.oidc_client_secret_file
    if path is None:
        return ""
    try:
        return path.read_text().strip()
    except (OSError, ValueError) as error:
        raise Invalid(
            f"The secret file {path} (CAIRN_OIDC_CLIENT_SECRET_FILE) cannot be read: make it"
            " readable, or point to another.",
            code="client_secret_unreadable",
        ) from error


def _refused(message: str) -> Forbidden:
    return Forbidden(message, code="sign_in_refused")


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
