"""`cairn sources`: every source of a project; with --skipped, what is not read and why."""

import typer

from infra.cli.context import JSON_OPTION, PROJECT_OPTION, connect
from infra.cli.output import as_lines, cell, table


def register(app: typer.Typer) -> None:
    @app.command()
    def sources(
        project: str = PROJECT_OPTION,
        skipped: bool = typer.Option(False, "--skipped", help="Only what is not read."),
        reason: str | None = typer.Option(
            None, help="Only skipped for this reason, e.g. no_reader."
        ),
        source: str | None = typer.Option(None, help="Only paths that match, e.g. 'docs/*'."),
        limit: int | None = typer.Option(None, min=1, help="Maximum number of results."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List sources by path; --skipped: those that are not read, each with its reason.

        Of a source that is read and nearly a copy of another the detail says so.
        """
        cairn = connect()
        known = cairn.project_of(project)
        found = cairn.list_sources(known, skipped=skipped, reason=reason, path=source).take(limit)
        near = () if skipped else cairn.list_near_copies(known)
        told = {
            one.source_id: f"nearly a copy of {one.original_path}: {one.share:.0%} is the same"
            for one in near
        }
        rows = [
            row.model_copy(update={"detail": told.get(row.source_id or "", row.detail)})
            for row in found
        ]
        if as_json:
            as_lines(row.model_dump() for row in rows)
            return
        table(
            ("root", "path", "state", "reason", "detail"),
            ((row.root, row.path, row.state, row.reason, cell(row.detail)) for row in rows),
            "Nothing was skipped." if skipped else "No sources.",
        )
