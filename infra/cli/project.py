"""`cairn project`: projects are made here, and named by name or id everywhere else."""

from __future__ import annotations

import asyncio
import getpass
import json
import logging
import secrets
from functools import partial

import typer
from rich.console import Console
from rich.table import Table

from infra.cli.context import JSON_OPTION, connect, console
from infra.cli.output import as_lines
from infra.clock import SystemClock
from infra.errors import Refusal, Unavailable
from infra.local.process import wait_until
from infra.settings import Settings

MAX_NAME_CHARS = 200
SEEN_WITHIN_S = 30.0

KEY_OPTION = typer.Option(
    None, "--idempotency-key", help="The same key again does the same thing once."
)
PROJECT_OPTION = typer.Option(..., "--project", "-p", help="Name or id of the project.")


def register(app: typer.Typer) -> None:
    projects = typer.Typer(help="Make and list projects.", no_args_is_help=True)
    app.add_typer(projects, name="project")

    @projects.command()
    def create(
        name: str = typer.Argument(help="What people call it."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Make a project, and print its id."""
        settings = connect()
        key = idempotency_key or drawn_key()
        try:
            project_id = made(settings, checked_name(name), key)
        except (KeyboardInterrupt, Unavailable):
            tell_key(key, given=idempotency_key is not None)
            raise
        if as_json:
            print(json.dumps({"project_id": project_id, "name": name, "idempotency_key": key}))
        else:
            print(project_id)

    @projects.command("list")
    def list_projects(as_json: bool = JSON_OPTION) -> None:
        """Show all projects."""
        from projections.read import projects, session
        from projections.read.page import take

        with session.reading(connect().conninfo) as connection:
            found = list(take(partial(projects.projects, connection)))
        if as_json:
            as_lines(each.model_dump() for each in found)
            return
        table = Table("name", "project id", "sources", "atoms", box=None, pad_edge=False)
        for each in found:
            table.add_row(each.name, each.project_id, str(each.sources), str(each.atoms))
        Console(highlight=False, markup=False).print(table)


def made(settings: Settings, name: str, key: str) -> str:
    """The id of the project of ``key``, which the tables hold. Raises Refusal for a taken name."""
    from connectors.runner import publishing
    from projections.read import projects, session
    from projections.read.page import take
    from schemas import ids
    from schemas.codec import utc_millis
    from schemas.envelope import Actor, outside_fact
    from schemas.events.project import ProjectCreated

    quiet_clients()
    project_id = ids.project_id(key)
    with session.reading(settings.conninfo) as connection:
        for each in take(partial(projects.projects, connection)):
            if each.name == name and each.project_id != project_id:
                raise Refusal(
                    f"A project named {name!r} exists already ({each.project_id}): use it, or"
                    " choose another name."
                )
        fact = outside_fact(
            ProjectCreated(name=name),
            project_id=project_id,
            occurred_at=utc_millis(SystemClock().now()),
            actor=Actor(type="human", id=login_name()),
            natural_key=key,
        )

        async def publish() -> None:
            async with publishing(settings, SystemClock()) as publish:
                await publish([fact])

        asyncio.run(publish())
        seen = wait_until(
            lambda: any(
                each.project_id == project_id
                for each in take(partial(projects.projects, connection))
            ),
            timeout_s=SEEN_WITHIN_S,
        )
    if not seen:
        raise Refusal(
            f"Project {project_id} is recorded, but the tables do not hold it after"
            f" {SEEN_WITHIN_S:.0f} s: see whether the projector runs with `cairn status`."
        )
    return project_id


def checked_name(name: str) -> str:
    """``name`` if a project can be called so. Raises typer.BadParameter."""
    if not name.strip() or not name.isprintable() or len(name) > MAX_NAME_CHARS:
        raise typer.BadParameter(
            f"A project's name has 1 to {MAX_NAME_CHARS} printable characters: {name[:40]!r} does"
            " not; choose another."
        )
    return name


def drawn_key() -> str:
    return secrets.token_hex(16)


def tell_key(key: str, *, given: bool) -> None:
    """What was cut off can be gone on with."""
    if not given:
        line = f"To go on where this stopped, add --idempotency-key {key} to the same command."
        console.print(line, markup=False, soft_wrap=True)


def quiet_clients() -> None:
    """An absent broker is told by us, in a sentence: not by a log line for every retry."""
    for name, level in (("aiokafka", logging.CRITICAL), ("httpx", logging.WARNING)):
        client = logging.getLogger(name)
        if client.getEffectiveLevel() > logging.DEBUG:
            client.setLevel(level)


def login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        return "unknown"
