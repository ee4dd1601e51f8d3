"""`cairn connector import`: a file that was exported from Jira or Slack becomes sources."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.project import PROJECT_OPTION, login_name, quiet_clients
from infra.clock import SystemClock
from infra.loop import in_thread
from infra.service.connector_registry import outlet, testimony
from infra.settings import Settings

if TYPE_CHECKING:
    from connectors.outside import OutsideItem
    from schemas.events.connector import Counts

ITEMS_AT_ONCE = 100  # one trigger; what a page of a sync holds


def register(app: typer.Typer) -> None:
    @app.command("import")
    def import_file(
        service: str = typer.Argument(help="jira or slack."),
        file: Path = typer.Argument(help="Slack: the zip. Jira: JSON or CSV.", exists=True),
        project: str = PROJECT_OPTION,
        site: str = typer.Option("", help="Jira: the host of the site the issues are of."),
        channel: list[str] = typer.Option(
            [], "--channel", help="Slack: id or name of a channel of the project; several times."
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Read a file exported from Jira or Slack. Of Slack only the named channels are read."""
        settings = connect()
        quiet_clients()
        if service == "jira" and not site:
            raise typer.BadParameter("Issues have addresses: name the --site they are of.")
        if service == "slack" and not channel:
            raise typer.BadParameter("Name each --channel that is the project's.")
        if service not in ("jira", "slack"):
            raise typer.BadParameter(f"There is no import for {service!r}: jira or slack.")
        counts = asyncio.run(_import(settings, service, file, project, site, channel))
        if as_json:
            print(json.dumps(counts.model_dump()))
        else:
            say(f"{counts.seen} items: {counts.published} new, {counts.unchanged} as they were.")


async def _import(
    settings: Settings, service: str, file: Path, project: str, site: str, channels: list[str]
) -> Counts:
    from connectors.feeder import FeedOrder
    from connectors.jira.export import items_in
    from connectors.publishing import added, publish_items
    from infra.cli.connector import _project_id
    from schemas.codec import utc_millis
    from schemas.envelope import Actor
    from schemas.events.connector import Counts

    project_id = _project_id(settings, project)
    if service == "jira":
        items: Sequence[OutsideItem] = await in_thread(partial(items_in, file, site))
    else:
        items = await _threads(settings, file, project_id, channels)
    counts = Counts()
    actor, at = Actor(type="human", id=login_name()), utc_millis(SystemClock().now())
    order: Any = FeedOrder(project_id, f"import|{service}", actor, at, lanes=("deep",))
    async with outlet(settings, project_id, say) as out:
        for start in range(0, len(items), ITEMS_AT_ONCE):
            part = items[start : start + ITEMS_AT_ONCE]
            counts = added(counts, await publish_items(part, order, out))
    return counts


async def _threads(
    settings: Settings, file: Path, project_id: str, names: list[str]
) -> list[OutsideItem]:
    """The threads of the named channels; every message is testimony first."""
    from connectors.slack.export import SlackExport
    from connectors.slack.service import is_without_risk, testifying
    from connectors.testimony import pseudonym_of
    from infra.vault import vault_of

    vault = vault_of(settings)

    def pseudonym(member: str) -> str:
        return pseudonym_of(vault.mark, project_id, "slack", member)

    export = await in_thread(partial(SlackExport, file))
    try:
        async with testimony(settings) as restricted:
            testify = testifying(project_id, restricted)
            items: list[OutsideItem] = []
            for channel in await in_thread(export.channels):
                await testify(channel, await in_thread(partial(export.messages, channel)))
                if channel.channel_id in names or channel.name in names:
                    read = partial(export.threads, channel, pseudonym, is_without_risk)
                    items += await in_thread(read)
    finally:
        export.close()
    return items
