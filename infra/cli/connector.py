"""`cairn connector`: services outside are connected to a project, and read by it."""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from infra.cli import importing
from infra.cli.calls import Cairn, told
from infra.cli.context import (
    JSON_OPTION,
    KEY_OPTION,
    OPTIONAL_PROJECT,
    PROJECT_OPTION,
    asking,
    connect,
    say,
)
from infra.cli.output import as_lines
from infra.client.models.connectors import ConnectorRequest, ConnectorState, SyncRequest
from infra.client.models.connectors_parts import StreamState
from infra.platform.errors import NotFound

ALL = "all"  # in the place of one connector
WIDTH = 120
READ_WITHIN_S = 24 * 3600.0  # a first reading waits for limits of the service
CONNECTOR = typer.Argument(help="Id of the connector, its target, or `all` of a project.")
STREAM = typer.Option([], "--stream", help="Only this stream (repeatable; default: all).")

connectors = typer.Typer(help="Connect services and read them.", no_args_is_help=True)
connectors.command("import")(importing.import_file)


def register(app: typer.Typer) -> None:
    app.add_typer(connectors, name="connector")


@connectors.command()
def add(
    kind: str = typer.Argument(metavar="SERVICE", help="github, jira, slack or bitbucket."),
    target: str = typer.Argument(help="What to read there, e.g. owner/repo."),
    project: str = PROJECT_OPTION,
    credential: list[str] = typer.Option(
        ..., "--credential", help="ROLE=env:NAME or ROLE=file:PATH, e.g. token=env:GH_TOKEN."
    ),
    base_url: str | None = typer.Option(None, help="Address of the service's API."),
    stream: list[str] = STREAM,
    option: list[str] = typer.Option(
        [], "--option", help="An option of the service, as NAME=VALUE."
    ),
    every: int = typer.Option(300, min=10, help="Seconds between two polls."),
    budget: int = typer.Option(50, min=1, max=100, help="Percent of the rate limit to use."),
    check: bool = typer.Option(True, help="Check the access before connecting."),
    idempotency_key: str | None = KEY_OPTION,
    as_json: bool = JSON_OPTION,
) -> None:
    """Connect a service to a project; says which permission is missing."""
    body = ConnectorRequest.model_construct(
        **told(
            service=kind,
            target=target,
            credentials=_places(credential),
            base_url=base_url,
            streams=stream,
            options=_pairs(option),
            interval_s=every,
            budget_percent=budget,
            check=check,
        )
    )
    cairn = connect()
    with asking(idempotency_key) as key:
        added = cairn.add_connector(cairn.project_of(project), body, key=key)
    connector_id = added.connector.connector_id
    for name, permission in added.missing.items():
        _say_missing(added.connector.target, name, permission)
    print(json.dumps({"connector_id": connector_id}) if as_json else connector_id)


@connectors.command("list")
def list_connectors(project: str | None = OPTIONAL_PROJECT, as_json: bool = JSON_OPTION) -> None:
    """Show every stream: how far it is, what was seen, what is left of the rate limit."""
    cairn = connect()
    rows = [
        _row(known, each, stream)
        for known in _projects(cairn, project)
        for each in cairn.list_connectors(known)
        for stream in each.streams
    ]
    if as_json:
        as_lines(rows)
    else:
        _table(rows)


@connectors.command()
def test(connector: str = CONNECTOR, project: str | None = OPTIONAL_PROJECT) -> None:
    """Test the access to each stream; names each missing permission."""
    cairn = connect()
    checks = [
        cairn.check_connector(known, each.connector_id)
        for known, each in _choose(cairn, connector, project)
    ]
    for each in checks:
        for one in each.missing:
            _say_missing(each.target, one.stream, one.permission)
        if each.problem:
            say(f"{each.target}: {each.problem}")
    if any(each.missing or each.problem for each in checks):
        raise typer.Exit(1)


@connectors.command()
def sync(
    connector: str = CONNECTOR,
    project: str | None = OPTIONAL_PROJECT,
    stream: list[str] = STREAM,
    as_json: bool = JSON_OPTION,
) -> None:
    """Read what has changed since the last time."""
    _show(_read(connector, project, {"streams": stream}), as_json=as_json)


@connectors.command()
def reconcile(
    connector: str = CONNECTOR,
    project: str | None = OPTIONAL_PROJECT,
    stream: list[str] = STREAM,
    accept_removals: bool = typer.Option(
        False,
        "--accept-removals",
        help="Remove missing sources even above the safety threshold.",
    ),
    as_json: bool = JSON_OPTION,
) -> None:
    """Compare all that the service has with what is stored; remove what it no longer has."""
    asked = {"streams": stream, "reconcile": True, "accept_removals": accept_removals}
    _show(_read(connector, project, asked), as_json=as_json)


