"""`cairn replay`: the ledger as it was, folded from the log, and what has changed since."""

import asyncio
from dataclasses import asdict

import typer

from infra.cli.atoms import AS_OF, AS_OF_SEQ, PROJECT_OPTION, time_of
from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.output import as_lines, table


def register(app: typer.Typer) -> None:
    @app.command()
    def replay(
        project: str = PROJECT_OPTION,
        as_of_seq: int | None = AS_OF_SEQ,
        as_of: str | None = AS_OF,
        diff: bool = typer.Option(False, "--diff", help="Name every row that differs."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Fold the ledger up to a moment into the schema cairn_replay and compare it with now.

        Without a moment it is folded to its end, where nothing may differ (else exit 1), unless the
        ledger has moved on meanwhile.
        """
        from projections.read import atoms, projects, session
        from projections.replay import SCHEMA
        from projections.replay import replay as fold_again

        if as_of_seq is not None and as_of:
            raise typer.BadParameter("give --as-of-seq or --as-of, not both")
        settings = connect()
        with session.reading(settings.conninfo) as connection:
            known = projects.project_of(connection, project)
            head = atoms.head(connection, known)
            if as_of:
                as_of_seq = atoms.sequence_at(connection, known, time_of(as_of))
        at = head if as_of_seq is None else as_of_seq
        replayed = asyncio.run(fold_again(settings, known, at))
        found = replayed.differences
        with session.reading(settings.conninfo) as connection:
            moved = atoms.head(connection, known) != head
        if as_json:
            as_lines(asdict(one) for one in found)
        elif diff:
            table(
                ("table", "since", "key", "columns"),
                ((one.table, one.since, one.key, ", ".join(one.columns)) for one in found),
                "Nothing differs.",
            )
        for left_out in replayed.findings:
            say(f"Left out: {left_out.code} at {left_out.where}, {left_out.detail}.")
        say(
            f"The ledger as of {at} stands in the schema {SCHEMA};"
            f" {len(found)} rows differ from now ({'moving on meanwhile' if moved else head})."
        )
        if at == head and found and not moved:
            raise typer.Exit(1)
