"""Import files that were exported from Jira or Slack: their items become sources of a project."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from connectors.feeder import FeedOrder
from connectors.jira.export import items_in
from connectors.publishing import add_counts, publish_items
from connectors.service_items import ServiceItem
from connectors.slack.export import SlackExport
from connectors.slack.service import is_without_risk, testimony_recorder
from connectors.testimony import pseudonym_of
from infra.clock import SystemClock
from infra.loop import in_thread
from infra.service.connector_registry import open_publisher, open_testimony
from infra.service.progress import Note, Tell
from infra.settings import Settings
from infra.vault import vault_of
from projections.read import projects, session
from schemas.codec import utc_millis
from schemas.envelope import Actor
from schemas.events.connector import Counts

ITEMS_AT_ONCE = 100  # one trigger; what a page of a sync holds


@dataclass(frozen=True, slots=True)
class JiraExport:
    """Issues as JSON or CSV; ``site`` is the host of the addresses of the issues."""

    file: Path
    site: str


@dataclass(frozen=True, slots=True)
class SlackZip:
    """A workspace; only ``channels``, ids or names, become sources of the project."""

    file: Path
    channels: Collection[str]


async def import_export(
    settings: Settings,
    project: str,
    export: JiraExport | SlackZip,
    *,
    actor: str,
    tell: Tell[Note],
) -> Counts:
    """Publish the items of an exported file. ``tell`` is called with what takes long.

    Raises NotFound for the project, SourceRefused for a file that cannot be read, …Unavailable.
    """
    with session.reading(settings.conninfo) as connection:
        project_id = projects.project_of(connection, project)
    if isinstance(export, JiraExport):
        service = "jira"
        items: Sequence[ServiceItem] = await in_thread(partial(items_in, export.file, export.site))
    else:
        service = "slack"
        items = await _threads(settings, export, project_id)
    counts = Counts()
    person, at = Actor(type="human", id=actor), utc_millis(SystemClock().now())
    order: Any = FeedOrder(project_id, f"import|{service}", person, at, lanes=("deep",))
    async with open_publisher(settings, project_id, tell) as publisher:
        for start in range(0, len(items), ITEMS_AT_ONCE):
            part = items[start : start + ITEMS_AT_ONCE]
            counts = add_counts(counts, await publish_items(part, order, publisher))
    return counts


async def _threads(settings: Settings, given: SlackZip, project_id: str) -> list[ServiceItem]:
    """The threads of the named channels; every message is testimony first."""
    vault = vault_of(settings)

    def pseudonym(member: str) -> str:
        return pseudonym_of(vault.mark, project_id, "slack", member)

    export = await in_thread(partial(SlackExport, given.file))
    try:
        async with open_testimony(settings) as restricted:
            testify = testimony_recorder(project_id, restricted)
            items: list[ServiceItem] = []
            for channel in await in_thread(export.channels):
                await testify(channel, await in_thread(partial(export.messages, channel)))
                if channel.channel_id in given.channels or channel.name in given.channels:
                    read = partial(export.threads, channel, pseudonym, is_without_risk)
                    items += await in_thread(read)
    finally:
        export.close()
    return items