@connectors.command()
def remove(
    connector: str = CONNECTOR,
    project: str | None = OPTIONAL_PROJECT,
    idempotency_key: str | None = KEY_OPTION,
) -> None:
    """Stop reading the service; what was read stays."""
    cairn = connect()
    with asking(idempotency_key) as key:
        chosen = _choose(cairn, connector, project)
        for known, each in chosen:
            own_key = key if len(chosen) == 1 else f"{key}|{each.connector_id}"
            cairn.remove_connector(known, each.connector_id, key=own_key)
            say(f"{each.target} is no longer read; what was read stays.")


@connectors.command(hidden=True)
def poll() -> None:
    """Sync every connector when it is due (run by `cairn up`)."""
    from infra.cli import processes

    processes.poll()


def _projects(cairn: Cairn, project: str | None) -> list[str]:
    """The ids of the project, or of all that the token may see."""
    if project is not None:
        return [cairn.project_of(project)]
    return [each.project_id for each in cairn.list_projects()]


def _choose(cairn: Cairn, connector: str, project: str | None) -> list[tuple[str, ConnectorState]]:
    """The connectors meant by an id, a target or ``all``, with their projects. Raises NotFound."""
    found = [
        (known, each)
        for known in _projects(cairn, project)
        for each in cairn.list_connectors(known)
        if connector in (ALL, each.connector_id, each.target)
    ]
    if not found:
        raise NotFound(f"There is no connector {connector}.", code="unknown_connector")
    return found


def _read(connector: str, project: str | None, asked: dict[str, Any]) -> list[dict[str, Any]]:
    """What became of each stream of the connectors, which jobs of the service read."""
    cairn = connect()
    body = SyncRequest.model_construct(**asked, tells_failures=True)
    jobs = [
        cairn.sync_connector(known, each.connector_id, body)
        for known, each in _choose(cairn, connector, project)
    ]
    done = [cairn.await_job(job.job_id, READ_WITHIN_S) for job in jobs]
    return [stream for job in done for stream in (job.result or {})["streams"]]


def _pairs(given: list[str]) -> dict[str, str]:
    found = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{name[:40]!r} is not of the form NAME=VALUE.")
        found[name] = value
    return found


def _places(given: list[str]) -> dict[str, str]:
    """Where each secret is found. A secret itself is neither sent nor repeated."""
    places = _pairs(given)
    if not all(place.startswith(("env:", "file:")) for place in places.values()):
        raise typer.BadParameter(
            "Give the place of a credential, env:NAME or file:PATH, not the credential itself."
        )
    return places


def _say_missing(target: str, stream: str, permission: str) -> None:
    say(f"{target}: {stream} cannot be read; missing: {permission}")


def _row(project_id: str, connector: ConnectorState, stream: StreamState) -> dict[str, Any]:
    """A stream as one JSON object: its connector, how much was seen, how far it is."""
    fields = stream.model_dump()
    counts: dict[str, Any] = fields.pop("counts")
    head: dict[str, Any] = {
        "connector_id": connector.connector_id,
        "project_id": project_id,
        "service": connector.service,
        "target": connector.target,
    }
    return head | counts | fields


def _table(rows: list[dict[str, Any]]) -> None:
    names = ("seen", "published", "unchanged", "refused", "removed", "lag_s", "requests_left")
    heads = ("seen", "new", "same", "refused", "gone", "lag s", "left")
    table = Table("target", "stream", *heads, "next poll", "problem", box=None, pad_edge=False)
    for row in rows:
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
    for row in rows:
        for notice in row.get("notices", ()):
            console.print(f"{row['service']}:{row['target']} {row['stream']}: {notice}")


def _show(results: list[dict[str, Any]], *, as_json: bool) -> None:
    """What became of each stream; exit 1 when one could not be read."""
    for each in results:
        if as_json:
            print(json.dumps(each))
        else:
            say(_line(each))
            for notice in each["notices"]:
                say(f"  {notice}")
    if any(each["reason"] for each in results):
        raise typer.Exit(1)


def _line(read: dict[str, Any]) -> str:
    problem = f"{read['reason']}: {read['error']}"
    if not read["stream"]:
        return f"{read['target']}: {problem}"
    return (
        f"{read['target']} {read['stream']}: {read['seen']:,} seen,"
        f" {read['published']:,} published, {read['unchanged']:,} unchanged,"
        f" {read['removed']:,} gone"
        + (f", {read['refused']:,} refused" if read["refused"] else "")
        + (f"; {problem}" if read["reason"] else ".")
    )
