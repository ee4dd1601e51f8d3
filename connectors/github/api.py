"""GitHub's REST and GraphQL interfaces, and the two ways to authenticate: a token, or an App."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gidgethub.apps import get_jwt
from jwt.exceptions import InvalidKeyError

from connectors.connector import SourceUnavailable, UnknownSource
from connectors.credentials import Renew, Renewed
from connectors.github.items import moment
from connectors.rate_limits import Budget
from connectors.transport import AccessLost, Authorise, Params, Response, Secret, Transport
from infra.platform.addresses import without_credentials
from infra.platform.clock import SystemClock

PUBLIC = "https://api.github.com"
REST_VERSION = {
    "Accept": "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
}
PER_PAGE = 100
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')
_REPOSITORY = re.compile(r"^[\w.-]+/[\w.-]+$")


def check_repository(target: str) -> str:
    """Returns ``target`` if it can be a repository. Raises UnknownSource."""
    if not _REPOSITORY.match(target) or target.startswith((".", "-")):
        raise UnknownSource(
            f"{without_credentials(target)!r} is not a repository: write owner/repo."
        )
    return target


def by_app(base_url: str, app_id: str, key: Secret, repository: str) -> Authorise:
    """A GitHub App's installation for the account of ``repository``, with tokens of one hour."""
    return Renewed(installation(base_url, app_id, key, repository), SystemClock())


def installation(base_url: str, app_id: str, key: Secret, repository: str) -> Renew:
    """Requests tokens of a GitHub App's installation for the account of ``repository``."""

    async def as_app() -> Mapping[str, str]:
        try:
            signed = get_jwt(app_id=app_id, private_key=key.reveal())
        except (ValueError, InvalidKeyError):
            raise AccessLost(
                "The App's key is not a private key in PEM format.", "unauthorised", 0
            ) from None
        return {"Authorization": f"Bearer {signed}"}

    async def renew() -> tuple[Secret, datetime]:
        budget = Budget(percent=100)  # GitHub counts an App's own requests separately
        async with Transport(base_url, as_app, budget) as transport:
            data = (await transport.get(f"repos/{repository}/installation")).json()
            try:
                address = f"app/installations/{data['id']}/access_tokens"
                made = (await transport.post(address, {})).json()
                return Secret(str(made["token"])), moment(made["expires_at"])
            except (KeyError, TypeError, ValueError):
                raise SourceUnavailable("GitHub did not give the App a token.") from None

    return renew


@dataclass(frozen=True, slots=True)
class Queried:
    """What GraphQL answered; ``errors`` are the kinds of those about single nodes."""

    data: dict[str, Any]
    errors: tuple[str, ...] = ()


class GitHub:
    """One repository over REST and GraphQL. Raises as ``Transport``."""

    def __init__(self, repository: str, transport: Transport, per_page: int = PER_PAGE) -> None:
        self.repository = check_repository(repository)
        self.transport = transport
        self.per_page = per_page

    async def list(
        self, what: str, params: Params | None = None, *, etag: str | None = None
    ) -> Response:
        """One page of a list of the repository."""
        query = {"per_page": self.per_page, **(params or {})}
        return await self.transport.get(
            f"repos/{self.repository}/{what}", query, etag=etag, headers=REST_VERSION
        )

    async def is_empty(self) -> bool:
        """Whether the repository has no commit. Raises AccessLost where commits are hidden."""
        answer = await self.transport.get(
            f"repos/{self.repository}/commits",
            {"per_page": 1},
            headers=REST_VERSION,
            seen=frozenset((409,)),
        )
        return answer.status == 409

    async def every(self, what: str, params: Params | None = None) -> AsyncIterator[dict[str, Any]]:
        """All rows of a list, following the links to next pages."""
        answer = await self.list(what, params)
        while True:
            for row in rows_of(answer):
                yield row
            address = next_of(answer)
            if address is None:
                return
            answer = await self.transport.get(address, headers=REST_VERSION)

    async def one(self, what: str) -> dict[str, Any] | None:
        """One object; None if it does not exist."""
        answer = await self.transport.get(
            f"repos/{self.repository}/{what}",
            headers=REST_VERSION,
            seen=frozenset((404, 410)),
        )
        data = answer.json() if answer.status == 200 else None
        return data if isinstance(data, dict) else None

    async def is_switched_off(self, feature: str) -> bool:
        """Whether the repository says that it has no issues (``has_issues``), or the like."""
        answer = await self.transport.get(f"repos/{self.repository}", headers=REST_VERSION)
        data = answer.json()
        return isinstance(data, dict) and data.get(feature) is False

    async def query(self, text: str, variables: Mapping[str, Any]) -> Queried:
        """The answer to a GraphQL query; a discussion that does not exist is null in it.

        Errors about single nodes are part of the answer: the others are there.
        """
        base = self.transport.base_url.rstrip("/")
        address = f"{base.removesuffix('/v3')}/graphql"  # an Enterprise server has /api/v3
        answer = await self.transport.post(
            address, {"query": text, "variables": dict(variables)}, resource="graphql"
        )
        payload = answer.json()
        if not isinstance(payload, dict):
            raise SourceUnavailable("GitHub answered a query with something other than an object.")
        data = payload.get("data")
        problems = payload.get("errors") or ()
        errors = [it for it in problems if not _is_missing_discussion(it)]
        if fatal := [it for it in errors if not (data and _is_of_a_node(it))]:
            raise self._failure({_kind_of(each) for each in fatal})
        kinds = tuple(sorted({_kind_of(each) for each in errors}))
        return Queried(data if isinstance(data, dict) else {}, kinds)

    def _failure(self, kinds: set[str]) -> Exception:
        if kinds & {"FORBIDDEN", "INSUFFICIENT_SCOPES", "NOT_FOUND"}:
            return AccessLost(
                "GitHub does not allow our credential to read the discussions.",
                "not_found" if "NOT_FOUND" in kinds else "forbidden",
                200,
            )
        if kinds & {"RATE_LIMITED", "RATE_LIMIT"}:
            return self.transport.budget_error("graphql")
        return SourceUnavailable(f"GitHub could not answer ({', '.join(sorted(kinds))}).")


def _kind_of(error: object) -> str:
    kind = error.get("type") if isinstance(error, dict) else None
    return kind if isinstance(kind, str) and kind.isidentifier() else "unknown"


def _is_of_a_node(error: object) -> bool:
    """Whether an error is about something inside of a list, and not about the list."""
    path = error.get("path") if isinstance(error, dict) else None
    return isinstance(path, list) and any(isinstance(step, int) for step in path)


def _is_missing_discussion(error: object) -> bool:
    """Whether an error says that one discussion does not exist in an existing repository."""
    if not isinstance(error, dict):
        return False
    return error.get("type") == "NOT_FOUND" and error.get("path") == ["repository", "discussion"]


def rows_of(answer: Response) -> list[dict[str, Any]]:
    """The objects of a page: a list, or the one list in an object (workflow runs)."""
    payload = answer.json()
    if isinstance(payload, dict):
        payload = next((value for value in payload.values() if isinstance(value, list)), None)
    if not isinstance(payload, list):
        raise SourceUnavailable("GitHub did not answer with a list.")
    return payload


def next_of(answer: Response) -> str | None:
    """The address of the next page, from the Link header."""
    match = _NEXT.search(answer.headers.get("link", ""))
    return match[1] if match else None
