"""`cairn connector import`: a file that was exported from Jira or Slack becomes sources."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import typer

from infra.cli import service
from infra.cli.context import JSON_OPTION, connect, explain_wrong_use, login_name, say, say_note
from infra.cli.project import PROJECT_OPTION, quiet_clients
from schemas.inflection import count


def register(app: typer.Typer) -> None:
    @app.command("import")
    def import_file(
        kind: str = typer.Argument(metavar="SERVICE", help="jira or slack."),
        file: Path = typer.Argument(help="Slack: the zip. Jira: JSON or CSV.", exists=True),
        project: str = PROJECT_OPTION,
        site: str = typer.Option("", help="Jira: host of the site that the issues belong to."),
        channel: list[str] = typer.Option(
            [], "--channel", help="Slack: id or name of a project channel (repeatable)."
        ),
        team: str = typer.Option(
            "", help="Slack: id of the workspace, where the export does not tell it."
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Read a file exported from Jira or Slack. Of Slack only the named channels are read."""
        settings = connect()
        quiet_clients()
        if kind == "jira" and not site:
            raise typer.BadParameter("Jira issues belong to a site: give --site HOST.")
        if kind == "slack" and not channel:
            raise typer.BadParameter("Give --channel for each channel of the project.")
        if kind not in ("jira", "slack"):
            raise typer.BadParameter(f"There is no import for {kind!r}: jira or slack.")
        export = (
            service.JiraExport(file, site)
            if kind == "jira"
            else service.SlackZip(file, channel, team)
        )
        with explain_wrong_use():
            imported = asyncio.run(
                service.import_export(settings, project, export, actor=login_name(), tell=say_note)
            )
        counts = imported.counts
        if as_json:
            print(json.dumps(counts.model_dump() | {"notices": imported.notices}))
            return
        lost = f", {counts.refused:,} that cannot be read" if counts.refused else ""
        seen = count(counts.seen, "item")
        say(f"{seen}: {counts.published} new, {counts.unchanged} as they were{lost}.")
        for notice in imported.notices:
            say(f"  {notice}")
