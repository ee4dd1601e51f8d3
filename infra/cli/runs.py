"""`cairn runs`: what was read, how far, how fast; ending a run and going on with it."""

from __future__ import annotations

import asyncio
import json

import typer

from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.output import as_lines, table
from infra.cli.project import KEY_OPTION, drawn_key, login_name, quiet_clients, tell_key
from infra.clock import SystemClock
from infra.errors import Refusal, Unavailable
from infra.settings import Settings
from schemas.events.ingestion_request import RunCancelRequested, RunResumeRequested

NO_PROJECT = typer.Option(None, "--project", "-p", help="Name or id of the project.")
OPEN = "running"


def register(app: typer.Typer) -> None:
    runs = typer.Typer(help="List ingestion runs; end one, or go on with it.")
    app.add_typer(runs, name="runs")

    @runs.callback(invoke_without_command=True)
    def list_runs(
        context: typer.Context,
        project: str | None = NO_PROJECT,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """List ingestion runs, oldest first; `cancel` or `resume` one of them."""
        if context.invoked_subcommand is None:
            if project is None:
                raise typer.BadParameter("Say of which project: --project NAME.")
            listed(project, as_json=as_json)

    @runs.command()
    def cancel(
        run: str = typer.Argument(help="Id of the run."),
        reason: str = typer.Option("", help="Why, for those who look at the run later."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """End a run at its next batch border; what it has not read stays to be read."""
        key = idempotency_key or drawn_key()
        request = RunCancelRequested(run_id=run, request_key=key, reason=reason)
        asked(connect(), request, key_given=idempotency_key is not None)
        answer(request, "It ends when the batches under way are in the ledger", as_json=as_json)

    @runs.command()
    def resume(
        run: str = typer.Argument(help="Id of the run."),
        retry_poison: bool = typer.Option(
            False, "--retry-poison", help="Also try again what could not be read."
        ),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Read what a run that has ended left: a new run over the same listing."""
        key = idempotency_key or drawn_key()
        request = RunResumeRequested(run_id=run, request_key=key, retry_poison=retry_poison)
        asked(connect(), request, key_given=idempotency_key is not None)
        answer(request, "A new run goes on with what it left", as_json=as_json)


def listed(project: str, *, as_json: bool) -> None:
    from projections import queries

    with queries.reading(connect().conninfo) as connection:
        found = queries.runs(connection, queries.project_of(connection, project))
    if as_json:
        as_lines(found)
        return
    columns = (
        *("lane", "root", "status", "stop_reason", "chunks_processed"),
        *("atoms_created", "first_atom_ms", "prd_v0_ms", "run_id"),
    )
    for run in found:
        if run["waiting_for_sources"]:
            run["status"] = "waiting_for_sources"
        elif run["cancel_requested"]:
            run["status"] = "running (to be cancelled)"
    table(columns, ([run[name] for name in columns] for run in found), "No run yet.")


def asked(
    settings: Settings, request: RunCancelRequested | RunResumeRequested, *, key_given: bool
) -> None:
    """The request is on the log. Raises Refusal where it could have no effect."""
    from connectors.runner import publishing
    from projections import queries
    from schemas.codec import utc_millis
    from schemas.envelope import Actor, outside_fact

    quiet_clients()
    with queries.reading(settings.conninfo) as connection:
        run = queries.run(connection, request.run_id)
    running, resume = run["status"] == OPEN, isinstance(request, RunResumeRequested)
    if running and resume:
        raise Refusal("This run has not ended: it goes on by itself, also after an interruption.")
    if not running and not resume:
        raise Refusal(f"This run has ended already ({run['stop_reason']}).")
    fact = outside_fact(
        request,
        project_id=run["project_id"],
        occurred_at=utc_millis(SystemClock().now()),
        actor=Actor(type="human", id=login_name()),
    )

    async def publish() -> None:
        async with publishing(settings, SystemClock()) as publish:
            await publish([fact])

    try:
        asyncio.run(publish())
    except (KeyboardInterrupt, Unavailable):
        tell_key(request.request_key, given=key_given)
        raise


def answer(
    request: RunCancelRequested | RunResumeRequested, sentence: str, *, as_json: bool
) -> None:
    if as_json:
        print(json.dumps({"run_id": request.run_id, "idempotency_key": request.request_key}))
    else:
        say(f"Recorded. {sentence}: see `cairn runs`.")
