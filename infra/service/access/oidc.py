"""The OpenID Connect issuer that the settings name, and callers by its bearer tokens.

Its discovery document and keys are kept for an hour; a key that is not known is looked up at once,
but only once in a while, so that strangers cannot make us ask the issuer. While the issuer does not
answer, known keys are used for up to 12 hours, as long as a session of the console lasts, and calls
do not wait for it (RFC 5861, stale-if-error). So a key that the issuer takes back is refused an
hour later at most, or after 12 hours when it cannot be asked. Only it and addresses of its document
are asked, over https or at its own origin, and an answer has a size and a time.

PyJWT checks signatures and claims: connectors sign with it already, and it has nothing that would
choose an algorithm by what a token says. Decided against: authlib, whose client brings sessions and
frameworks of its own; joserfc, a second library for the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt
from pydantic import BaseModel, ConfigDict

from infra.platform.errors import Forbidden, Unavailable
from infra.platform.log import get
from infra.platform.settings import Settings, SettingsError
from infra.store.tokens import ROLES, ApiRole, Caller

# Asymmetric ones alone: with HS256 whoever knows the public key could sign.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
REQUIRED = ("exp", "iss", "aud", "sub")
OF_SIGN_IN = (*REQUIRED, "iat", "nonce")
LONGEST_TOKEN = 8_192
LEEWAY_S, ANSWERS_WITHIN_S = 30, 5.0
LARGEST_ANSWER = 256 * 1024
KEYS_KEPT_S, KEYS_ASKED_EVERY_S = 3_600.0, 30.0
KEYS_KEPT_AWAY_S = 12 * 3_600.0
ALL_PROJECTS = "*"
ID_PREFIX = "oidc_"
MOST_KNOWN = 1_000

PLAIN = {"accept": "application/json", "accept-encoding": "identity"}
REFUSED = (jwt.PyJWTError, ValueError, RecursionError)
VERIFIER = jwt.PyJWT({"enforce_minimum_key_length": True})

log = get("oidc")


class Document(BaseModel):
    """What the issuer says of itself, as far as it matters here."""

    model_config = ConfigDict(frozen=True)

    issuer: str
    jwks_uri: str
    authorization_endpoint: str = ""
    token_endpoint: str = ""
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    authorization_response_iss_parameter_supported: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """Whose claim has this ``value`` has the role, in these projects."""

    value: str
    role: ApiRole
    projects: frozenset[str]


class Issuer:
    """The issuer that the settings name. Raises SettingsError for rules that are none."""

    def __init__(
        self,
        settings: Settings,
        now: Callable[[], float] = time.monotonic,
        wall_s: Callable[[], float] = time.time,
    ) -> None:
        self._issuer = settings.oidc_issuer or ""
        self._audience, self._client_id = settings.oidc_audience, settings.oidc_client_id
        self._role, self._projects = settings.oidc_role_claim, settings.oidc_projects_claim
        self._rules = parse_rules(settings.oidc_rules)
        self._now, self._wall_s = now, wall_s
        self._asking: asyncio.Task[None] | None = None
        self._keys: dict[str, jwt.PyJWK] = {}
        self._document: Document | None = None
        self._asked_s = self._learned_s = float("-inf")
        self._is_away = False  # when it was asked last
        self._known: dict[str, tuple[float, Caller]] = {}  # with the time their token ends

    async def find(self, token: str) -> Caller | None:
        """Who has this bearer token; None when it is not valid here.

        Raises Forbidden for a valid one that gives no role, Unavailable when the issuer is away.
        """
        if self._audience is None:
            return None
        try:
            claims = await self._verify(token, self._audience, REQUIRED)
        except REFUSED as error:
            log.info("oidc.token_refused", reason=f"{type(error).__name__}: {error}")
            return None
        caller = self._caller(claims)
        self._known.pop(caller.token_id, None)
        if len(self._known) >= MOST_KNOWN:
            del self._known[next(iter(self._known))]  # whose token was shown longest ago
        self._known[caller.token_id] = (float(claims["exp"]), caller)
        return caller

    async def find_signed_in(self, id_token: str, nonce: str) -> Caller | None:
        """Whom the issuer has signed in, by what it has answered us; None when that is not valid.

        Raises as `find` does.
        """
        try:
            claims = await self._verify(id_token, self._client_id or "", OF_SIGN_IN, is_answer=True)
            _check_answer(claims, self._client_id or "", nonce)
        except REFUSED as error:
            log.info("oidc.sign_in_refused", reason=f"{type(error).__name__}: {error}")
            return None
        return self._caller(claims)

    async def document(self) -> Document:
        """What the issuer says of itself. Raises Unavailable."""
        await self._learn(lambda: self._document is None)
        if self._document is None:
            raise _away()
        return self._document

    async def ask(
        self,
        address: str,
        form: Mapping[str, str] | None = None,
        account: httpx.BasicAuth | None = None,
    ) -> tuple[int, Any]:
        """Status and JSON of an answer from an address of the document; a ``form`` is posted.

        Raises Unavailable.
        """
        try:
            async with (
                asyncio.timeout(ANSWERS_WITHIN_S),
                httpx.AsyncClient(timeout=ANSWERS_WITHIN_S, headers=PLAIN, auth=account) as client,
                client.stream("POST" if form else "GET", address, data=form) as answer,
            ):
                body = b""
                async for part in answer.aiter_raw():
                    body += part
                    if len(body) > LARGEST_ANSWER:
                        raise ValueError(f"it answers with more than {LARGEST_ANSWER:,} bytes")
                if not answer.is_success and answer.status_code not in (400, 401):
                    raise ValueError(f"it answers {answer.status_code}")
                return answer.status_code, json.loads(body)
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError, RecursionError) as why:
            log.warning("oidc.issuer_unusable", reason=f"{type(why).__name__}: {why}")
            raise _away() from why

    def find_by_id(self, token_id: str) -> Caller | None:
        """Who has shown a token here that is still valid: for streams, which outlive their request.

        None after a restart of this server, until the token is shown again.
        """
        ends_s, caller = self._known.get(token_id, (0.0, None))
        return caller if self._wall_s() < ends_s + LEEWAY_S else None

    def _caller(self, claims: Mapping[str, Any]) -> Caller:
        """By the first rule that fits, or without rules by what the claims say themselves."""
        given = _texts(claims.get(self._role))
        if self._rules:
            rule = next((rule for rule in self._rules if rule.value in given), None)
            role, projects = (rule.role, rule.projects) if rule else (None, frozenset[str]())
        else:
            role = next((role for role in ROLES if role in given), None)
            projects = frozenset(_texts(claims.get(self._projects)))
        if role is None:
            raise Forbidden(
                f"Your token has no role of Cairn in its claim {self._role}: ask who runs Cairn for"
                " one.",
                code="role_missing",
            )
        subject = f"{self._issuer}\n{claims['sub']}"
        return Caller(
            token_id=ID_PREFIX + hashlib.sha256(subject.encode()).hexdigest()[:32],
            name=_name(claims),
            role=role,
            projects=None if ALL_PROJECTS in projects else projects,
        )

    async def _verify(
        self, token: str, audience: str, required: tuple[str, ...], *, is_answer: bool = False
    ) -> dict[str, Any]:
        """The claims of a token. Raises one of REFUSED when it is not valid, Unavailable.

        ``is_answer``: the issuer has sent it to us, so a key that is not known is looked up now.
        """
        name = str(jwt.get_unverified_header(token).get("kid", ""))
        await self._learn(lambda: name not in self._keys, is_urgent=is_answer)
        if name not in self._keys:
            if self._is_away:
                raise _away()
            raise jwt.InvalidKeyError("its key is not one of the issuer's")
        return VERIFIER.decode(
            token,
            self._keys[name],
            algorithms=ALGORITHMS,
            audience=audience,
            issuer=self._issuer,
            leeway=LEEWAY_S,
            options={"require": list(required)},
        )

    async def _learn(self, is_needed: Callable[[], bool], *, is_urgent: bool = False) -> None:
        """Ask for document and keys where ``is_needed`` or they are old, not too often.

        Who needs nothing waits for old keys only as long as the issuer is not known to be away.
        """
        age_s, pause_s = self._now() - self._learned_s, self._now() - self._asked_s
        if age_s > KEYS_KEPT_AWAY_S:
            self._document, self._keys = None, {}
        is_missing = is_needed()
        is_pausing = pause_s <= KEYS_ASKED_EVERY_S and not (is_missing and is_urgent)
        if is_pausing or not (is_missing or age_s > KEYS_KEPT_S):
            return
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask_again())
        if is_missing or not self._is_away:
            await asyncio.shield(self._asking)

    async def _ask_again(self) -> None:
        try:
            self._document, self._keys = await self._fetch()
            self._learned_s, self._is_away = self._now(), False
        except Unavailable:
            self._is_away = True
        finally:
            self._asked_s = self._now()

    async def _fetch(self) -> tuple[Document, dict[str, jwt.PyJWK]]:
        place = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
        _, found = await self.ask(place)
        try:
            document = Document.model_validate(found)
            if document.issuer != self._issuer:
                raise ValueError("its discovery document is another issuer's")
            self._check(document.jwks_uri)
            if self._client_id:
                self._check(document.authorization_endpoint)
                self._check(document.token_endpoint)
            _, keys = await self.ask(document.jwks_uri)
            # Of an empty set PyJWT says that it is none; here it takes every key back.
            known = jwt.PyJWKSet.from_dict(keys).keys if keys["keys"] != [] else []
        except (ValueError, KeyError, TypeError, AttributeError, jwt.PyJWTError) as error:
            log.warning("oidc.issuer_unusable", reason=f"{type(error).__name__}: {error}")
            raise _away() from error
        return document, {key.key_id: key for key in known if key.key_id and key.key_type != "oct"}

    def _check(self, address: str) -> None:
        """Raises ValueError for an address that is neither https nor the issuer's own."""
        asked, own = urlsplit(address), urlsplit(self._issuer)
        if asked.scheme != "https" and asked[:2] != own[:2]:
            raise ValueError("its document names an address that is neither https nor its own")


