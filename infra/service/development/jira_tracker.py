"""Issues of Jira, Cloud or Data Center, by an account's address and API token."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote

from agents.development.errors import TrackerError
from agents.development.trackers import Issue, build_issue
from connectors.connector import SourceRefused, SourceUnavailable
from connectors.jira.api import by_account
from connectors.jira.markup import body_of
from connectors.payloads import UnreadablePayload, part, text
from connectors.rate_limits import Budget
from connectors.transport import AccessLost, Params, Patience, Secret, Transport

BASE_URL, EMAIL, TOKEN = VARIABLES = ("JIRA_BASE_URL", "JIRA_EMAIL", "JIRA_API_TOKEN")
FIELDS = "summary,description,labels,status"
MOST_ANSWER_BYTES = 4 * 1024 * 1024
PATIENCE = Patience(attempts=3, max_wait_s=10.0, whole_s=60.0, advice="try again later")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,254}-[0-9]{1,10}", re.ASCII)

Sleep = Callable[[float], Awaitable[None]]


class JiraTracker:
    def __init__(
        self, base_url: str, email: Secret, token: Secret, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._base_url, self._email, self._token, self._sleep = base_url, email, token, sleep

    async def get_issue(self, issue_id: str) -> Issue:
        """Raises TrackerError."""
        key = issue_id.strip().upper()
        if not _KEY.fullmatch(key):
            raise TrackerError(f"{issue_id!r} is no key of a Jira issue: write one like SHOP-7.")
        address = f"rest/api/2/issue/{quote(key, safe='')}"
        record = await self._ask(key, address, {"fields": FIELDS})
        try:
            return self._build(key, record)
        except UnreadablePayload as error:
            raise TrackerError(
                f"Jira's answer about {key} cannot be read ({error}): check {BASE_URL}."
            ) from error

    async def check(self) -> str:
        """The name of the account, as Jira knows it. Raises TrackerError."""
        record = await self._ask("your account", "rest/api/2/myself")
        name = record.get("displayName")
        return name if isinstance(name, str) and name else self._email.reveal()

    async def _ask(
        self, what: str, address: str, params: Params | None = None
    ) -> Mapping[str, Any]:
        """Raises TrackerError."""
        try:
            async with Transport(
                self._base_url,
                by_account(self._email, self._token),
                Budget(percent=100),
                sleep=self._sleep,
                max_answer_bytes=MOST_ANSWER_BYTES,
                patience=PATIENCE,
            ) as transport:
                record = (await transport.get(address, params)).json()
        except AccessLost as error:
            raise TrackerError(self._explain(what, error)) from error
        except (SourceRefused, SourceUnavailable) as error:
            raise TrackerError(f"Jira: {error} Check {BASE_URL}.") from error
        if not isinstance(record, Mapping):
            raise TrackerError(f"Jira's answer about {what} is no object: check {BASE_URL}.")
        return record

    def _build(self, key: str, record: Mapping[str, Any]) -> Issue:
        """``key`` may have changed where the issue was moved. Raises UnreadablePayload."""
        fields = part(record, "fields")
        title = text(fields, "summary")
        if not title.strip():
            raise UnreadablePayload("summary is missing")
        labels = fields.get("labels") or []
        if not isinstance(labels, list):
            raise UnreadablePayload("labels is no list")
        key = text(record, "key") or key
        return build_issue(
            key,
            title,
            body_of(fields.get("description")).strip(),
            url=f"{self._base_url.rstrip('/')}/browse/{quote(key, safe='')}",
            labels=tuple(it for it in labels if isinstance(it, str)),
            status=text(part(fields, "status"), "name"),
        )

    def _explain(self, what: str, error: AccessLost) -> str:
        match error.reason:
            case "unauthorised":
                return (
                    f"Jira does not accept the account: check {EMAIL} and {TOKEN}; a new token is"
                    " made at https://id.atlassian.com/manage-profile/security/api-tokens."
                )
            case "forbidden":
                return f"Jira does not allow the account of {EMAIL} to read {what}: ask for access."
            case _:
                return (
                    f"Jira shows the account of {EMAIL} no {what}: check the key, the account's"
                    f" access to its project, and {BASE_URL}."
                )


def open_jira(environ: Mapping[str, str]) -> JiraTracker:
    """The tracker that the environment names. Raises TrackerError."""
    given = {name: environ.get(name, "").strip() for name in VARIABLES}
    if missing := [name for name, value in given.items() if not value]:
        raise TrackerError(
            f"Tracker jira needs {' and '.join(missing)} in the environment of the service: set"
            " them and start it again."
        )
    return JiraTracker(given[BASE_URL], Secret(given[EMAIL]), Secret(given[TOKEN]))
