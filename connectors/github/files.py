"""The head of a repository's default branch: its present commit and the one before.

The files themselves are fetched by git and not file by file over the API: a clone is complete, has
dates, and costs nothing of the account's rate limit. This stream only notices that there is
something to fetch.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from connectors.github.api import REST_VERSION, GitHub
from connectors.github.lists import check_page
from connectors.intake.changes import Delta
from connectors.reconciliation import ListedItem
from connectors.service_items import ServiceItem
from connectors.sync import Page
from connectors.transport import AccessLost


@dataclass(frozen=True)
class Files:
    """One page whenever the head has moved, with the delta."""

    github: GitHub
    name: str = "files"
    is_reconcilable: bool = False
    roots: tuple[str, ...] = ()

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        data: dict[str, Any] = json.loads(cursor) if cursor else {}
        place = f"repos/{self.github.repository}"
        repository = await self.github.transport.get(
            place, etag=data.get("repository"), headers=REST_VERSION
        )
        branch, name = data.get("branch"), data.get("name")
        if not repository.is_unchanged:
            with check_page(self.name):
                payload = repository.json()
                branch, name = str(payload["default_branch"]), str(payload["full_name"])
        try:
            commit = await self.github.transport.get(
                f"{place}/commits/{quote(str(branch), safe='/')}",
                etag=data.get("commit") if branch == data.get("branch") else None,
                headers=REST_VERSION,
                seen=frozenset((409,)),
            )
        except AccessLost:
            if await self.github.is_empty():  # the default branch does not exist yet
                return
            raise
        if commit.status == 409 or (commit.is_unchanged and repository.is_unchanged):
            return
        with check_page(self.name):
            head = data["head"] if commit.is_unchanged else str(commit.json()["sha"])
        before = str(data.get("head", ""))
        moved = {
            "repository": repository.etag or data.get("repository"),
            "commit": commit.etag or data.get("commit"),
            "branch": branch,
            "name": name,
            "head": head,
        }
        delta = Delta("github", str(name), before, head, "@poll") if head != before else None
        yield Page((), json.dumps(moved, sort_keys=True), delta=delta)

    async def list_all(self) -> AsyncIterator[ListedItem]:
        for listed in list[ListedItem]():  # git reports deleted files
            yield listed

    async def look(self, root: str, path: str) -> ServiceItem | None:
        return None
