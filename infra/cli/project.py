"""`cairn project`: create and list projects; everywhere else they are given by name or id."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import asdict

import typer
from rich.console import Console
from rich.table import Table

from infra.cli import service
from infra.cli.context import JSON_OPTION, connect, explain_wrong_use, login_name, resumable
from infra.cli.output import as_lines

KEY_OPTION = typer.Option(
    None, "--idempotency-key", help="A repeated request with the same key is done once."
)
PROJECT_OPTION = typer.Option(..., "--project", "-p", help="Name or id of the project.")


def register(app: typer.Typer) -> None:
    projects = typer.Typer(help="Create and list projects.", no_args_is_help=True)
    app.add_typer(projects, name="project")

    @projects.command()
    def create(
        name: str = typer.Argument(help="Name of the project."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Create a project, and print its id."""
        settings = connect()
        quiet_clients()
        with resumable(idempotency_key) as key, explain_wrong_use():
            project = asyncio.run(
                service.create_project(settings, name, actor=login_name(), key=key)
            )
        if as_json:
            print(json.dumps(asdict(project) | {"idempotency_key": key}))
        else:
            print(project.project_id)

    @projects.command("list")
    def list_projects(as_json: bool = JSON_OPTION) -> None:
        """Show all projects."""
        found = asyncio.run(service.list_projects(connect()))
        if as_json:
            as_lines(each.model_dump() for each in found)
            return
        table = Table("name", "project id", "sources", "atoms", box=None, pad_edge=False)
        for each in found:
            table.add_row(each.name, each.project_id, str(each.sources), str(each.atoms))
        Console(highlight=False, markup=False).print(table)


def quiet_clients() -> None:
    """An absent broker is told by us, in a sentence: not by a log line for every retry."""
    for name, level in (("aiokafka", logging.CRITICAL), ("httpx", logging.WARNING)):
        client = logging.getLogger(name)
        if client.getEffectiveLevel() > logging.DEBUG:
            client.setLevel(level)
