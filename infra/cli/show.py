"""`cairn show`: an artifact as people read it, or as data."""

from enum import StrEnum

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import connect
from infra.cli.output import as_lines


class Kind(StrEnum):
    prd = "prd"


class Format(StrEnum):
    md = "md"
    json = "json"


def register(app: typer.Typer) -> None:
    @app.command()
    def show(
        kind: Kind = typer.Argument(help="Which artifact."),
        project: str = PROJECT_OPTION,
        form: Format = typer.Option(Format.md, "--format", help="Markdown, or one JSON object."),
    ) -> None:
        """Print the present version of an artifact."""
        from projections import queries

        with queries.reading(connect().conninfo) as connection:
            found = queries.artifact(
                connection, queries.project_of(connection, project), kind.value
            )
        if form is Format.json:
            as_lines([found])
        else:
            print(found["rendered_markdown"].rstrip("\n"))
