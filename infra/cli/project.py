"""`cairn project`: create and list projects; everywhere else they are given by name or id."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import asdict

import typer
from rich.console import Console
from rich.table import Table

from infra.cli import service
from infra.cli.context import JSON_OPTION, connect, explain_wrong_use, login_name, resumable, say
from infra.cli.output import as_lines

KEY_OPTION = typer.Option(
    None, "--idempotency-key", help="A repeated request with the same key is done once."
)
PROJECT_OPTION = typer.Option(..., "--project", "-p", help="Name or id of the project.")


def register(app: typer.Typer) -> None:
    projects = typer.Typer(
        help="Create, list, rename and delete projects; set their hours.", no_args_is_help=True
    )
    app.add_typer(projects, name="project")

    @projects.command()
    def create(
        name: str = typer.Argument(help="Name of the project."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Create a project, and print its id."""
        settings = connect()
        quiet_clients()
        with resumable(idempotency_key) as key, explain_wrong_use():
            project = asyncio.run(
                service.create_project(settings, name, actor=login_name(), key=key)
            )
        if as_json:
            print(json.dumps(asdict(project) | {"idempotency_key": key}))
        else:
            print(project.project_id)

    @projects.command()
    def rename(
        project: str = typer.Argument(help="Name or id of the project."),
        name: str = typer.Argument(help="Its new name."),
        idempotency_key: str | None = KEY_OPTION,
    ) -> None:
        """Give a project another name; its id stays."""
        settings = connect()
        quiet_clients()
        with resumable(idempotency_key) as key, explain_wrong_use():
            asyncio.run(
                service.rename_project(settings, project, name, actor=login_name(), key=key)
            )
        say(f"{project} is called {name} now.")

    @projects.command()
    def delete(
        project: str = typer.Argument(help="Name or id of the project."),
        confirm: str | None = typer.Option(
            None, metavar="NAME", help="The project's name, to confirm it; else it is asked for."
        ),
        idempotency_key: str | None = KEY_OPTION,
    ) -> None:
        """Hide a project for good, end its work and erase its keys."""
        settings = connect()
        quiet_clients()
        typed = (
            confirm if confirm is not None else typer.prompt("Type the project's name", err=True)
        )
        with resumable(idempotency_key) as key, explain_wrong_use():
            gone = asyncio.run(
                service.delete_project(settings, project, typed, actor=login_name(), key=key)
            )
        say(f"{gone.name} ({gone.project_id}) is deleted.")

    @projects.command()
    def settings(
        project: str = PROJECT_OPTION,
        timezone: str | None = typer.Option(None, help="Time zone, e.g. Europe/Berlin."),
        quiet: str | None = typer.Option(
            None,
            metavar="START-END",
            help="Hours in which only urgent work runs, e.g. 22:00-07:00; none for none.",
        ),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Show a project's time zone and quiet hours, or set them."""
        place = connect()
        if timezone is None and quiet is None:
            found = asyncio.run(service.read_project_settings(place, project))
        else:
            quiet_clients()
            with resumable(idempotency_key) as key, explain_wrong_use():
                found = asyncio.run(
                    service.set_project_settings(
                        place,
                        project,
                        timezone=timezone,
                        quiet_hours=_quiet_hours(quiet),
                        has_no_quiet_hours=quiet == "none",
                        actor=login_name(),
                        key=key,
                    )
                )
        if as_json:
            as_lines([found.model_dump()])
        else:
            print("\n".join(_render(found)))

    @projects.command("list")
    def list_projects(as_json: bool = JSON_OPTION) -> None:
        """Show all projects."""
        found = asyncio.run(service.list_projects(connect()))
        if as_json:
            as_lines(each.model_dump() for each in found)
            return
        table = Table("name", "project id", "sources", "atoms", box=None, pad_edge=False)
        for each in found:
            table.add_row(each.name, each.project_id, str(each.sources), str(each.atoms))
        Console(highlight=False, markup=False).print(table)


def _quiet_hours(given: str | None) -> service.QuietHours | None:
    """Raises typer.BadParameter for what has no start and end."""
    if given is None or given == "none":
        return None
    start, dash, end = given.partition("-")
    if not dash:
        raise typer.BadParameter("write quiet hours like 22:00-07:00, or none")
    return service.QuietHours(start=start.strip(), end=end.strip())


def _render(found: service.ProjectSettings) -> list[str]:
    hours = found.quiet_hours
    beat = found.heartbeat_at
    return [
        f"time zone: {found.timezone}",
        f"quiet hours: {f'{hours.start} to {hours.end}' if hours else 'none'}",
        f"last heartbeat: {f'{beat:%Y-%m-%d %H:%M} UTC' if beat else 'none: no schedules'}",
    ]


def quiet_clients() -> None:
    """An absent or starting broker is told by us, in a sentence: not by a log line for every retry.
    At debug the lines are shown.
    """
    if logging.getLogger("cairn").isEnabledFor(logging.DEBUG):
        return
    for name, level in (("aiokafka", logging.CRITICAL), ("httpx", logging.WARNING)):
        logging.getLogger(name).setLevel(level)
