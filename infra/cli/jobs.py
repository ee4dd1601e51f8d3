"""`cairn jobs`: list background jobs; enqueue, cancel or retry one."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from infra.cli.atoms import time_of
from infra.cli.calls import ENDED, Cairn, told, unchecked
from infra.cli.context import (
    JSON_OPTION,
    KEY_OPTION,
    OPTIONAL_PROJECT,
    asking,
    connect,
    explain_wrong_use,
    say,
)
from infra.cli.output import as_lines, cell, table
from infra.client.models.shared import NewJob
from infra.platform.errors import Forbidden

if TYPE_CHECKING:
    from infra.client.models.shared import Job, Transition

JOB = typer.Argument(metavar="ID", help="Id of the job.")

jobs = typer.Typer(no_args_is_help=True, help="List background jobs; enqueue, cancel or retry one.")


def register(app: typer.Typer) -> None:
    app.add_typer(jobs, name="jobs")


@jobs.command("list")
def list_(
    project: str | None = OPTIONAL_PROJECT,
    status: str | None = typer.Option(None, help="Only jobs with this status."),
    kind: str | None = typer.Option(None, "--type", help="Only jobs of this type."),
    limit: int = typer.Option(100, min=1, max=1_000, help="How many at most."),
    as_json: bool = JSON_OPTION,
) -> None:
    """List jobs, newest first."""
    with explain_wrong_use():
        found = _list(connect(), project, limit, status=status, job_type=kind)
    if as_json:
        as_lines(job.model_dump() for job in found)
    else:
        table(
            ("type", "status", "priority", "attempts", "changed", "error", "id"),
            (
                (
                    job.job_type,
                    job.status,
                    _name_priority(job),
                    f"{job.attempt_count} of {job.max_attempts}",
                    f"{job.updated_at:%Y-%m-%d %H:%M:%S}",
                    cell(job.last_error or ""),
                    job.job_id,
                )
                for job in found
            ),
            "No jobs.",
        )


@jobs.command()
def show(job_id: str = JOB, as_json: bool = JSON_OPTION) -> None:
    """Show a job and what has happened to it."""
    cairn = connect()
    job, history = cairn.read_any_job(job_id), cairn.list_history_of_any_job(job_id)
    if as_json:
        as_lines([job.model_dump() | {"history": [each.model_dump() for each in history]}])
    else:
        print("\n".join(render(job, history)))


@jobs.command()
def cancel(job_id: str = JOB, as_json: bool = JSON_OPTION) -> None:
    """Cancel a job; one that runs is stopped."""
    job = connect().cancel_any_job(job_id)
    _tell(job, "is cancelled", as_json=as_json)


@jobs.command()
def retry(job_id: str = JOB, as_json: bool = JSON_OPTION) -> None:
    """Try a failed, dead or cancelled job again, with all its attempts."""
    job = connect().retry_any_job(job_id)
    _tell(job, "is tried again", as_json=as_json)


@jobs.command()
def enqueue(
    kind: str = typer.Argument(metavar="TYPE", help="Type of the job, such as ingestion."),
    project: str | None = OPTIONAL_PROJECT,
    payload: str = typer.Option("{}", help="JSON, or @FILE, or @- for standard input."),
    priority: str = typer.Option("scheduled", help="urgent, scheduled or background."),
    run_after: str | None = typer.Option(None, help="Not before this time (ISO 8601)."),
    max_attempts: int = typer.Option(5, min=1, max=100, help="Attempts before it is dead."),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Put a job into the queue, and print its id."""
    cairn = connect()
    with asking(idempotency_key) as key:
        body = NewJob.model_construct(
            **told(
                job_type=kind,
                payload=_payload_of(payload),
                priority=priority,
                run_after=_moment(run_after),
                max_attempts=max_attempts,
            )
        )
        if project is None:
            job = cairn.enqueue_any_job(body, key=key)
        else:
            job = cairn.enqueue_job(cairn.project_of(project), body, key=key)
    if as_json:
        as_lines([job.model_dump() | {"is_new": not cairn.was_repeated}])
    else:
        print(job.job_id)


@jobs.command(hidden=True)
def run() -> None:
    """Do jobs and publish what becomes of them (run by `cairn up`)."""
    from infra.cli import processes

    processes.run_jobs()


def _list(cairn: Cairn, project: str | None, limit: int, **only: str | None) -> list[Job]:
    """The newest jobs; without a project those of all, or of the projects of the token."""
    wanted = unchecked(only)
    if project is not None:
        return list(cairn.list_jobs(cairn.project_of(project), **wanted).take(limit))
    with suppress(Forbidden):
        return list(cairn.list_all_jobs(**wanted).take(limit))
    ids = [each.project_id for each in cairn.list_projects()]
    found = [job for known in ids for job in cairn.list_jobs(known, **wanted).take(limit)]
    return sorted(found, key=lambda job: job.created_at, reverse=True)[:limit]


def _name_priority(job: Job) -> str:
    from schemas.events.job import PRIORITIES

    return next(name for name, value in PRIORITIES.items() if value == job.priority)


def _payload_of(given: str) -> dict[str, Any]:
    """The JSON object that was given. Raises typer.BadParameter."""
    if given.startswith("@"):
        try:
            given = sys.stdin.read() if given == "@-" else Path(given[1:]).read_text()
        except (OSError, UnicodeDecodeError) as error:
            raise typer.BadParameter(f"{given[1:]} cannot be read: {error}.") from error
    try:
        payload = json.loads(given)
    except ValueError as error:
        raise typer.BadParameter(f"the payload is no JSON: {error}.") from error
    if not isinstance(payload, dict):
        raise typer.BadParameter("the payload is no JSON object.")
    return payload


def _moment(given: str | None) -> datetime | None:
    return time_of(given) if given else None


def _tell(job: Job, what: str, *, as_json: bool) -> None:
    if as_json:
        as_lines([job.model_dump()])
    else:
        say(f"{job.job_id} {what}.")


def render(job: Job, history: list[Transition]) -> list[str]:
    """A job as people read it: its state, then its steps."""
    values = {
        "job": f"{job.job_id} ({job.job_type} of {job.project_id}, by {job.created_by})",
        "status": job.status,
        "priority": _name_priority(job),
        "attempts": f"{job.attempt_count} of {job.max_attempts}",
        "not before": None if job.status in ENDED else f"{job.run_after:%Y-%m-%d %H:%M:%S} UTC",
        "payload": json.dumps(job.payload, ensure_ascii=False),
        "progress": job.progress and json.dumps(job.progress, ensure_ascii=False),
        "result": job.result and json.dumps(job.result, ensure_ascii=False),
        "error": job.last_error and f"{job.error_class}: {job.last_error}",
    }
    lines = [f"{name}: {value}" for name, value in values.items() if value]
    for step in history:
        at = f"{step.occurred_at:%Y-%m-%d %H:%M:%S}"
        lines.append(f"{at} {step.event_type} (lease {step.lease_epoch}, {step.actor})")
    return lines
