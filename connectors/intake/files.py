"""Publishes the files that a merge or push has changed, and no others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from connectors.bound_secrets import Secrets
from connectors.changed_files import list_changed
from connectors.clones import GitUrl, root_of_url
from connectors.connector import (
    Listing,
    UnknownSource,
    printable,
    redact_listing,
)
from connectors.contents import read_content
from connectors.definitions import Definition
from connectors.documents import Documents
from connectors.feeder import FeedOrder, feed, source_of
from connectors.github.api import installation
from connectors.intake.changes import Delta
from connectors.publishing import ItemPublisher, StoredSource
from connectors.transport import Secret


class RepositoryFiles:
    """Publishes changed files of connected repositories; their clones are in ``clones``."""

    def __init__(
        self,
        clones: Path,
        publisher: Callable[[str], Awaitable[ItemPublisher]],
        secrets: Secrets,
        say: Callable[[str], None],
    ) -> None:
        self._clones, self._publisher, self._secrets, self._say = clones, publisher, secrets, say

    async def bring(self, delta: Delta, definition: Definition, order: FeedOrder) -> bool:
        """Publishes the changed files as one trigger; False if all of them are stored already.

        Raises SourceUnavailable, SourceRefused, UnknownSource.
        """
        url = clone_url(definition, delta.repository)
        root = definition.added.options.get("root") or root_of_url(url)
        clone = GitUrl(url, root, self._clones, self._say, await self._token(definition, url))
        await asyncio.to_thread(clone.fetch)
        listing = await asyncio.to_thread(
            list_changed, clone.clone, root, delta.before, delta.after
        )
        publisher = await self._publisher(order.project_id)
        redact_name = partial(publisher.redactor.name, order.project_id)
        with redact_listing(listing, redact_name) as listing:
            # The removal threshold is for files missing from a listing; git reports deletions.
            named = replace(
                order, trigger_key=delta.trigger_key, accept_removals=not listing.complete
            )
            return await _feed(listing, named, publisher)

    async def _token(self, definition: Definition, url: str) -> Secret | None:
        """The token for git: the connector's, or one of the App's installation for this fetch.

        Only for an address over TLS; raises SourceRefused where it may not be sent there.
        """
        if urlsplit(url).scheme != "https":
            return None
        places, added = definition.credentials, definition.added
        if "token" in places:
            return self._secrets.find_for(definition, "token", url)
        if not {"app-id", "app-key"} <= places.keys():
            return None
        self._secrets.check_host(definition, "app-key", url)  # the token that it gets goes there
        app_id, key = (
            self._secrets.find_for(definition, role, added.base_url)
            for role in ("app-id", "app-key")
        )
        token, _ = await installation(added.base_url, app_id.reveal(), key, added.target)()
        return token


def clone_url(definition: Definition, repository: str) -> str:
    """The address of the repository's files: as configured, or as its service names it.

    ``repository`` is spelt as the service spells it, because the root keeps its case. Raises
    UnknownSource if it is not the connector's repository.
    """
    added = definition.added
    if address := added.options.get("clone_url"):
        return address
    if repository.lower() != added.target.lower():
        raise UnknownSource(f"{printable(repository)!r} is not the connector's repository.")
    host = (urlsplit(added.base_url).hostname or "").removeprefix("api.")
    default = "github.com" if added.service == "github" else "bitbucket.org"
    return f"https://{host or default}/{repository}.git"


async def _feed(listing: Listing, order: FeedOrder, publisher: ItemPublisher) -> bool:
    project = order.project_id
    sources = {
        path: source_of(project, listing.root, path).source_id
        for path in (*(item.path for item in listing.items), *listing.removed)
    }
    stored = await publisher.find_stored(project, list(sources.values()))
    removed = tuple(path for path in listing.removed if sources[path] in stored)
    same = not listing.complete and not removed
    if same and await asyncio.to_thread(_are_all_stored, listing, sources, stored):
        return False
    await feed(
        replace(listing, removed=removed),
        replace(order, engine=publisher.find_engine()),
        publish=publisher.publish,
        encrypt=publisher.encrypt,
        last_accepted={source: each.raw_sha256 for source, each in stored.items()},
        window=publisher.window,
        again=False,
    )
    return True


def _are_all_stored(
    listing: Listing, sources: Mapping[str, str], stored: Mapping[str, StoredSource]
) -> bool:
    with Documents() as documents:
        for item in listing.items:
            stored_source = stored.get(sources[item.path])
            if (
                stored_source is None
                or stored_source.raw_sha256 != read_content(item, documents).raw_sha256
            ):
                return False
    return True
