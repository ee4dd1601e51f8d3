"""`cairn status`: what runs, where it came from and why, and how far behind it is."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from infra.cli.context import JSON_OPTION, find_service, load
from infra.platform.errors import Invalid, Unavailable

GROUPS = ("received", "refused", "other", "done")  # of deliveries


def register(app: typer.Typer) -> None:
    @app.command()
    def status(as_json: bool = JSON_OPTION) -> None:
        """Show processes, addresses, versions and the lag of every stage."""
        found = read_status()
        if as_json:
            print(json.dumps(found))
        else:
            show(SimpleNamespace(**found))
        if not found["running"]:
            raise typer.Exit(1)


def read_status() -> dict[str, Any]:
    """As the service tells it; where none answers on this machine, what shows without it."""
    try:
        url, token, _ = find_service(start=False)
        from infra.client.calls.views import Views  # no more of the client than it takes

        with Views(url, token) as service:
            return service.read_installation_status().model_dump()
    except (Unavailable, Invalid):
        from infra.runtime.local.standing import describe_standing

        settings = load()
        if settings.url is not None:
            raise
        return describe_standing(settings)


def _describe_owed(by_rules: dict[str, dict[str, int]]) -> list[str]:
    if not by_rules:
        return []
    from schemas.model_reading import describe_owed  # heavy: most times nothing is owed

    return [f"{project}: {describe_owed(owed)}." for project, owed in by_rules.items()]


def show(status: SimpleNamespace) -> None:
    out = Console(highlight=False, emoji=False)
    out.print(f"Cairn {status.versions['cairn']} in {status.home}: {status.state}")
    if problem := status.disk["problem"]:
        out.print(problem, soft_wrap=True)
    for name, part in (("broker", status.broker), ("database", status.database)):
        answers = "answers" if part["answers"] else "does not answer"
        place = f" {part['address']}" if part["address"] else ""
        out.print(f"{name}: {part['origin']} ({part['reason']}){place}, {answers}", soft_wrap=True)
    out.print(f"states of agents' runs: {status.checkpoints}", soft_wrap=True)
    if problem := status.broker["problem"]:
        out.print(problem, soft_wrap=True)
    if not status.running:
        out.print("Nothing runs here: `cairn up --detach` starts it.")
    for line in status.vault:
        out.print(line, soft_wrap=True)
    for line in (*status.loss, *status.undecided, *status.disabled_webhooks):
        out.print(line, soft_wrap=True)
    if status.reader:
        out.print(status.reader, soft_wrap=True)
    if status.processes:
        out.print(_table("process", status.processes, ("name", "pid", "state", "restarts")))
    for each in status.damage:
        place = f"{each['topic']}/{each['partition']}@{each['offset']} {each['file']}".rstrip()
        out.print(f"LOG DAMAGED at {place}: {each['detail']}; {each['remedy']}.", soft_wrap=True)
    for line in _describe_owed(status.by_rules):
        out.print(line, soft_wrap=True)
    if status.http:
        out.print(f"API: {status.http}")
    webhooks = status.webhooks
    if webhooks and (webhooks["queued"] or any(map(webhooks.get, GROUPS))):
        out.print(f"webhooks: {webhooks['address']}, {webhooks['queued']} queued")
        rows = [
            {"deliveries": group, "what": what, "count": count}
            for group in GROUPS
            for what, count in webhooks[group].items()
        ]
        out.print(_table("webhooks", rows, ("deliveries", "what", "count")))
    if status.lag:
        out.print(_table("lag", status.lag, ("group", "topic", "lag", "movement")))
    for row in status.processes:
        if row["stalls"]:
            out.print(f"{row['name']} stood still and ended itself {row['stalls']} times.")


def _table(title: str, rows: list[dict[str, Any]], columns: tuple[str, ...]) -> Table:
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(str(row[column]) for column in columns))
    return table
