"""`cairn report`: make a report from what is planned and known, and print it."""

from __future__ import annotations

from enum import StrEnum

import typer

from infra.cli.calls import unchecked
from infra.cli.context import JSON_OPTION, KEY_OPTION, PROJECT_OPTION, asking, connect
from infra.cli.output import as_lines
from infra.cli.show import Format, render_item
from infra.client.models.planning import ReportRequest


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
        cairn = connect()
        with asking(idempotency_key) as key:
            known = cairn.project_of(project)
            body = ReportRequest(report_type=unchecked(report_type.value), as_of=as_of)
            made = cairn.request_report(known, body, key=key)
        if as_json or form is Format.json:
            as_lines([made.model_dump()])
            return
        print(render_item(made, cairn.read_view(known, "report").names))
