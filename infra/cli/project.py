"""`cairn project`: create and list projects; everywhere else they are given by name or id."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from infra.cli.context import JSON_OPTION, KEY_OPTION, PROJECT_OPTION, asking, connect, say
from infra.cli.output import as_lines

if TYPE_CHECKING:
    from infra.client.models.schedules import ProjectSettings, SettingsRequest

projects = typer.Typer(
    help="Create, list, rename and delete projects; set their hours.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    app.add_typer(projects, name="project")


@projects.command()
def create(
    name: str = typer.Argument(help="Name of the project."),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Create a project, and print its id."""
    from infra.client.models.projects import ProjectRequest

    with asking(idempotency_key) as key:
        made = connect().create_project(ProjectRequest(name=name), key=key)
    if as_json:
        told = {"project_id": made.project_id, "name": made.name, "idempotency_key": key}
        print(json.dumps(told))
    else:
        print(made.project_id)


@projects.command()
def rename(
    project: str = typer.Argument(help="Name or id of the project."),
    name: str = typer.Argument(help="Its new name."),
    idempotency_key: str | None = KEY_OPTION,
) -> None:
    """Give a project another name; its id stays."""
    from infra.client.models.projects import ProjectRequest

    cairn = connect()
    with asking(idempotency_key) as key:
        cairn.rename_project(cairn.project_of(project), ProjectRequest(name=name), key=key)
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
    cairn = connect()
    typed = confirm if confirm is not None else typer.prompt("Type the project's name", err=True)
    with asking(idempotency_key) as key:
        known = cairn.project_of(project)
        cairn.delete_project(known, name=typed, key=key)
    say(f"{typed} ({known}) is deleted.")


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
    cairn = connect()
    if timezone is None and quiet is None:
        found = cairn.read_project_settings(cairn.project_of(project))
    else:
        with asking(idempotency_key) as key:
            body = _settings_of(timezone, quiet)
            found = cairn.set_project_settings(cairn.project_of(project), body, key=key)
    if as_json:
        as_lines([found.model_dump()])
    else:
        print("\n".join(_render(found)))


@projects.command("list")
def list_projects(as_json: bool = JSON_OPTION) -> None:
    """Show all projects."""
    found = list(connect().list_projects())
    if as_json:
        as_lines(each.model_dump() for each in found)
        return
    table = Table("name", "project id", "sources", "atoms", box=None, pad_edge=False)
    for each in found:
        table.add_row(each.name, each.project_id, str(each.sources), str(each.atoms))
    Console(highlight=False, markup=False).print(table)


def _settings_of(timezone: str | None, quiet: str | None) -> SettingsRequest:
    """Raises typer.BadParameter for quiet hours without start and end."""
    from infra.client.models.schedules import SettingsRequest
    from infra.client.models.schedules_parts import QuietHours

    if quiet is None or quiet == "none":
        return SettingsRequest(timezone=timezone, has_no_quiet_hours=quiet == "none")
    start, dash, end = quiet.partition("-")
    if not dash:
        raise typer.BadParameter("write quiet hours like 22:00-07:00, or none")
    hours = QuietHours(start=start.strip(), end=end.strip())
    return SettingsRequest(timezone=timezone, quiet_hours=hours)


def _render(found: ProjectSettings) -> list[str]:
    hours = found.quiet_hours
    beat = found.heartbeat_at
    return [
        f"time zone: {found.timezone}",
        f"quiet hours: {f'{hours.start} to {hours.end}' if hours else 'none'}",
        f"last heartbeat: {f'{beat:%Y-%m-%d %H:%M} UTC' if beat else 'none: no schedules'}",
    ]
