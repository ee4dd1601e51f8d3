"""Import files that were exported from Jira or Slack: their items become sources of a project."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from connectors.connector import UnknownSource, printable
from connectors.feeder import FeedOrder
from connectors.jira.export import records_in
from connectors.publishing import add_counts, publish_items
from connectors.records import Records, lines_of, redact_notices
from connectors.slack.export import SlackExport
from connectors.slack.items import Channel
from connectors.slack.service import is_without_risk, testimony_recorder
from connectors.testimony import pseudonym_of
from infra.platform.clock import SystemClock
from infra.platform.loop import in_thread
from infra.platform.settings import Settings
from infra.platform.vault import vault_of
from infra.service.connecting.registry import open_publisher, open_testimony
from infra.service.foundation.progress import Note, Tell
from projections.read import projects, session
from schemas.codec import utc_millis
from schemas.envelope import Actor
from schemas.events.connector import Counts

CHANNELS_SHOWN = 20
ITEMS_AT_ONCE = 100  # one trigger; what a page of a sync holds


@dataclass(frozen=True, slots=True)
class JiraExport:
    """Issues as JSON or CSV; ``site`` is the host of the addresses of the issues."""

    file: Path
    site: str


@dataclass(frozen=True, slots=True)
class SlackZip:
    """A workspace; only ``channels``, ids or names, become sources of the project.

    ``team`` is the id of the workspace, for an export that does not tell it.
    """

    file: Path
    channels: Collection[str]
    team: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file: its items, and one line a reason for what could not be read."""

    counts: Counts
    notices: tuple[str, ...]


async def import_export(
    settings: Settings,
    project: str,
    export: JiraExport | SlackZip,
    *,
    actor: str,
    tell: Tell[Note],
) -> Imported:
    """Publish the items of an exported file. ``tell`` is called with what takes long.

    Raises NotFound for the project, UnknownSource for a channel that the file does not have,
    SourceRefused for a file that cannot be read, …Unavailable.
    """
    with session.reading(settings.conninfo) as connection:
        project_id = projects.find_project(connection, project)
    if isinstance(export, JiraExport):
        service = "jira"
        read = await in_thread(partial(records_in, export.file, export.site))
    else:
        service = "slack"
        read = await _threads(settings, export, project_id)
    counts = Counts(seen=read.lost, refused=read.lost)
    person, at = Actor(type="human", id=actor), utc_millis(SystemClock().now())
    order: Any = FeedOrder(project_id, f"import|{service}", person, at, lanes=("deep",))
    async with open_publisher(settings, project_id, tell) as publisher:
        for start in range(0, len(read.items), ITEMS_AT_ONCE):
            part = read.items[start : start + ITEMS_AT_ONCE]
            counts = add_counts(counts, await publish_items(part, order, publisher))
        notices = redact_notices(read.notices, partial(publisher.redactor.name, project_id))
    return Imported(counts, tuple(lines_of(notices)))


async def _threads(settings: Settings, given: SlackZip, project_id: str) -> Records:
    """The threads of the named channels; every message is testimony first."""
    vault = vault_of(settings)

    def pseudonym(member: str) -> str:
        return pseudonym_of(vault.mark, project_id, "slack", member)

    export = await in_thread(partial(SlackExport, given.file, given.team))
    try:
        wanted = find_channels(export.channels(), given.channels)
        async with open_testimony(settings) as restricted:
            testify = testimony_recorder(project_id, restricted)
            for channel in export.channels():
                await testify(channel, await in_thread(partial(export.messages, channel)))
                if channel in wanted:
                    read = partial(export.threads, channel, pseudonym, is_without_risk)
                    export.read.extend(await in_thread(read))
    finally:
        export.close()
    return export.read


def find_channels(channels: Sequence[Channel], named: Collection[str]) -> list[Channel]:
    """The channels of these ids or names. Raises UnknownSource for one that is not there."""
    known = {name for channel in channels for name in (channel.channel_id, channel.name)}
    asked = {name.removeprefix("#") for name in named}
    if unknown := sorted(asked - known):
        there = ", ".join(sorted(channel.name for channel in channels)[:CHANNELS_SHOWN]) or "none"
        raise UnknownSource(
            f"The export has no channel {printable(unknown[0])!r}; it has: {printable(there)}."
        )
    return [it for it in channels if {it.channel_id, it.name} & asked]
