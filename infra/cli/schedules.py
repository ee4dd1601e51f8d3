"""`cairn schedules`: have work done at times; list, change and remove schedules."""

from __future__ import annotations

import typer

from infra.cli.calls import told
from infra.cli.context import JSON_OPTION, KEY_OPTION, PROJECT_OPTION, asking, connect, say
from infra.cli.output import as_lines, cell, table
from infra.client.models.schedules import ScheduledWork, ScheduleRequest, ScheduleUpdate

ID = typer.Argument(metavar="ID", help="Id of the schedule.")
EVERY = typer.Option(
    None,
    "--every",
    metavar="WORDS",
    help="monday, day, 'other friday', 'month on the 31st', 'sprint end'.",
)
ON = typer.Option(None, "--on", metavar="DAY", help="Once: 2026-12-01, tomorrow, friday.")
AT = typer.Option(None, "--at", metavar="TIME", help="Time of day on the project's clocks: 09:00.")
CRON = typer.Option(
    None,
    "--cron",
    metavar="FIELDS",
    help="As cron has it: '0 9 * * mon,thu', with a time zone behind it if not the project's.",
)
PRIORITY = typer.Option(None, help="urgent, scheduled or background.")

schedules = typer.Typer(
    no_args_is_help=True, help="Have work done at times: add, list or remove a schedule."
)


def register(app: typer.Typer) -> None:
    app.add_typer(schedules, name="schedules")


@schedules.command()
def add(
    project: str = PROJECT_OPTION,
    work: str = typer.Option(..., "--work", help="What: 'sprint report', 'quality check', …"),
    every: str | None = EVERY,
    on: str | None = ON,
    at: str | None = AT,
    cron: str | None = CRON,
    title: str | None = typer.Option(None, help="Another title than the work has."),
    priority: str | None = PRIORITY,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Schedule work, and print the id of the schedule."""
    body = ScheduleRequest.model_construct(
        **told(when=_words(every, on, at, cron), work=work, title=title, priority=priority)
    )
    cairn = connect()
    with asking(idempotency_key) as key:
        added = cairn.schedule_work(cairn.project_of(project), body, key=key)
    _show(added, as_json=as_json)


@schedules.command()
def update(
    schedule_id: str = ID,
    project: str = PROJECT_OPTION,
    every: str | None = EVERY,
    on: str | None = ON,
    at: str | None = AT,
    cron: str | None = CRON,
    title: str | None = typer.Option(None, help="Another title."),
    priority: str | None = PRIORITY,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Change a schedule; what is left out stays. A new time is given whole."""
    when = _words(every, on, at, cron) if every or on or at or cron else None
    body = ScheduleUpdate.model_construct(**told(title=title, when=when, priority=priority))
    cairn = connect()
    with asking(idempotency_key) as key:
        changed = cairn.update_schedule(cairn.project_of(project), schedule_id, body, key=key)
    _show(changed, as_json=as_json)


@schedules.command()
def run(
    schedule_id: str = ID,
    project: str = PROJECT_OPTION,
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Do the work of a schedule now, and print the id of the job; its times stay."""
    cairn = connect()
    with asking(idempotency_key) as key:
        job = cairn.start_schedule(cairn.project_of(project), schedule_id, key=key)
    if as_json:
        as_lines([job.model_dump()])
    else:
        print(job.job_id)


@schedules.command()
def remove(
    schedule_id: str = ID,
    project: str = PROJECT_OPTION,
    idempotency_key: str | None = KEY_OPTION,
) -> None:
    """Remove a schedule; jobs that were begun go on."""
    cairn = connect()
    with asking(idempotency_key) as key:
        known = cairn.project_of(project)
        gone = cairn.read_schedule(known, schedule_id)
        cairn.remove_schedule(known, schedule_id, key=key)
    say(f"{gone.title} is not done any more.")


@schedules.command("list")
def list_(
    project: str = PROJECT_OPTION,
    everything: bool = typer.Option(
        False, "--all", help="Also removed ones, and what deliveries of webhooks ask for."
    ),
    limit: int = typer.Option(100, min=1, max=1_000, help="How many at most."),
    as_json: bool = JSON_OPTION,
) -> None:
    """List schedules with their next run, oldest first."""
    cairn = connect()
    found = cairn.list_schedules(cairn.project_of(project), include_finished=everything).take(limit)
    if as_json:
        as_lines(one.model_dump() for one in found)
        return
    columns = ("title", "for", "status", "next run (UTC)", "last run (UTC)", "result", "id")
    table(columns, map(_row_of, found), "Nothing is scheduled.")


def _words(every: str | None, on: str | None, at: str | None, cron: str | None) -> str:
    """When, in words or fields of cron. Raises typer.BadParameter."""
    if cron is not None:
        if every or on or at:
            raise typer.BadParameter("--cron says everything: leave out --every, --on and --at")
        return cron
    if (every is None) == (on is None):
        raise typer.BadParameter("give --every for what comes again, or --on for what is done once")
    day = f"every {every}" if every else f"on {on}"
    return f"{day} at {at}" if at else day


def _row_of(work: ScheduledWork) -> tuple[object, ...]:
    result = work.last_result or {}
    waits = f" until {work.not_before:%H:%M} UTC ({work.reason})" if work.not_before else ""
    return (
        cell(work.title),
        work.job_type or work.agent,
        f"{work.status}{waits}",
        f"{work.next_run_at:%Y-%m-%d %H:%M}" if work.next_run_at else None,
        f"{work.last_run_at:%Y-%m-%d %H:%M}" if work.last_run_at else None,
        cell(result.get("detail") or result.get("outcome") or ""),
        work.work_item_id,
    )


def _show(work: ScheduledWork, *, as_json: bool) -> None:
    if as_json:
        as_lines([work.model_dump()])
        return
    following = f"{work.next_run_at:%Y-%m-%d %H:%M} UTC" if work.next_run_at else "no sprint yet"
    say(f"{work.title}: next on {following}.")
    print(work.work_item_id)