def parse_rules(written: str | None) -> tuple[Rule, ...]:
    """The rules in `admins=owner *; shop=member prj_1 prj_2`. Raises SettingsError."""
    rules = []
    for each in (written or "").split(";") if written else ():
        value, _, given = each.strip().rpartition("=")
        role, *projects = given.split() or [""]
        if not (value.strip() and role in ROLES and projects):
            raise SettingsError(
                f"CAIRN_OIDC_RULES has {each.strip()!r}, which is no rule: write"
                " `value=role projects`, such as `admins=owner *; shop=member prj_1 prj_2`, with"
                f" one of {', '.join(ROLES)}."
            )
        rules.append(Rule(value.strip(), role, frozenset(projects)))
    return tuple(rules)


def is_of_issuer(token: str) -> bool:
    """Whether ``token`` has the form of one that an issuer makes."""
    return token.count(".") == 2 and len(token) <= LONGEST_TOKEN


def _texts(claim: object) -> list[str]:
    """The words of a claim: a list, or a text with blanks between."""
    if isinstance(claim, str):
        return claim.split()
    return [each for each in claim if isinstance(each, str)] if isinstance(claim, list) else []


def _check_answer(claims: Mapping[str, Any], client_id: str, nonce: str) -> None:
    """Whether a token was made for this client and this sign-in. Raises jwt.InvalidTokenError.

    Source: OpenID Connect Core 1.0, 3.1.3.7.
    """
    audience = claims["aud"]
    is_shared = isinstance(audience, list) and len(audience) > 1
    if claims.get("azp", None if is_shared else client_id) != client_id:
        raise jwt.InvalidAudienceError("it was made for another client")
    if not hmac.compare_digest(str(claims["nonce"]).encode(errors="replace"), nonce.encode()):
        raise jwt.InvalidTokenError("it answers another sign-in")


def _away() -> Unavailable:
    return Unavailable(
        "The issuer of tokens does not answer as it should: try again, or use a token of Cairn.",
        code="issuer_unavailable",
    )


def _name(claims: Mapping[str, Any]) -> str:
    given = claims.get("preferred_username") or claims.get("email") or claims["sub"]
    return "".join(letter for letter in str(given) if letter.isprintable())[:200] or "nobody"
