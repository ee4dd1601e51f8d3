"""`cairn rejections`: what reflection refused, and by which rule."""

from typing import TYPE_CHECKING

import typer

from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import as_lines, cell, table

if TYPE_CHECKING:
    from infra.client.models.ledger import Rejection


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
        cairn = connect()
        found = cairn.list_rejections(
            cairn.project_of(project), code=code, kind=kind, path=source
        ).take(limit)
        if as_json:
            as_lines(row.model_dump() for row in found)
            return
        table(
            ("kind", "refused", "because", "title", "where"),
            (
                (
                    row.kind,
                    row.rejected,
                    ", ".join(codes_of(row)),
                    cell(row.title),
                    row.path,
                )
                for row in found
            ),
            "Nothing was refused.",
        )


def codes_of(row: "Rejection") -> list[str]:
    """The codes behind the refusal, each once."""
    of_rows = (finding for refused in row.rejected_rows for finding in refused.findings)
    return list(dict.fromkeys(finding.code for finding in (*row.findings, *of_rows)))
