"""Callers by the bearer tokens of an OpenID Connect issuer, where the settings name one.

Keys come from the issuer's discovery document and are kept; a key that is not known is looked up
again, at most once in a while, so that strangers cannot make us ask the issuer.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import jwt

from infra.errors import Forbidden, Unavailable
from infra.log import get
from infra.service.tokens import ROLES, Caller
from infra.settings import Settings

# Asymmetric ones alone: with HS256 whoever knows the public key could sign.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
REQUIRED = ("exp", "iss", "aud", "sub")
LONGEST_TOKEN = 8_192
LEEWAY_S, ANSWERS_WITHIN_S = 30, 5.0
KEYS_KEPT_S, KEYS_ASKED_EVERY_S = 3_600.0, 30.0
ALL_PROJECTS = "*"
ID_PREFIX = "oidc_"
MOST_KNOWN = 1_000

log = get("oidc")


class Issuer:
    """The issuer that the settings name."""

    def __init__(
        self,
        settings: Settings,
        now: Callable[[], float] = time.monotonic,
        wall_s: Callable[[], float] = time.time,
    ) -> None:
        self._issuer = settings.oidc_issuer or ""
        self._audience = settings.oidc_audience
        self._role, self._projects = settings.oidc_role_claim, settings.oidc_projects_claim
        self._now, self._wall_s = now, wall_s
        self._keys: dict[str, jwt.PyJWK] = {}
        self._asked_s = float("-inf")
        self._known: dict[str, tuple[float, Caller]] = {}  # with the time their token ends

    async def find(self, token: str) -> Caller | None:
        """Who has this token; None when it is not valid here.

        Raises Forbidden for a valid one that gives no role, Unavailable when the issuer is away.
        """
        try:
            name = jwt.get_unverified_header(token).get("kid", "")
            key = await self._key(str(name))
            if key is None:
                raise jwt.InvalidKeyError("its key is not one of the issuer's")
            claims = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": list(REQUIRED)},
            )
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            log.info("oidc.token_refused", reason=f"{type(error).__name__}: {error}")
            return None
        caller = self._caller(claims)
        self._known.pop(caller.token_id, None)
        if len(self._known) >= MOST_KNOWN:
            del self._known[next(iter(self._known))]  # whose token was shown longest ago
        self._known[caller.token_id] = (float(claims["exp"]), caller)
        return caller

    def find_by_id(self, token_id: str) -> Caller | None:
        """Who has shown a token here that is still valid: for streams, which outlive their request.

        None after a restart of this server, until the token is shown again.
        """
        ends_s, caller = self._known.get(token_id, (0.0, None))
        return caller if self._wall_s() < ends_s + LEEWAY_S else None

    def _caller(self, claims: Mapping[str, Any]) -> Caller:
        given = _texts(claims.get(self._role))
        role = next((role for role in ROLES if role in given), None)
        if role is None:
            raise Forbidden(
                f"Your token has no role of Cairn in its claim {self._role}: it is to be one of"
                f" {', '.join(ROLES)}.",
                code="role_missing",
            )
        projects = frozenset(_texts(claims.get(self._projects)))
        subject = f"{self._issuer}\n{claims['sub']}"
        return Caller(
            token_id=ID_PREFIX + hashlib.sha256(subject.encode()).hexdigest()[:32],
            name=_name(claims),
            role=role,
            projects=None if ALL_PROJECTS in projects else projects,
        )

    async def _key(self, name: str) -> jwt.PyJWK | None:
        """A key of the issuer by its ``kid``. Raises Unavailable."""
        age_s = self._now() - self._asked_s
        if age_s > KEYS_KEPT_S or (name not in self._keys and age_s > KEYS_ASKED_EVERY_S):
            self._asked_s = self._now()
            self._keys = await self._fetch()
        return self._keys.get(name)

    async def _fetch(self) -> dict[str, jwt.PyJWK]:
        try:
            async with httpx.AsyncClient(timeout=ANSWERS_WITHIN_S) as client:
                place = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
                found = (await client.get(place)).raise_for_status().json()
                if found["issuer"] != self._issuer:
                    raise ValueError("its discovery document is another issuer's")
                keys = (await client.get(found["jwks_uri"])).raise_for_status().json()
                known = jwt.PyJWKSet.from_dict(keys).keys
        except (httpx.HTTPError, ValueError, KeyError, TypeError, jwt.PyJWTError) as error:
            log.warning("oidc.issuer_unusable", reason=f"{type(error).__name__}: {error}")
            raise Unavailable(
                "The issuer of tokens does not answer as it should: try again, or use a token of"
                " Cairn.",
                code="issuer_unavailable",
            ) from error
        return {key.key_id: key for key in known if key.key_id and key.key_type != "oct"}


def is_of_issuer(token: str) -> bool:
    """Whether ``token`` has the form of one that an issuer makes."""
    return token.count(".") == 2 and len(token) <= LONGEST_TOKEN


def _texts(claim: object) -> list[str]:
    """The words of a claim: a list, or a text with blanks between."""
    if isinstance(claim, str):
        return claim.split()
    return [each for each in claim if isinstance(each, str)] if isinstance(claim, list) else []


def _name(claims: Mapping[str, Any]) -> str:
    given = claims.get("preferred_username") or claims.get("email") or claims["sub"]
    return "".join(letter for letter in str(given) if letter.isprintable())[:200] or "nobody"
