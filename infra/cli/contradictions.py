"""`cairn contradictions`: pairs of statements that cannot both hold."""

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import as_lines, cell, table


def register(app: typer.Typer) -> None:
    @app.command()
    def contradictions(
        project: str = PROJECT_OPTION,
        status: str = typer.Option("open", help="open, resolved, dismissed, escalated or all."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List contradictions, the gravest first."""
        from projections import queries

        with queries.reading(connect().conninfo) as connection:
            found = queries.contradictions(
                connection,
                queries.project_of(connection, project),
                None if status == "all" else status,
            )
        if as_json:
            as_lines(found)
            return
        table(
            ("severity", "status", "one says", "the other says", "id"),
            (
                (
                    pair["severity"],
                    pair["status"],
                    cell(pair["title_a"]),
                    cell(pair["title_b"]),
                    pair["contradiction_id"],
                )
                for pair in found
            ),
            "No contradiction.",
        )
