"""`cairn runs`: what was read, by whom, how far, and how fast."""

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import as_lines, table


def register(app: typer.Typer) -> None:
    @app.command()
    def runs(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
        """List ingestion runs, oldest first."""
        from projections import queries

        with queries.reading(connect().conninfo) as connection:
            found = queries.runs(connection, queries.project_of(connection, project))
        if as_json:
            as_lines(found)
            return
        columns = (
            *("lane", "root", "status", "stop_reason", "chunks_processed"),
            *("atoms_created", "first_atom_ms", "prd_v0_ms", "features_v0_ms", "run_id"),
        )
        table(columns, ([run[name] for name in columns] for run in found), "No run yet.")
