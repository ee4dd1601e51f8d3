"""`cairn connector import`: a file that was exported from Jira or Slack becomes sources."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from infra.cli.bringing import await_recorded
from infra.cli.calls import unchecked
from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect, explain_wrong_use, say
from schemas.inflection import count

NOT_READ = "not_read"


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
    if kind == "jira" and not site:
        raise typer.BadParameter("Jira issues belong to a site: give --site HOST.")
    if kind == "slack" and not channel:
        raise typer.BadParameter("Give --channel for each channel of the project.")
    if kind not in ("jira", "slack"):
        raise typer.BadParameter(f"There is no import for {kind!r}: jira or slack.")
    cairn = connect()
    with explain_wrong_use():
        kept = cairn.import_exported_file(
            cairn.project_of(project),
            b"" if cairn.is_here else file.read_bytes(),
            service=unchecked(kind),
            path=str(file.absolute()) if cairn.is_here else None,
            site=site,
            channel=channel,
            team=team,
        )
        done = await_recorded(cairn, kept, say)
    feed, lost = done.feed, done.notices.get("refused", 0)
    assert feed is not None, "it is recorded"
    notices = [note.message for note in done.notes if note.code == NOT_READ]
    if as_json:
        counts = {"seen": feed.listed, "published": feed.fed, "unchanged": feed.unchanged}
        print(json.dumps(counts | {"refused": lost, "removed": 0, "notices": notices}))
        return
    unread = f", {lost:,} that cannot be read" if lost else ""
    seen = count(feed.listed, "item")
    say(f"{seen}: {feed.fed} new, {feed.unchanged} as they were{unread}.")
    for notice in notices:
        say(f"  {notice}")
