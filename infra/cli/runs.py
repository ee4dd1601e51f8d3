"""`cairn runs`: what was read, how far, how fast; ending a run, going on with it, letting go."""

from __future__ import annotations

import asyncio
import json
import shlex
from functools import partial
from typing import TYPE_CHECKING

import typer

from infra.cli.atoms import PROJECT_OPTION
from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.output import as_lines, table
from infra.cli.project import KEY_OPTION, drawn_key, login_name, quiet_clients, tell_key
from infra.clock import SystemClock
from infra.errors import Refusal, Unavailable
from infra.settings import Settings
from schemas.envelope import Event
from schemas.events.ingestion_request import (
    RemovalsAccepted,
    RunCancelRequested,
    RunResumeRequested,
)

if TYPE_CHECKING:
    from projections.read.deltas import DeltaReport
    from projections.read.runs import Phase

NO_PROJECT = typer.Option(None, "--project", "-p", help="Name or id of the project.")
OPEN = "running"
SHOWN_FILES = 8


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

    @runs.command()
    def report(
        run: str = typer.Argument(help="Id of the run."), as_json: bool = JSON_OPTION
    ) -> None:
        """Tell what had changed for a run, what it read again, which sections it kept, and when."""
        from projections.read import deltas, runs, session

        with session.reading(connect().conninfo) as connection:
            found = deltas.delta_report(connection, run)
            phases = runs.phases(connection, found.project_id).get(run, [])
        if as_json:
            as_lines([found.model_dump() | {"phases": [each.model_dump() for each in phases]}])
        else:
            print("\n".join([reported(found), *timed(phases)]))

    @runs.command("deltas")
    def delta_reports(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
        """What each merged pull request or push changed: files, chunks, atoms, sections."""
        from projections.read import deltas, projects, session
        from projections.read.page import take

        with session.reading(connect().conninfo) as connection:
            known = projects.project_of(connection, project)
            found = list(take(partial(deltas.deltas, connection, known)))
        if as_json:
            as_lines(run.model_dump() for run in found)
            return
        counted = (
            "files_added",
            "files_modified",
            "files_removed",
            "files_renamed",
            "sections_recomputed",
            "sections_kept",
        )
        read = ("chunks_reextracted", "chunks_reanchored", "atoms_touched")
        columns = ("cause", "after", "status", *read)
        table(
            (*columns, *counted),
            (
                [
                    *(getattr(run, name) for name in columns),
                    *(len(getattr(run, name) or ()) for name in counted),
                ]
                for run in found
            ),
            "No delta yet.",
        )

    @runs.command("accept-removals")
    def accept_removals(
        run: str = typer.Argument(help="Id of the run that holds removals."),
        project: str = PROJECT_OPTION,
    ) -> None:
        """Let go of the sources that a run has held back."""
        count = accepted(connect(), project, run)
        named = shlex.quote(project)
        say(f"{count:,} sources go: `cairn runs --project {named}` shows the run that does it.")


def listed(project: str, *, as_json: bool) -> None:
    from projections.read import projects, runs, session
    from projections.read.page import take

    with session.reading(connect().conninfo) as connection:
        project_id = projects.project_of(connection, project)
        found = [run.model_dump() for run in take(partial(runs.runs, connection, project_id))]
        phases = runs.phases(connection, project_id)
    if as_json:
        for run in found:
            run["phases"] = [each.model_dump() for each in phases.get(run["run_id"], [])]
        as_lines(found)
        return
    columns = (
        *("lane", "trigger", "root", "status", "stop_reason", "chunks_processed"),
        *(
            "atoms_created",
            "removals_held",
            "first_atom_ms",
            "prd_v0_ms",
            "features_v0_ms",
            "run_id",
        ),
    )
    for run in found:
        if run["waiting_for_sources"]:
            run["status"] = "waiting_for_sources"
        elif run["cancel_requested"]:
            run["status"] = "running (to be cancelled)"
    table(columns, ([run[name] for name in columns] for run in found), "No run yet.")


FILES = ("files_added", "files_modified", "files_renamed", "files_removed")


def reported(report: DeltaReport) -> str:
    """The delta report of a run as people read it."""
    changes = ", ".join(f"{op} {count}" for op, count in sorted(report.atom_changes.items()))
    lines = [
        f"Run {report.run_id} ({report.lane}, {report.trigger}) over {report.root}",
        *(f"{name.replace('_', ' ')}: {_named(getattr(report, name))}" for name in FILES),
        f"chunks read: {report.chunks_reextracted:,}; moved along without reading:"
        f" {report.chunks_reanchored:,}",
        f"atoms touched: {report.atoms_touched:,}" + (f" ({changes})" if changes else ""),
    ]
    if report.settled_at is None:
        return "\n".join([*lines, "sections: not written for this run yet"])
    for name in ("recomputed", "kept"):
        sections = getattr(report, f"sections_{name}")
        prd = [one.section_id for one in sections if one.artifact_type == "prd"]
        others = len(sections) - len(prd)
        lines.append(
            f"sections {name}: {len(sections):,} (PRD: {', '.join(prd) or 'none'};"
            f" {others:,} of features, epics and insights)"
        )
    return "\n".join(lines)


def timed(phases: list[Phase]) -> list[str]:
    """Each phase of a run with its beginning and end, in seconds from the first; they overlap."""
    begun = min((phase.started_at for phase in phases if phase.started_at), default=None)
    lines = []
    for phase in phases:
        start, end = (
            f"{(at - begun).total_seconds():.1f} s" if at and begun else "…"
            for at in (phase.started_at, phase.finished_at)
        )
        lines.append(f"{phase.phase}: {start} to {end}, {phase.results:,} results")
    return lines


def _named(files: list[str]) -> str:
    shown = ", ".join(files[:SHOWN_FILES])
    more = f" and {len(files) - SHOWN_FILES:,} more" if len(files) > SHOWN_FILES else ""
    return f"{len(files):,}" + (f" ({shown}{more})" if files else "")


def asked(
    settings: Settings, request: RunCancelRequested | RunResumeRequested, *, key_given: bool
) -> None:
    """The request is on the log. Raises Refusal where it could have no effect."""
    from projections.read import runs, session

    quiet_clients()
    with session.reading(settings.conninfo) as connection:
        run = runs.run(connection, request.run_id)
    running, resume = run.status == OPEN, isinstance(request, RunResumeRequested)
    if running and resume:
        raise Refusal("This run has not ended: it goes on by itself, also after an interruption.")
    if not running and not resume:
        raise Refusal(f"This run has ended already ({run.stop_reason}).")
    try:
        published(settings, request, run.project_id)
    except (KeyboardInterrupt, Unavailable):
        tell_key(request.request_key, given=key_given)
        raise


def accepted(settings: Settings, project: str, run_id: str) -> int:
    """How many sources go; the fact is on the log. Raises Refusal when the run holds none."""
    from projections.read import projects, runs, session

    quiet_clients()
    with session.reading(settings.conninfo) as connection:
        project_id = projects.project_of(connection, project)
        run = runs.removals_held(connection, project_id, run_id)
    if not run or not run.removals_held or not run.root:
        raise Refusal(
            f"Run {run_id} of {project} holds no removals:"
            f" `cairn runs --project {shlex.quote(project)}` shows which one does."
        )
    held = run.removals_held
    published(settings, RemovalsAccepted(run_id=run_id, root=run.root, source_ids=held), project_id)
    return len(held)


def published(settings: Settings, event: Event, project_id: str) -> None:
    """The fact of whoever is logged in, on the log."""
    from connectors.runner import publishing
    from schemas.codec import utc_millis
    from schemas.envelope import Actor, outside_fact

    fact = outside_fact(
        event,
        project_id=project_id,
        occurred_at=utc_millis(SystemClock().now()),
        actor=Actor(type="human", id=login_name()),
    )

    async def publish() -> None:
        async with publishing(settings, SystemClock()) as send:
            await send([fact])

    asyncio.run(publish())


def answer(
    request: RunCancelRequested | RunResumeRequested, sentence: str, *, as_json: bool
) -> None:
    if as_json:
        print(json.dumps({"run_id": request.run_id, "idempotency_key": request.request_key}))
    else:
        say(f"Recorded. {sentence}: see `cairn runs`.")
