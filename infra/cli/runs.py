"""`cairn runs`: list ingestion runs; cancel or resume one, accept its removals."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import typer

from infra.cli.context import (
    JSON_OPTION,
    KEY_OPTION,
    OPTIONAL_PROJECT,
    PROJECT_OPTION,
    connect,
    resumable,
    say,
)
from infra.cli.output import as_lines, table
from infra.client.models.runs import CancelRequest, ResumeRequest
from schemas.inflection import count

if TYPE_CHECKING:
    from infra.client.models.runs import DeltaReport
    from infra.client.models.views import Phase

SHOWN_FILES = 8

runs = typer.Typer(help="List ingestion runs; cancel, resume or inspect one.")


def register(app: typer.Typer) -> None:
    app.add_typer(runs, name="runs")


@runs.callback(invoke_without_command=True)
def list_runs(
    context: typer.Context,
    project: str | None = OPTIONAL_PROJECT,
    as_json: bool = JSON_OPTION,
) -> None:
    """List ingestion runs, oldest first; `cancel` or `resume` one of them."""
    if context.invoked_subcommand is None:
        if project is None:
            raise typer.BadParameter("Name the project: --project NAME.")
        show_runs(project, as_json=as_json)


@runs.command()
def cancel(
    run: str = typer.Argument(help="Id of the run."),
    reason: str = typer.Option("", help="Reason, shown with the run."),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """End a run after its current batch; the rest stays unread."""
    cairn = connect()
    with resumable(idempotency_key) as key:
        cairn.cancel_run(cairn.project_with(run), run, CancelRequest(reason=reason), key=key)
    ends = "It ends when the batches under way are in the ledger"
    _tell_recorded(run, key, ends, as_json=as_json)


@runs.command()
def resume(
    run: str = typer.Argument(help="Id of the run."),
    retry_poison: bool = typer.Option(
        False, "--retry-poison", help="Also retry what could not be read."
    ),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Start a new run over what an ended run left unread."""
    cairn, body = connect(), ResumeRequest(retry_poison=retry_poison)
    with resumable(idempotency_key) as key:
        cairn.resume_run(cairn.project_with(run), run, body, key=key)
    _tell_recorded(run, key, "A new run goes on with what it left", as_json=as_json)


@runs.command()
def report(run: str = typer.Argument(help="Id of the run."), as_json: bool = JSON_OPTION) -> None:
    """Show what a run changed: files, chunks, atoms and sections."""
    cairn = connect()
    known = cairn.project_with(run)
    found, phases = cairn.read_run_report(known, run), cairn.list_phases(known).get(run, [])
    if as_json:
        as_lines([found.model_dump() | {"phases": [each.model_dump() for each in phases]}])
    else:
        print("\n".join([render_report(found), *render_phases(phases)]))


@runs.command("deltas")
def delta_reports(project: str = PROJECT_OPTION, as_json: bool = JSON_OPTION) -> None:
    """Show what each merged pull request or push changed."""
    cairn = connect()
    found = cairn.list_deltas(cairn.project_of(project))
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
    run: str = typer.Argument(help="Id of the run with blocked removals."),
    project: str = PROJECT_OPTION,
) -> None:
    """Accept removals that the safety threshold blocked."""
    cairn = connect()
    accepted = cairn.accept_removals(cairn.project_of(project), run)
    removed = count(len(accepted.source_ids), "source is", "sources are")
    say(f"{removed} removed: see `cairn runs --project {shlex.quote(project)}`.")


def show_runs(project: str, *, as_json: bool) -> None:
    cairn = connect()
    known = cairn.project_of(project)
    found = [run.model_dump() for run in cairn.list_runs(known)]
    phases = cairn.list_phases(known)
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


def render_report(report: DeltaReport) -> str:
    """The delta report of a run as people read it."""
    changes = ", ".join(f"{op} {count}" for op, count in sorted(report.atom_changes.items()))
    lines = [
        f"Run {report.run_id} ({report.lane}, {report.trigger}) over {report.root}",
        *(f"{name.replace('_', ' ')}: {_shorten_list(getattr(report, name))}" for name in FILES),
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


def render_phases(phases: list[Phase]) -> list[str]:
    """Each phase of a run with its beginning and end, in seconds from the first; they overlap."""
    begun = min((phase.started_at for phase in phases if phase.started_at), default=None)
    lines = []
    for phase in phases:
        start, end = (
            f"{(at - begun).total_seconds():.1f} s" if at and begun else "…"
            for at in (phase.started_at, phase.finished_at)
        )
        lines.append(f"{phase.phase}: {start} to {end}, {count(phase.results, 'result')}")
    return lines


def _shorten_list(files: list[str]) -> str:
    shown = ", ".join(files[:SHOWN_FILES])
    more = f" and {len(files) - SHOWN_FILES:,} more" if len(files) > SHOWN_FILES else ""
    return f"{len(files):,}" + (f" ({shown}{more})" if files else "")


def _tell_recorded(run_id: str, key: str, what_follows: str, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"run_id": run_id, "idempotency_key": key}))
    else:
        say(f"Recorded. {what_follows}: see `cairn runs`.")
