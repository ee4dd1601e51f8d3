"""`cairn connector`: services outside are connected to a project, and read by it."""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table

from infra import supervisor
from infra.cli import importing
from infra.cli.connecting import Desk, desk
from infra.cli.context import JSON_OPTION, connect, say
from infra.cli.output import as_lines
from infra.cli.project import KEY_OPTION, PROJECT_OPTION, drawn_key, login_name, quiet_clients
from infra.cli.syncing import read_each
from infra.clock import SystemClock
from infra.errors import Refusal
from infra.settings import Settings

if TYPE_CHECKING:
    from connectors.definitions import Definition
    from connectors.services import Capability
    from connectors.sync import Engine, Outcome, Stream
    from schemas.envelope import Event
    from schemas.events.connector import ConnectorAdded

WIDTH = 120
CONNECTOR = typer.Argument(help="Id of the connector, its target, or `all` of a project.")
ANY_PROJECT = typer.Option(None, "--project", "-p", help="Name or id of the project.")
STREAM = typer.Option([], "--stream", help="A stream; may be given several times, none means all.")


def register(app: typer.Typer) -> None:
    connectors = typer.Typer(help="Connect services and read them.", no_args_is_help=True)
    app.add_typer(connectors, name="connector")
    importing.register(connectors)

    @connectors.command()
    def add(
        service: str = typer.Argument(help="github, jira, slack or bitbucket."),
        target: str = typer.Argument(help="What to read there, e.g. owner/repo."),
        project: str = PROJECT_OPTION,
        credential: list[str] = typer.Option(
            ..., "--credential", help="ROLE=env:NAME or ROLE=file:PATH, e.g. token=env:GH_TOKEN."
        ),
        base_url: str | None = typer.Option(None, help="Address of the service's API."),
        stream: list[str] = STREAM,
        option: list[str] = typer.Option([], "--option", help="NAME=VALUE, as the service needs."),
        every: int = typer.Option(300, min=10, help="Seconds between two polls."),
        budget: int = typer.Option(50, min=1, max=100, help="Percent of the rate limit to use."),
        check: bool = typer.Option(True, help="Ask the service before it is connected."),
        idempotency_key: str | None = KEY_OPTION,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Connect a service to a project; says which permission is missing."""
        added = _definition(
            service, target, base_url, credential, stream, option, every, budget,
            idempotency_key or drawn_key(),
        )  # fmt: skip
        settings = connect()
        quiet_clients()
        connector_id = asyncio.run(_add(settings, project, added, check=check))
        print(json.dumps({"connector_id": connector_id}) if as_json else connector_id)

    @connectors.command("list")
    def list_connectors(project: str | None = ANY_PROJECT, as_json: bool = JSON_OPTION) -> None:
        """Show every stream: how far it is, what was seen, what is left of the rate limit."""
        shown = asyncio.run(_rows(connect(), project))
        if as_json:
            as_lines(shown)
        else:
            _table(shown)

    @connectors.command()
    def test(connector: str = CONNECTOR, project: str | None = ANY_PROJECT) -> None:
        """Ask the service for a little of each stream; names each missing permission."""
        quiet_clients()
        if not asyncio.run(_test(connect(), connector, project)):
            raise typer.Exit(1)

    @connectors.command()
    def sync(
        connector: str = CONNECTOR,
        project: str | None = ANY_PROJECT,
        stream: list[str] = STREAM,
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Read what has changed since the last time."""
        quiet_clients()
        _told(asyncio.run(_sync(connect(), connector, project, stream)), as_json=as_json)

    @connectors.command()
    def census(
        connector: str = CONNECTOR,
        project: str | None = ANY_PROJECT,
        stream: list[str] = STREAM,
        accept_removals: bool = typer.Option(
            False, "--accept-removals", help="Let go of what is gone even when that is much."
        ),
        as_json: bool = JSON_OPTION,
    ) -> None:
        """Count what stands outside against what is held; what is gone goes."""
        quiet_clients()
        outcomes = asyncio.run(
            _sync(connect(), connector, project, stream, census=True, accept=accept_removals)
        )
        _told(outcomes, as_json=as_json)

    @connectors.command()
    def remove(
        connector: str = CONNECTOR,
        project: str | None = ANY_PROJECT,
        idempotency_key: str | None = KEY_OPTION,
    ) -> None:
        """Read the service no more; what came from it stays."""
        quiet_clients()
        asyncio.run(_remove(connect(), connector, project, idempotency_key or drawn_key()))

    @connectors.command(hidden=True)
    def poll() -> None:
        """Sync every connector when it is due (run by `cairn up`)."""
        from infra.cli.polling import follow

        settings = connect(start=False)
        quiet_clients()
        with supervisor.named(settings, os.environ, "poller"):
            asyncio.run(follow(settings, os.environ))


def _definition(
    service: str,
    target: str,
    base_url: str | None,
    credentials: list[str],
    streams: list[str],
    options: list[str],
    every: int,
    budget: int,
    key: str,
) -> ConnectorAdded:
    """The definition as asked for, without an id yet. Raises typer.BadParameter."""
    from connectors.connector import UnknownSource
    from connectors.definitions import checked_place
    from connectors.services import WEBHOOK, service_of
    from connectors.transport import checked_base
    from schemas.events.connector import ConnectorAdded, Credential

    try:
        found = service_of(service)
        places = {role: checked_place(place) for role, place in _pairs(credentials).items()}
        ways_in = (*found.roles, (WEBHOOK,))
        if not any(set(roles) <= set(places) for roles in ways_in):
            ways = " or ".join(" and ".join(roles) for roles in ways_in)
            raise UnknownSource(f"{service} needs as credentials: {ways}.")
        if unknown := sorted(set(streams) - set(found.streams)):
            raise UnknownSource(
                f"{service} has no stream {unknown[0]!r}: there are {', '.join(found.streams)}."
            )
        return ConnectorAdded(
            connector_id="",
            request_key=key,
            service=service,  # type: ignore[arg-type]  # service_of knows it
            target=found.checked_target(target),
            base_url=checked_base(base_url or found.base_url),
            streams=streams,
            credentials=[Credential(role=role, place=place) for role, place in places.items()],
            every_s=every,
            budget_percent=budget,
            options=_pairs(options),
        )
    except UnknownSource as error:
        raise typer.BadParameter(str(error)) from error


def _pairs(given: list[str]) -> dict[str, str]:
    found = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{name[:40]!r} says nothing: NAME=VALUE.")
        found[name] = value
    return found


async def _add(settings: Settings, project: str, added: ConnectorAdded, *, check: bool) -> str:
    from connectors.connector import SourceUnavailable
    from connectors.definitions import Definition, connector_id

    project_id = _project_id(settings, project)
    named = connector_id(project_id, added.service, added.base_url, added.target)
    definition = Definition(project_id, added.model_copy(update={"connector_id": named}))
    at = await desk(settings, os.environ)
    if check:
        try:
            async with at.opened(definition) as opened:
                _tell(definition, await opened.check())
        except SourceUnavailable as error:
            reason = str(error).removesuffix(": the next poll goes on.").rstrip(".")
            raise Refusal(
                f"{reason}, so {added.target} is not connected: check the address and the network,"
                " or connect it unasked with --no-check."
            ) from error
    await _publish(settings, project_id, definition.added)
    return named


async def _test(settings: Settings, connector: str, project: str | None) -> bool:
    at = await desk(settings, os.environ)
    tested = [await checked(at, each) for each in _chosen(settings, at, connector, project)]
    return all(tested)


async def checked(at: Desk, definition: Definition) -> bool:
    """Whether all streams of a connector can be read; what is missing, or why none can, is said."""
    from connectors.connector import SourceRefused, SourceUnavailable

    try:
        async with at.opened(definition) as opened:
            return _tell(definition, await opened.check())
    except (SourceRefused, SourceUnavailable) as error:
        say(f"{definition.added.target}: {error}")
        return False


async def _sync(
    settings: Settings,
    connector: str,
    project: str | None,
    names: list[str],
    *,
    census: bool = False,
    accept: bool = False,
) -> list[tuple[Definition, Outcome]]:
    from connectors.services import stream_names

    at = await desk(settings, os.environ, say)
    chosen = _chosen(settings, at, connector, project)
    known = {name for definition in chosen for name in stream_names(definition)}
    if unknown := sorted(set(names) - known):
        raise Refusal(f"There is no stream {unknown[0]!r}: see `cairn connector list`.")

    async def read(engine: Engine, stream: Stream) -> Outcome | None:
        if not census:
            return await engine.sync(stream)
        if not stream.counted:
            return None
        return await engine.census(stream, accept_removals=accept)

    return await read_each(at, chosen, names, read)


async def _remove(settings: Settings, connector: str, project: str | None, key: str) -> None:
    from schemas.events.connector import ConnectorRemoved

    at = await desk(settings, os.environ)
    for definition in _chosen(settings, at, connector, project):
        event = ConnectorRemoved(connector_id=definition.connector_id, request_key=key)
        await _publish(settings, definition.project_id, event)
        say(f"{definition.added.target} is read no more; what came from it stays.")


async def _publish(settings: Settings, project_id: str, event: Event) -> None:
    from connectors.runner import publishing
    from schemas.codec import utc_millis
    from schemas.envelope import Actor, outside_fact

    clock = SystemClock()
    fact = outside_fact(
        event,
        project_id=project_id,
        occurred_at=utc_millis(clock.now()),
        actor=Actor(type="human", id=login_name()),
    )
    async with publishing(settings, clock) as publish:
        await publish([fact])


def _project_id(settings: Settings, project: str) -> str:
    from projections.read import projects, session

    with session.reading(settings.conninfo) as connection:
        return projects.project_of(connection, project)


def _chosen(settings: Settings, at: Desk, connector: str, project: str | None) -> list[Definition]:
    """The connectors meant. Raises Refusal when there is none."""
    of_project = _project_id(settings, project) if project else None
    found = [
        each
        for each in at.definitions.values()
        if (of_project is None or each.project_id == of_project)
        and connector in ("all", each.connector_id, each.added.target)
    ]
    if not found:
        raise Refusal(f"There is no connector {connector}: see `cairn connector list`.")
    return found


async def _rows(settings: Settings, project: str | None) -> list[dict[str, Any]]:
    from connectors.services import stream_names

    quiet_clients()
    at = await desk(settings, os.environ)
    of_project = _project_id(settings, project) if project else None
    shown: list[dict[str, Any]] = []
    for definition in at.definitions.values():
        if of_project not in (None, definition.project_id):
            continue
        added = definition.added
        for name in stream_names(definition):
            place = at.places.get(added.connector_id, {}).get(name)
            told = place.model_dump(exclude={"connector_id", "stream", "cursor"}) if place else {}
            counts = told.pop("counts", {})
            head = {
                "connector_id": added.connector_id,
                "project_id": definition.project_id,
                "service": added.service,
                "target": added.target,
                "stream": name,
            }
            shown.append(head | counts | told | {"lag_s": _lag_s(told)})
    return shown


def _lag_s(told: dict[str, Any]) -> int | None:
    """Seconds since the stream was last at its end; None before it ever was."""
    at = told.get("caught_up_at")
    return int((SystemClock().now() - at).total_seconds()) if at else None


def _table(shown: list[dict[str, Any]]) -> None:
    names = ("seen", "published", "unchanged", "refused", "removed", "lag_s", "requests_left")
    heads = ("seen", "new", "same", "refused", "gone", "lag s", "left")
    table = Table("target", "stream", *heads, "next poll", "problem", box=None, pad_edge=False)
    for row in shown:
        next_poll = row.get("next_poll_at")
        table.add_row(
            f"{row['service']}:{row['target']}",
            row["stream"],
            *(str(row.get(name) if row.get(name) is not None else "–") for name in names),
            f"{next_poll:%H:%M:%S}" if next_poll else "–",
            row.get("problem") or "",
        )
    console = Console(highlight=False, markup=False)
    console.width = max(console.width, WIDTH)  # columns are not cut where nobody looks
    console.print(table)


def _tell(definition: Definition, capabilities: list[Capability]) -> bool:
    for each in capabilities:
        if not each.granted:
            say(f"{definition.added.target}: {each.stream} cannot be read; missing: {each.missing}")
    return all(each.granted for each in capabilities)


def _told(outcomes: list[tuple[Definition, Outcome]], *, as_json: bool) -> None:
    """What became of each stream; exit 1 when one could not be read."""
    for definition, outcome in outcomes:
        target, counts = definition.added.target, outcome.counts
        if as_json:
            row = {"target": target, "stream": outcome.stream, **counts.model_dump()}
            print(json.dumps(row | {"reason": outcome.reason, "error": outcome.error}))
        elif not outcome.stream:
            say(f"{target}: {outcome.reason}: {outcome.error}")
        else:
            say(
                f"{target} {outcome.stream}: {counts.seen:,} seen,"
                f" {counts.published:,} published, {counts.unchanged:,} unchanged,"
                f" {counts.removed:,} gone"
                + (f"; {outcome.reason}: {outcome.error}" if outcome.reason else ".")
            )
    if any(outcome.reason for _, outcome in outcomes):
        raise typer.Exit(1)
