"""`cairn rebuild`: fold the log again and see whether the tables were right."""

import asyncio

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn

from infra.cli.context import connect, console
from infra.cli.output import table


def register(app: typer.Typer) -> None:
    @app.command()
    def rebuild(
        projection: str | None = typer.Option(
            None, help="Only this table is compared and put right."
        ),
    ) -> None:
        """Fold the topics into shadow tables, compare, and take over what differs (then exit 1)."""
        from projections.rebuild import rebuild as fold_again

        settings = connect()
        columns = (SpinnerColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("Reading the log…")

            def say(count: int) -> None:
                progress.update(task, description=f"{count:,} records folded…")

            found = asyncio.run(fold_again(settings, projection, say))
        table(
            ("table", "rows", "was"),
            ((each.table, each.rows, "equal" if each.equal else "different") for each in found),
        )
        if not all(each.equal for each in found):
            raise typer.Exit(1)
