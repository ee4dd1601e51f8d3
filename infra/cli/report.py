"""`cairn report`: make a report from what is planned and known, and print it."""

from __future__ import annotations

import asyncio
from enum import StrEnum

import typer

from infra.cli import service
from infra.cli.context import JSON_OPTION, connect, explain_wrong_use, login_name, resumable
from infra.cli.output import as_lines
from infra.cli.project import KEY_OPTION, PROJECT_OPTION, quiet_clients
from infra.cli.show import Format, render_item


class Type(StrEnum):
    standup = "standup"
    sprint = "sprint"
    forecast = "forecast"
    management = "management"
    retro = "retro"


TYPES = ", ".join(Type)


def register(app: typer.Typer) -> None:
    @app.command()
    def report(
        report_type: Type = typer.Argument(metavar="TYPE", help=TYPES),
        project: str = PROJECT_OPTION,
        as_of: str | None = typer.Option(None, metavar="DAY", help="As of this day (today)."),
        form: Format = typer.Option(Format.md, "--format", help="Markdown, or JSON lines."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Make a report of a project; each line cites artifacts and atoms."""
        quiet_clients()
        settings = connect()
        with resumable(idempotency_key) as key, explain_wrong_use():
            made = asyncio.run(
                service.request_report(
                    settings,
                    project,
                    report_type.value,
                    as_of=as_of,
                    actor=login_name(),
                    key=key,
                )
            )
        if as_json or form is Format.json:
            as_lines([made.model_dump()])
            return
        names = asyncio.run(service.read_names(settings, project))
        print(render_item(made, names))
