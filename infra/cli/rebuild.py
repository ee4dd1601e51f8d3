"""`cairn rebuild`: fold the log again and see whether the tables were right."""

import asyncio

import typer

from infra import service
from infra.cli.context import connect
from infra.cli.output import table
from infra.cli.verify_log import show_findings, showing_records


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
        settings = connect()
        with showing_records("folded") as tell:
            rebuilt = asyncio.run(
                service.rebuild_tables(
                    settings, projection, accept_smaller=accept_smaller, tell=tell
                )
            )
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
