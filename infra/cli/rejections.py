"""`cairn rejections`: what reflection refused, and by which rule."""

import asyncio

import typer

from infra.cli import service
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
        source: str | None = typer.Option(None, help="Only from paths that match, e.g. 'docs/*'."),
        limit: int | None = typer.Option(None, min=1, help="Maximum number of results."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List refused candidates and refused evidence rows with the rule that refused each."""
        question = service.list_rejections(
            connect(), project, code=code, kind=kind, source=source, limit=limit
        )
        found = asyncio.run(question)
        if as_json:
            as_lines(row.model_dump() for row in found)
            return
        table(
            ("kind", "refused", "because", "title", "where"),
            (
                (
                    row.kind,
                    row.rejected,
                    ", ".join(row.codes),
                    cell(row.title),
                    row.path,
                )
                for row in found
            ),
            "Nothing was refused.",
        )
