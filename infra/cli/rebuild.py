"""`cairn rebuild`: fold the log again and see whether the tables were right."""

import asyncio

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn

from infra.cli.context import connect, console
from infra.cli.output import table
from infra.cli.verify_log import show_findings
from infra.findings import forget
from infra.kafka import accept_cuts
from infra.settings import Settings


def register(app: typer.Typer) -> None:
    @app.command()
    def rebuild(
        projection: str | None = typer.Option(
            None, help="Only this table is compared and put right."
        ),
        accept_smaller: bool = typer.Option(
            False,
            "--accept-smaller",
            help="Take what a damaged log still holds, though ledgers become smaller.",
        ),
    ) -> None:
        """Fold the topics into shadow tables, compare, and take over what differs (then exit 1).

        A log with findings makes no ledger smaller unless --accept-smaller is given; then the
        tables go on behind what is missing.
        """
        from projections.core import CORE
        from projections.rebuild import rebuild as fold_again

        settings = connect()
        columns = (SpinnerColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("Reading the log…")

            def say(count: int) -> None:
                progress.update(task, description=f"{count:,} records folded…")

            rebuilt = asyncio.run(
                fold_again(CORE, settings, projection, say, accept_smaller=accept_smaller)
            )
        if accept_smaller:
            forget_what_is_gone(settings)
        found = rebuilt.tables
        table(
            ("table", "rows", "was"),
            ((each.table, each.rows, "equal" if each.equal else "different") for each in found),
        )
        if rebuilt.findings:
            print(f"Left out, or missing, in the log: {len(rebuilt.findings)}")
            show_findings(rebuilt.findings)
        if not all(each.equal for each in found):
            raise typer.Exit(1)


def forget_what_is_gone(settings: Settings) -> None:
    """Stages fold what is left, and go on from there."""
    asyncio.run(accept_cuts(settings))
    forget(settings)
    for store in (settings.home / "state").glob("*/*.sqlite*"):
        store.unlink(missing_ok=True)
