"""Connectors as a client of the API may set them up: it names secrets, and never places.

Whoever adds a connector chooses where its secret is sent. So a client cannot name any variable or
file of the machine, but only those that its operator has set aside for connectors: variables
called ``CONNECTOR_…`` and files of ``CAIRN_HOME/secrets``. Which project may
use which of these, and to which hosts each may go, `connectors/bound_secrets.py` decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from connectors.bound_secrets import FOLDER, SecretNotAllowed, Secrets
from connectors.definitions import Definition
from connectors.registry import stream_names
from infra.platform.addresses import check_repository_address
from infra.platform.errors import Forbidden, Invalid, NotFound
from infra.platform.machine_paths import hide_paths_of
from infra.platform.settings import Settings
from infra.service.connecting.connectors import (
    ConnectorCheck,
    ConnectorSpec,
    add_connector,
    check_connectors,
    define_connector,
    remove_connectors,
    status_of,
)
from infra.service.connecting.registry import ConnectorRegistry, load_registry

VARIABLE = re.compile(r"env:CONNECTOR_[A-Z0-9_]{1,100}")
FILE = re.compile(r"file:[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class StreamState:
    """How far a stream is read. ``problem`` is why the last try failed, ``lag_s`` the seconds
    since it was last at its end; without ``position`` it was never read.
    """

    stream: str
    position: int | None
    counts: Mapping[str, int]
    newest_at: datetime | None
    caught_up_at: datetime | None
    next_poll_at: datetime | None
    lag_s: int | None
    requests_left: int | None
    problem: str | None
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConnectorState:
    """A connected service. ``credentials`` are names of secrets by role, ``webhook`` is the path
    for its deliveries when it has a secret for them.
    """

    connector_id: str
    service: str
    target: str
    base_url: str
    credentials: Mapping[str, str]
    options: Mapping[str, str]
    interval_s: int
    budget_percent: int
    webhook: str | None
    streams: tuple[StreamState, ...]


@dataclass(frozen=True, slots=True)
class ConnectorAddition:
    """A connector on the log; ``missing`` names the permission that a stream lacks."""

    connector: ConnectorState
    missing: Mapping[str, str]


async def list_connectors(
    settings: Settings, environ: Mapping[str, str], project_id: str
) -> list[ConnectorState]:
    """The connectors of a project, in the order in which they were added."""
    registry = await load_registry(settings, environ)
    found = registry.definitions.values()
    return [_state(registry, each) for each in found if each.project_id == project_id]


async def read_connector(
    settings: Settings, environ: Mapping[str, str], project_id: str, connector_id: str
) -> ConnectorState:
    """Raises NotFound when the project has no such connector."""
    found = await list_connectors(settings, environ, project_id)
    return _find(found, connector_id)


async def connect_service(
    settings: Settings,
    environ: Mapping[str, str],
    project_id: str,
    spec: ConnectorSpec,
    *,
    actor: str,
    key: str,
    check: bool,
    by_global_owner: bool,
    any_place: bool = False,
) -> ConnectorAddition:
    """Connect a service. ``by_global_owner``: any secret and address, where none are bound.
    ``any_place``: the secrets may be any variable or file of the machine.

    Raises Invalid, Forbidden, and as `add_connector`.
    """
    clone_url = (spec.options or {}).get("clone_url")
    if clone_url and not any_place:
        check_repository_address(clone_url)
    places = _locate(settings, spec, any_place=any_place)
    located = replace(spec, credentials=places, by_global_owner=by_global_owner)
    defined = define_connector(located, key)
    try:
        Secrets(environ, settings.home).check(Definition(project_id, defined))
    except SecretNotAllowed as error:
        raise Forbidden(str(error), code=error.code, detail=error.detail) from error
    added = await add_connector(settings, environ, project_id, defined, actor=actor, check=check)
    state = await read_connector(settings, environ, project_id, added.connector_id)
    return ConnectorAddition(state, {each.stream: each.permission for each in added.missing})


async def check_connector_access(
    settings: Settings, environ: Mapping[str, str], project_id: str, connector_id: str
) -> ConnectorCheck:
    """What the service says about each stream. Raises NotFound."""
    await read_connector(settings, environ, project_id, connector_id)
    (found,) = await check_connectors(settings, environ, connector_id, project_id)
    return replace(found, problem=hide_paths_of(settings, found.problem))


async def disconnect_service(
    settings: Settings,
    environ: Mapping[str, str],
    project_id: str,
    connector_id: str,
    *,
    actor: str,
    key: str,
) -> None:
    """Stop reading a service; what was read stays. Raises NotFound."""
    await read_connector(settings, environ, project_id, connector_id)
    await remove_connectors(settings, environ, connector_id, project_id, actor=actor, key=key)


def _locate(settings: Settings, spec: ConnectorSpec, *, any_place: bool) -> dict[str, str]:
    """The place of each secret. Raises Invalid for a name that no client may give."""
    places = {}
    for role, name in spec.credentials.items():
        if FILE.fullmatch(name):
            places[role] = f"file:{settings.home / FOLDER / name.partition(':')[2]}"
        elif any_place or VARIABLE.fullmatch(name):
            places[role] = name
        else:
            raise Invalid(
                "A credential is named as env:CONNECTOR_… or file:NAME, the name of a file in the"
                f" folder {FOLDER} of CAIRN_HOME; the secret itself is never sent.",
                code="credential_name_invalid",
            )
    return places


def _name(place: str) -> str:
    """A place without folders, which are no client's affair."""
    kind, _, name = place.partition(":")
    return f"file:{PurePosixPath(Path(name).as_posix()).name}" if kind == "file" else place


def _find(found: list[ConnectorState], connector_id: str) -> ConnectorState:
    for each in found:
        if each.connector_id == connector_id:
            return each
    raise NotFound(f"There is no connector {connector_id}.", code="unknown_connector")


def _state(registry: ConnectorRegistry, definition: Definition) -> ConnectorState:
    added = definition.added
    has_webhook = "webhook" in definition.credentials
    return ConnectorState(
        connector_id=added.connector_id,
        service=added.service,
        target=added.target,
        base_url=added.base_url,
        credentials={role: _name(place) for role, place in definition.credentials.items()},
        options=added.options,
        interval_s=added.interval_s,
        budget_percent=added.budget_percent,
        webhook=f"/v1/webhooks/{added.service}/{definition.project_id}" if has_webhook else None,
        streams=tuple(_stream(registry, definition, name) for name in stream_names(definition)),
    )


def _stream(registry: ConnectorRegistry, definition: Definition, name: str) -> StreamState:
    status = status_of(registry, definition, name)
    cursor = status.cursor
    problem = cursor.problem if cursor else None
    return StreamState(
        stream=name,
        position=cursor.position if cursor else None,
        counts=cursor.counts.model_dump() if cursor else {},
        newest_at=cursor.newest_at if cursor else None,
        caught_up_at=cursor.caught_up_at if cursor else None,
        next_poll_at=cursor.next_poll_at if cursor else None,
        lag_s=status.lag_s,
        requests_left=cursor.requests_left if cursor else None,
        problem=hide_paths_of(registry.settings, problem) if problem else None,
        notices=tuple(cursor.notices) if cursor else (),
    )
