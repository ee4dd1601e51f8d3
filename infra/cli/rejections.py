"""`cairn rejections`: what reflection refused, and by which rule."""

from typing import Any

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect
from infra.cli.output import as_lines, cell, table


def register(app: typer.Typer) -> None:
    @app.command()
    def rejections(
        project: str = PROJECT_OPTION,
        code: str | None = typer.Option(
            None, help="Only this rule or code, e.g. R7 or low_confidence."
        ),
        kind: str | None = typer.Option(None, help="Only this kind, e.g. risk."),
        source: str | None = typer.Option(None, help="Only from paths that fit, e.g. 'docs/*'."),
        limit: int | None = typer.Option(None, min=1, help="At most so many."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List refused candidates and refused evidence rows with the rule that refused each."""
        from projections.read import history, queries

        with queries.reading(connect().conninfo) as connection:
            found = history.rejections(
                connection,
                queries.project_of(connection, project),
                code=code,
                kind=kind,
                source=source,
                limit=limit,
            )
        if as_json:
            as_lines(found)
            return
        table(
            ("kind", "refused", "because", "title", "where"),
            (
                (
                    row["kind"],
                    row["rejected"],
                    codes_of(row),
                    cell(row["title"]),
                    row["path"],
                )
                for row in found
            ),
            "Nothing was refused.",
        )


def codes_of(row: dict[str, Any]) -> str:
    """The codes behind a refusal, each once."""
    rowwise = (one for refused in row["rejected_rows"] for one in refused["findings"])
    return ", ".join(dict.fromkeys(one["code"] for one in (*row["findings"], *rowwise)))
