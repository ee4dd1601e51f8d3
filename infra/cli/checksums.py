"""`cairn checksums`: one hash a table, equal for installations that were given the same."""

import json

import typer

from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import table


def register(app: typer.Typer) -> None:
    @app.command()
    def checksums(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
        """Hash the tables of a project after they have caught up with the log."""
        cairn = connect()
        found = cairn.read_checksums(cairn.project_of(project))
        if as_json:
            print(json.dumps(found))
        else:
            table(("table", "sha256"), found.items())
