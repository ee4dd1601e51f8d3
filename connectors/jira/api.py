"""Jira's interface (version 2, which Cloud and Data Center share), and the ways to authenticate.

Version 2 gives bodies as wiki text, as webhooks do, so both give the same item. Only the search
differs: Cloud pages by token (``search/jql``), Data Center by number (``search``).
"""

from __future__ import annotations

import base64
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from connectors.connector import SourceRefused, SourceUnavailable, UnknownSource
from connectors.credentials import Renewed
from connectors.payloads import Payload, rows
from connectors.rate_limits import Budget
from connectors.transport import AccessLost, Authorise, Params, Secret, Transport
from infra.platform.addresses import without_credentials
from infra.platform.clock import Clock, SystemClock

Flavour = Literal["cloud", "data-center"]
TOKEN_BASE = "https://auth.atlassian.com"
PAGE = 50
COMMENTS_PAGE = 100
FIELDS = (
    "summary", "description", "reporter", "creator", "created", "updated", "status", "resolution",
    "labels", "issuetype", "priority", "components", "comment", "attachment", "security",
)  # fmt: skip
LISTING_FIELDS = ("comment", "attachment", "security")  # what reconciliation needs of an issue
_PROJECT = re.compile(r"[A-Za-z][A-Za-z0-9_]{1,254}")
_NOT_THERE = frozenset((404, 410))
_HIDDEN = frozenset((403, 404))


def check_project(target: str) -> str:
    """Returns ``target`` in capitals if it can be a project's key. Raises UnknownSource."""
    if not _PROJECT.fullmatch(target):
        raise UnknownSource(
            f"{without_credentials(target)!r} is not a key of a Jira project: write one like SHOP."
        )
    return target.upper()


def site_of(base_url: str) -> str:
    """The name of a site in addresses of items: its host."""
    return (urlsplit(base_url).hostname or "").lower()


def by_account(email: Secret, token: Secret) -> Authorise:
    """Cloud: an account's address and its API token."""

    async def authorise() -> Mapping[str, str]:
        pair = f"{email.reveal()}:{token.reveal()}".encode()
        return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}

    return authorise


