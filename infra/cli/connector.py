"""`cairn connector`: services outside are connected to a project, and read by it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from infra.cli import importing, service
from infra.cli.context import JSON_OPTION, connect, explain_wrong_use, login_name, say, say_note
from infra.cli.output import as_lines
from infra.cli.project import KEY_OPTION, PROJECT_OPTION, quiet_clients
from infra.runtime import supervisor

WIDTH = 120
CONNECTOR = typer.Argument(help="Id of the connector, its target, or `all` of a project.")
ANY_PROJECT = typer.Option(None, "--project", "-p", help="Name or id of the project.")
STREAM = typer.Option([], "--stream", help="Only this stream (repeatable; default: all).")


def register(app: typer.Typer) -> None:
    connectors = typer.Typer(help="Connect services and read them.", no_args_is_help=True)
    app.add_typer(connectors, name="connector")
    importing.register(connectors)

    @connectors.command()
    def add(
        kind: str = typer.Argument(metavar="SERVICE", help="github, jira, slack or bitbucket."),
        target: str = typer.Argument(help="What to read there, e.g. owner/repo."),
        project: str = PROJECT_OPTION,
        credential: list[str] = typer.Option(
            ..., "--credential", help="ROLE=env:NAME or ROLE=file:PATH, e.g. token=env:GH_TOKEN."
        ),
        base_url: str | None = typer.Option(None, help="Address of the service's API."),
        stream: list[str] = STREAM,
        option: list[str] = typer.Option(
            [], "--option", help="An option of the service, as NAME=VALUE."
        ),
        every: int = typer.Option(300, min=10, help="Seconds between two polls."),
        budget: int = typer.Option(50, min=1, max=100, help="Percent of the rate limit to use."),
        check: bool = typer.Option(True, help="Check the access before connecting."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Connect a service to a project; says which permission is missing."""
        spec = service.ConnectorSpec(
            *(kind, target, _pairs(credential), base_url, stream, _pairs(option), every, budget),
            by_owner_of_all=True,
        )
        with explain_wrong_use():
            defined = service.define_connector(spec, idempotency_key or service.draw_key())
        settings = connect()
        quiet_clients()
        added = asyncio.run(
            service.add_connector(
                settings, os.environ, project, defined, actor=login_name(), check=check
            )
        )
        _say_missing(added.target, added.missing)
        print(json.dumps({"connector_id": added.connector_id}) if as_json else added.connector_id)

    @connectors.command("list")
    def list_connectors(project: str | None = ANY_PROJECT, as_json: bool = JSON_OPTION) -> None:
        """Show every stream: how far it is, what was seen, what is left of the rate limit."""
        settings = connect()
        quiet_clients()
        rows = [
            _row(each) for each in asyncio.run(service.list_streams(settings, os.environ, project))
        ]
        if as_json:
            as_lines(rows)
        else:
            _table(rows)

    @connectors.command()
    def test(connector: str = CONNECTOR, project: str | None = ANY_PROJECT) -> None:
        """Test the access to each stream; names each missing permission."""
        quiet_clients()
        checks = asyncio.run(service.check_connectors(connect(), os.environ, connector, project))
        for each in checks:
            _say_missing(each.target, each.missing)
            if each.problem:
                say(f"{each.target}: {each.problem}")
        if not all(each.is_readable for each in checks):
            raise typer.Exit(1)

    @connectors.command()
    def sync(
        connector: str = CONNECTOR,
        project: str | None = ANY_PROJECT,
        stream: list[str] = STREAM,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Read what has changed since the last time."""
        quiet_clients()
        work = service.sync_connectors(
            connect(), os.environ, connector, project, stream, tell=say_note
        )
        _show(asyncio.run(work), as_json=as_json)

    @connectors.command()
    def reconcile(
        connector: str = CONNECTOR,
        project: str | None = ANY_PROJECT,
        stream: list[str] = STREAM,
        accept_removals: bool = typer.Option(
            False,
            "--accept-removals",
            help="Remove missing sources even above the safety threshold.",
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Compare all that the service has with what is stored; remove what it no longer has."""
        quiet_clients()
        work = service.reconcile_connectors(
            connect(),
            os.environ,
            connector,
            project,
            stream,
            accept_removals=accept_removals,
            tell=say_note,
        )
        _show(asyncio.run(work), as_json=as_json)

    @connectors.command()
    def remove(
        connector: str = CONNECTOR,
        project: str | None = ANY_PROJECT,
        idempotency_key: str | None = KEY_OPTION,
    ) -> None:
        """Stop reading the service; what was read stays."""
        quiet_clients()
        work = service.remove_connectors(
            connect(),
            os.environ,
            connector,
            project,
            actor=login_name(),
            key=idempotency_key or service.draw_key(),
        )
        for target in asyncio.run(work):
            say(f"{target} is no longer read; what was read stays.")

    @connectors.command(hidden=True)
    def poll() -> None:
        """Sync every connector when it is due (run by `cairn up`)."""
        settings = connect(start=False)
        quiet_clients()
        with supervisor.named(settings, os.environ, "poller"):
            asyncio.run(service.run_poller(settings, os.environ))


def _pairs(given: list[str]) -> dict[str, str]:
    found = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{name[:40]!r} is not of the form NAME=VALUE.")
        found[name] = value
    return found


def _say_missing(target: str, missing: Sequence[service.MissingPermission]) -> None:
    for each in missing:
        say(f"{target}: {each.stream} cannot be read; missing: {each.permission}")


def _row(status: service.StreamStatus) -> dict[str, Any]:
    """A stream as one JSON object: its connector, the counts and fields of its cursor, the lag."""
    fields: dict[str, Any] = {}
    if status.cursor:
        fields = status.cursor.model_dump(exclude={"connector_id", "stream", "cursor"})
    counts: dict[str, Any] = fields.pop("counts", {})
    head: dict[str, Any] = {
        "connector_id": status.connector_id,
        "project_id": status.project_id,
        "service": status.service,
        "target": status.target,
        "stream": status.stream,
    }
    return head | counts | fields | {"lag_s": status.lag_s}


def _table(rows: list[dict[str, Any]]) -> None:
    names = ("seen", "published", "unchanged", "refused", "removed", "lag_s", "requests_left")
    heads = ("seen", "new", "same", "refused", "gone", "lag s", "left")
    table = Table("target", "stream", *heads, "next poll", "problem", box=None, pad_edge=False)
    for row in rows:
        next_poll = row.get("next_poll_at")
        table.add_row(
            f"{row['service']}:{row['target']}",
            row["stream"],
            *(str(row.get(name) if row.get(name) is not None else "–") for name in names),
            f"{next_poll:%H:%M:%S}" if next_poll else "–",
            row.get("problem") or "",
        )
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, WIDTH)  # columns are not cut where nobody looks
    console.print(table)
    for row in rows:
        for notice in row.get("notices", ()):
            console.print(f"{row['service']}:{row['target']} {row['stream']}: {notice}")


def _show(results: list[service.StreamResult], *, as_json: bool) -> None:
    """What became of each stream; exit 1 when one could not be read."""
    for each in results:
        if as_json:
            row = {"target": each.target, "stream": each.stream, **each.counts.model_dump()}
            told = {"reason": each.reason, "error": each.error, "notices": each.notices}
            print(json.dumps(row | told))
        else:
            say(_line(each))
            for notice in each.notices:
                say(f"  {notice}")
    if any(each.reason for each in results):
        raise typer.Exit(1)


def _line(result: service.StreamResult) -> str:
    problem = f"{result.reason}: {result.error}"
    if not result.stream:
        return f"{result.target}: {problem}"
    counts = result.counts
    return (
        f"{result.target} {result.stream}: {counts.seen:,} seen,"
        f" {counts.published:,} published, {counts.unchanged:,} unchanged,"
        f" {counts.removed:,} gone"
        + (f", {counts.refused:,} refused" if counts.refused else "")
        + (f"; {problem}" if result.reason else ".")
    )
