"""`cairn runs`: what was read, by whom, how far, and how fast; and what a run has held back."""

import asyncio
import shlex

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.output import as_lines, table
from infra.cli.project import login_name, quiet_clients
from infra.clock import SystemClock
from infra.errors import Refusal
from infra.settings import Settings


def register(app: typer.Typer) -> None:
    runs = typer.Typer(help="List ingestion runs, oldest first.", invoke_without_command=True)
    app.add_typer(runs, name="runs")

    @runs.callback()
    def list_runs(
        context: typer.Context,
        project: str = typer.Option("", "--project", "-p", help="Name or id of the project."),
        as_json: bool = JSON_OPTION,
    ) -> None:
        from projections import queries

        if context.invoked_subcommand:
            return
        if not project:
            raise typer.BadParameter("Say whose runs: --project NAME.")
        with queries.reading(connect().conninfo) as connection:
            found = queries.runs(connection, queries.project_of(connection, project))
        if as_json:
            as_lines(found)
            return
        columns = (
            *("lane", "root", "status", "stop_reason", "chunks_processed"),
            *("atoms_created", "removals_held", "first_atom_ms", "prd_v0_ms", "run_id"),
        )
        table(columns, ([run[name] for name in columns] for run in found), "No run yet.")

    @runs.command("accept-removals")
    def accept_removals(
        run: str = typer.Argument(help="Id of the run that holds removals."),
        project: str = PROJECT_OPTION,
    ) -> None:
        """Let go of the sources that a run has held back."""
        count = accepted(connect(), project, run)
        named = shlex.quote(project)
        say(f"{count:,} sources go: `cairn runs --project {named}` shows the run that does it.")


def accepted(settings: Settings, project: str, run_id: str) -> int:
    """How many sources go; the fact is on the log. Raises Refusal when the run holds none."""
    from connectors.runner import publishing
    from projections import queries
    from schemas.codec import utc_millis
    from schemas.envelope import Actor, outside_fact
    from schemas.events.ingestion_request import RemovalsAccepted

    quiet_clients()
    with queries.reading(settings.conninfo) as connection:
        project_id = queries.project_of(connection, project)
        run = queries.removals_held(connection, project_id, run_id)
    if not run or not run["removals_held"]:
        raise Refusal(
            f"Run {run_id} of {project} holds no removals:"
            f" `cairn runs --project {shlex.quote(project)}` shows which one does."
        )
    fact = outside_fact(
        RemovalsAccepted(run_id=run_id, root=run["root"], source_ids=run["removals_held"]),
        project_id=project_id,
        occurred_at=utc_millis(SystemClock().now()),
        actor=Actor(type="human", id=login_name()),
    )

    async def publish() -> None:
        async with publishing(settings, SystemClock()) as publish:
            await publish([fact])

    asyncio.run(publish())
    return len(run["removals_held"])