def by_client(
    client_id: Secret, secret: Secret, base_url: str = TOKEN_BASE, clock: Clock | None = None
) -> Authorise:
    """Cloud: OAuth 2.0 with client credentials.

    Decided against refresh tokens: each use gives a new one, which would have to be stored.
    """
    now = clock or SystemClock()

    async def nobody() -> Mapping[str, str]:
        return {}

    async def renew() -> tuple[Secret, datetime]:
        asked = {
            "grant_type": "client_credentials",
            "client_id": client_id.reveal(),
            "client_secret": secret.reveal(),
        }
        async with Transport(base_url, nobody, Budget(percent=100), clock=now) as transport:
            payload = (await transport.post("oauth/token", asked)).json()
        if not isinstance(payload, dict) or not isinstance(payload.get("access_token"), str):
            raise SourceUnavailable("The token service answered without a token.")
        lasts_s = payload.get("expires_in")
        lasts_s = lasts_s if isinstance(lasts_s, int) else 3600
        return Secret(payload["access_token"]), now.now() + timedelta(seconds=lasts_s)

    return Renewed(renew, now)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of a search; ``token`` leads to the next page, None at the end."""

    issues: list[Any]
    token: str | None


class Jira:
    """One project of one site. Raises as ``Transport``, and AccessLost if Jira hides the project.

    ``page`` is the number of issues per request; a server may return fewer.
    """

    def __init__(
        self,
        project: str,
        transport: Transport,
        flavour: Flavour = "cloud",
        site: str = "",
        page: int = PAGE,
    ) -> None:
        self.project = check_project(project)
        self.transport = transport
        self.site = site or site_of(transport.base_url)
        self._flavour, self._page = flavour, page
        self._field_names: dict[str, str] | None = None

    async def check(self) -> None:
        """Checks the right to browse issues: without it a search finds nothing, or fails.

        Raises AccessLost.
        """
        asked = {"projectKey": self.project, "permissions": "BROWSE_PROJECTS"}
        answer = await self.transport.get("rest/api/2/mypermissions", asked)
        payload = answer.json()
        rights = payload.get("permissions") if isinstance(payload, dict) else None
        browse = rights.get("BROWSE_PROJECTS") if isinstance(rights, dict) else None
        if not isinstance(browse, dict) or not browse.get("havePermission"):
            raise AccessLost(
                f"Our credential may not browse the project {self.project}.", "forbidden", 200
            )

    async def field_names(self) -> dict[str, str] | None:
        """The names of the site's own fields of text, by id; None where Jira does not tell them."""
        if self._field_names is None:
            answer = await self.transport.get("rest/api/2/field", seen=_HIDDEN)
            if answer.status != 200:
                return None
            data = answer.json()
            self._field_names = {
                str(field["id"]): str(field.get("name") or "")
                for field in (data if isinstance(data, list) else ())
                if isinstance(field, dict) and _is_own_text(field)
            }
        return self._field_names

    async def search(
        self, jql: str, token: str | None = None, fields: tuple[str, ...] = FIELDS
    ) -> SearchPage:
        """One page of a search; ``token`` is that of the page before."""
        asked: dict[str, Any] = {"jql": jql, "fields": list(fields), "maxResults": self._page}
        if self._flavour == "cloud":
            address = "rest/api/2/search/jql"
            asked |= {"expand": "changelog"} | ({"nextPageToken": token} if token else {})
        else:
            address = "rest/api/2/search"
            asked |= {"expand": ["changelog"], "startAt": int(token or 0)}
        answer = await self.transport.post(address, asked, seen=frozenset((400,)))
        if answer.status == 400:
            await self.check()
            raise SourceRefused(f"Jira refuses the search of the project {self.project}.")
        return self._parse_page(answer.json(), int(token or 0) if self._flavour != "cloud" else 0)

    def _parse_page(self, payload: Any, start: int) -> SearchPage:
        issues = rows(payload, "issues", "Jira")
        if self._flavour == "cloud":
            further = payload.get("nextPageToken")
            last = payload.get("isLast") is True or not isinstance(further, str) or not further
            return SearchPage(issues, None if last else further)
        total = payload.get("total")
        after = start + len(issues)
        more = isinstance(total, int) and after < total and issues
        return SearchPage(issues, str(after) if more else None)

    async def comments(self, key: str) -> AsyncIterator[Any]:
        """All comments of an issue, oldest first."""
        start = 0
        while True:
            asked: Params = {"startAt": start, "maxResults": COMMENTS_PAGE, "orderBy": "created"}
            payload = (await self.transport.get(f"{_issue(key)}/comment", asked)).json()
            comments = rows(payload, "comments", "Jira")
            for comment in comments:
                yield comment
            start += len(comments)
            if not comments or start >= int(payload.get("total") or 0):
                return

    async def one(self, address: str, fields: tuple[str, ...] = ()) -> dict[str, Any] | None:
        """One object; None if it does not exist."""
        asked = {"fields": ",".join(fields), "expand": "changelog"} if fields else None
        answer = await self.transport.get(address, asked, seen=_NOT_THERE)
        data = answer.json() if answer.status == 200 else None
        return data if isinstance(data, dict) else None

    async def issue(self, key: str) -> dict[str, Any] | None:
        """The issue with that key; None if it was deleted or has another key now."""
        record = await self.one(_issue(key), (*FIELDS, *(await self.field_names() or ())))
        return record if record and record.get("key") == key else None

    async def comment(self, key: str, number: str) -> dict[str, Any] | None:
        return await self.one(f"{_issue(key)}/comment/{quote(number, safe='')}")

    async def content(self, attachment: Payload) -> bytes | None:
        """An attachment's bytes; None if they do not exist or are on another host."""
        number = str(attachment.get("id"))
        address = f"rest/api/2/attachment/content/{quote(number, safe='')}"
        asked: dict[str, str] | None = {"redirect": "false"}
        if self._flavour != "cloud":
            address, asked = str(attachment.get("content")), None
        try:
            answer = await self.transport.get(address, asked, seen=_NOT_THERE)
        except SourceRefused as error:
            if isinstance(error, AccessLost):
                raise
            return None
        return answer.body if answer.status == 200 else None


def _is_own_text(field: Mapping[str, Any]) -> bool:
    """Whether a field is the site's own and holds text, or a list of texts."""
    schema = field.get("schema")
    if not field.get("custom") or not field.get("id") or not isinstance(schema, Mapping):
        return False
    kind = schema.get("items") if schema.get("type") == "array" else schema.get("type")
    return kind in ("string", "doc")


def _issue(key: str) -> str:
    return f"rest/api/2/issue/{quote(key, safe='')}"
