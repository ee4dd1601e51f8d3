"""`cairn merges`: which statements were taken for one, and which pairs wait for a person."""

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import as_lines, cell, table


def register(app: typer.Typer) -> None:
    @app.command()
    def merges(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
        """List merge operations in ledger order, then the pairs in review."""
        from projections import queries

        with queries.reading(connect().conninfo) as connection:
            found = queries.merges(connection, queries.project_of(connection, project))
        if as_json:
            as_lines(found)
            return
        table(
            ("seq", "op", "state", "similarity", "kept", "merged into it"),
            (
                (
                    merge["ledger_seq"],
                    merge["op"],
                    merge["state"],
                    f"{merge['similarity']:.2f}",
                    cell(merge["title_a"]),
                    cell(merge["title_b"]) if merge["title_b"] else None,
                )
                for merge in found
            ),
            "No merge.",
        )
