"""`cairn atoms`: what the ledger holds, with the words it rests on."""

import typer

from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import as_lines, cell, table

PROJECT_OPTION = typer.Option(..., "--project", "-p", help="Name or id of the project.")


def register(app: typer.Typer) -> None:
    @app.command()
    def atoms(
        project: str = PROJECT_OPTION,
        kind: str | None = typer.Option(None, help="Only this kind, e.g. decision."),
        status: str | None = typer.Option(None, help="Only this status; all: every one."),
        source: str | None = typer.Option(None, help="Only from paths that fit, e.g. 'docs/*'."),
        limit: int | None = typer.Option(None, min=1, help="At most so many."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List atoms with their evidence; live ones unless --status says otherwise."""
        from projections import queries

        with queries.reading(connect().conninfo) as connection:
            found = queries.atoms(
                connection,
                queries.project_of(connection, project),
                kind=kind,
                status=status,
                source=source,
                limit=limit,
            )
        if as_json:
            as_lines(found)
            return
        table(
            ("kind", "status", "conf.", "title", "where"),
            (
                (
                    atom["kind"],
                    atom["status"],
                    f"{atom['confidence']:.2f}",
                    cell(atom["title"]),
                    place_of(atom["evidence"]),
                )
                for atom in found
            ),
        )


def place_of(evidence: list[dict[str, object]]) -> str:
    """The first place, and how many more there are."""
    if not evidence:
        return "–"
    more = f" +{len(evidence) - 1}" if len(evidence) > 1 else ""
    return f"{evidence[0]['path']}:{evidence[0]['line_start']}{more}"
