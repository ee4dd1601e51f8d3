"""`cairn checksums`: one hash a table, equal for installations that were given the same."""

import asyncio
import json

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import table


def register(app: typer.Typer) -> None:
    @app.command()
    def checksums(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
        """Hash the tables of a project once they hold all that the log holds now."""
        from projections import checksums as sums
        from projections.core import CORE
        from projections.read import projects, session

        settings = connect()
        with session.reading(settings.conninfo) as connection:
            asyncio.run(sums.caught_up(CORE, settings, connection))
            found = sums.checksums(CORE, connection, projects.project_of(connection, project))
        if as_json:
            print(json.dumps(found))
        else:
            table(("table", "sha256"), found.items())
