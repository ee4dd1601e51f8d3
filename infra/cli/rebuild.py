"""`cairn rebuild`: fold the log again and see whether the tables were right."""

import asyncio

import typer

from infra.cli.context import locate, say
from infra.cli.output import table
from infra.cli.verify_log import show_findings, show_records


def register(app: typer.Typer) -> None:
    @app.command()
    def rebuild(
        projection: str | None = typer.Option(None, help="Compare and replace only this table."),
        accept_smaller: bool = typer.Option(
            False,
            "--accept-smaller",
            help="Accept smaller ledgers where the log is damaged.",
        ),
    ) -> None:
        """Rebuild the tables from the log, and replace those that differ (exit 1).

        While the log has findings, no ledger becomes smaller unless --accept-smaller is given; then
        the tables continue after what is missing.
        """
        from infra.service.upkeep.audit import rebuild_tables
        from infra.service.upkeep.lost_database import describe_loss

        settings = locate(start=True)
        with show_records("folded") as tell:
            rebuilt = asyncio.run(
                rebuild_tables(settings, projection, accept_smaller=accept_smaller, tell=tell)
            )
        found = rebuilt.tables
        table(
            ("table", "rows", "was"),
            ((each.table, each.rows, "equal" if each.equal else "different") for each in found),
        )
        if rebuilt.findings:
            print(f"Left out, or missing, in the log: {len(rebuilt.findings)}")
            show_findings(rebuilt.findings)
        for line in describe_loss(settings, always=True):
            say(line)
        if not all(each.equal for each in found):
            raise typer.Exit(1)
