"""Connect services to a project, check, read and remove them.

Secrets are given by their places, ``env:NAME`` or ``file:PATH``: ``environ`` is where names are
looked up. ``tell`` is called with what takes long.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from connectors.connector import SourceRefused, SourceUnavailable, UnknownSource
from connectors.definitions import Definition, check_credential, connector_id
from connectors.http_client import check_base_url
from connectors.records import lines_of
from connectors.registry import service_of, stream_names
from connectors.service import WEBHOOK, Capability, Service
from connectors.sync import Engine, Outcome, Stream
from infra.platform.clock import SystemClock
from infra.platform.errors import NotFound
from infra.platform.settings import Settings
from infra.service.connecting.registry import ConnectorRegistry, load_registry
from infra.service.connecting.syncing import read_each
from infra.service.foundation.progress import Note, Tell
from infra.service.foundation.publishing import make_request, publish
from projections.read import projects, session
from schemas.events.connector import (
    ConnectorAdded,
    ConnectorRemoved,
    Counts,
    Credential,
    CursorMoved,
)
from streams.hygiene.redaction.strings import redact_text

ALL = "all"  # in the place of one connector's id or target
CHECK_FAILED = "connector_check_failed"


@dataclass(frozen=True, slots=True)
class ConnectorSpec:
    """What to read and how. ``credentials`` are places of secrets by role; no streams means all.

    ``by_global_owner``: the operator or an owner of all projects adds it, who may name any secret.
    """

    service: str
    target: str
    credentials: Mapping[str, str]
    base_url: str | None = None
    streams: Sequence[str] = ()
    options: Mapping[str, str] | None = None
    interval_s: int = 300
    budget_percent: int = 50
    by_global_owner: bool = False


@dataclass(frozen=True, slots=True)
class MissingPermission:
    """``stream`` cannot be read; ``permission`` is what the credentials lack."""

    stream: str
    permission: str


@dataclass(frozen=True, slots=True)
class AddedConnector:
    """A connector on the log; streams with a missing permission are not read."""

    connector_id: str
    target: str
    missing: tuple[MissingPermission, ...]


@dataclass(frozen=True, slots=True)
class ConnectorCheck:
    """What a service said. ``problem``: why it could not be asked at all."""

    target: str
    missing: tuple[MissingPermission, ...] = ()
    problem: str = ""

    @property
    def is_readable(self) -> bool:
        return not self.missing and not self.problem


@dataclass(frozen=True, slots=True)
class StreamResult:
    """What became of a stream, or of a whole connector where ``stream`` is empty.

    ``reason`` is None when it was read to its end. ``notices`` say what could not be read of it,
    one line a reason.
    """

    target: str
    stream: str
    counts: Counts
    reason: str | None
    error: str
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamStatus:
    """How far a stream is read; ``cursor`` is None before its first sync, ``lag_s`` the seconds
    since it was last at its end.
    """

    connector_id: str
    project_id: str
    service: str
    target: str
    stream: str
    cursor: CursorMoved | None
    lag_s: int | None


def define_connector(spec: ConnectorSpec, key: str) -> ConnectorAdded:
    """Check ``spec`` and return what `add_connector` takes. Raises UnknownSource."""
    service = service_of(spec.service)
    places = {role: check_credential(place) for role, place in spec.credentials.items()}
    _check_roles(spec.service, service, places)
    if unknown := sorted(set(spec.streams) - set(service.streams)):
        raise UnknownSource(
            f"{spec.service} has no stream {unknown[0]!r}: there are {', '.join(service.streams)}."
        )
    return ConnectorAdded(
        connector_id="",
        request_key=key,
        service=spec.service,  # type: ignore[arg-type]  # service_of knows it
        target=service.check_target(spec.target),
        base_url=check_base_url(spec.base_url or service.base_url),
        streams=list(spec.streams),
        credentials=[Credential(role=role, location=place) for role, place in places.items()],
        interval_s=spec.interval_s,
        budget_percent=spec.budget_percent,
        options=_check_options(spec.options or {}),
        by_global_owner=spec.by_global_owner,
    )


async def add_connector(
    settings: Settings,
    environ: Mapping[str, str],
    project: str,
    added: ConnectorAdded,
    *,
    actor: str,
    check: bool = True,
) -> AddedConnector:
    """Connect a service to a project; with ``check`` ask it first.

    Raises NotFound for the project, SourceRefused when the service refuses the credentials, and
    SourceUnavailable (``connector_check_failed``) when it does not answer.
    """
    project_id = _project_id(settings, project)
    named = connector_id(project_id, added.service, added.base_url, added.target)
    definition = Definition(project_id, added.model_copy(update={"connector_id": named}))
    registry = await load_registry(settings, environ)
    missing = await _ask_before(registry, definition) if check else ()
    await publish(settings, [make_request(definition.added, project_id, actor)])
    return AddedConnector(named, added.target, missing)


async def check_connectors(
    settings: Settings, environ: Mapping[str, str], connector: str, project: str | None = None
) -> list[ConnectorCheck]:
    """Ask the services of connectors for a little of each stream. Raises NotFound."""
    registry = await load_registry(settings, environ)
    chosen = _choose(settings, registry, connector, project)
    return [await check_connector(registry, each) for each in chosen]


async def check_connector(registry: ConnectorRegistry, definition: Definition) -> ConnectorCheck:
    target = definition.added.target
    try:
        return ConnectorCheck(target, await _ask(registry, definition))
    except (SourceRefused, SourceUnavailable) as error:
        return ConnectorCheck(target, problem=str(error))


async def sync_connectors(
    settings: Settings,
    environ: Mapping[str, str],
    connector: str,
    project: str | None = None,
    streams: Collection[str] = (),
    *,
    tell: Tell[Note],
) -> list[StreamResult]:
    """Read what has changed since the last time. Raises NotFound, …Unavailable."""

    async def sync(engine: Engine, stream: Stream) -> Outcome:
        return await engine.sync(stream)

    registry = await load_registry(settings, environ, tell)
    return await _read(registry, _choose(settings, registry, connector, project), streams, sync)


async def reconcile_connectors(
    settings: Settings,
    environ: Mapping[str, str],
    connector: str,
    project: str | None = None,
    streams: Collection[str] = (),
    *,
    accept_removals: bool = False,
    tell: Tell[Note],
) -> list[StreamResult]:
    """Compare all that a service has with what is stored, and remove what it no longer has.

    ``accept_removals``: also where that is more than the safety threshold. Raises NotFound,
    …Unavailable.
    """

    async def reconcile(engine: Engine, stream: Stream) -> Outcome | None:
        if not stream.is_reconcilable:
            return None
        return await engine.reconcile(stream, accept_removals=accept_removals)

    registry = await load_registry(settings, environ, tell)
    chosen = _choose(settings, registry, connector, project)
    return await _read(registry, chosen, streams, reconcile)


async def remove_connectors(
    settings: Settings,
    environ: Mapping[str, str],
    connector: str,
    project: str | None = None,
    *,
    actor: str,
    key: str,
) -> tuple[str, ...]:
    """Stop reading services and return their targets; what was read stays. Raises NotFound."""
    registry = await load_registry(settings, environ)
    removed = _choose(settings, registry, connector, project)
    facts = [
        make_request(
            ConnectorRemoved(connector_id=each.connector_id, request_key=key),
            each.project_id,
            actor,
        )
        for each in removed
    ]
    await publish(settings, facts)
    return tuple(each.added.target for each in removed)


async def list_streams(
    settings: Settings, environ: Mapping[str, str], project: str | None = None
) -> list[StreamStatus]:
    """Every stream of every connector, of ``project`` or of all. Raises NotFound."""
    registry = await load_registry(settings, environ)
    project_id = _project_id(settings, project) if project else None
    return [
        status_of(registry, definition, stream)
        for definition in registry.definitions.values()
        if project_id in (None, definition.project_id)
        for stream in stream_names(definition)
    ]


def _check_roles(name: str, service: Service, places: Mapping[str, str]) -> None:
    ways_in = (*service.roles, (WEBHOOK,))
    if not any(set(roles) <= set(places) for roles in ways_in):
        ways = " or ".join(" and ".join(roles) for roles in ways_in)
        raise UnknownSource(f"{name} needs as credentials: {ways}.")


def _check_options(options: Mapping[str, str]) -> dict[str, str]:
    """The options, which are stored in clear. Raises UnknownSource for one that holds a secret."""
    for name, value in options.items():
        if redact_text(value) != value:
            raise UnknownSource(
                f"The option {name} holds a secret, and options are stored in clear: give the"
                " secret as a credential, by its place env:NAME or file:PATH."
            )
    return dict(options)


async def _ask(
    registry: ConnectorRegistry, definition: Definition
) -> tuple[MissingPermission, ...]:
    async with registry.open_service(definition) as opened:
        return _list_missing(await opened.check())


async def _ask_before(
    registry: ConnectorRegistry, definition: Definition
) -> tuple[MissingPermission, ...]:
    try:
        return await _ask(registry, definition)
    except SourceUnavailable as error:
        reason = str(error).removesuffix(": the next poll goes on.").rstrip(".")
        target = definition.added.target
        raise SourceUnavailable(
            f"{reason}, so {target} is not connected: check the address and the network.",
            code=CHECK_FAILED,
            detail={"target": target},
        ) from error


def _list_missing(capabilities: Sequence[Capability]) -> tuple[MissingPermission, ...]:
    return tuple(
        MissingPermission(each.stream, each.missing) for each in capabilities if not each.granted
    )


async def _read(
    registry: ConnectorRegistry,
    chosen: Sequence[Definition],
    streams: Collection[str],
    read: Callable[[Engine, Stream], Awaitable[Outcome | None]],
) -> list[StreamResult]:
    known = {name for definition in chosen for name in stream_names(definition)}
    if unknown := sorted(set(streams) - known):
        raise NotFound(f"There is no stream {unknown[0]!r}.", code="unknown_stream")
    return [
        StreamResult(
            definition.added.target,
            outcome.stream,
            outcome.counts,
            outcome.reason,
            redact_text(outcome.error),
            tuple(lines_of(outcome.notices)),
        )
        for definition, outcome in await read_each(registry, chosen, streams, read)
    ]


def _project_id(settings: Settings, project: str) -> str:
    with session.reading(settings.conninfo) as connection:
        return projects.find_project(connection, project)


def _choose(
    settings: Settings, registry: ConnectorRegistry, connector: str, project: str | None
) -> list[Definition]:
    """The connectors meant by an id, a target or ``all``. Raises NotFound when there is none."""
    of_project = _project_id(settings, project) if project else None
    found = [
        each
        for each in registry.definitions.values()
        if (of_project is None or each.project_id == of_project)
        and connector in (ALL, each.connector_id, each.added.target)
    ]
    if not found:
        raise NotFound(
            f"There is no connector {connector}.",
            code="unknown_connector",
            detail={"connector": connector},
        )
    return found


def status_of(registry: ConnectorRegistry, definition: Definition, stream: str) -> StreamStatus:
    added = definition.added
    cursor = registry.places.get(added.connector_id, {}).get(stream)
    caught_up_at = cursor.caught_up_at if cursor else None
    lag_s = int((SystemClock().now() - caught_up_at).total_seconds()) if caught_up_at else None
    return StreamStatus(
        added.connector_id,
        definition.project_id,
        added.service,
        added.target,
        stream,
        cursor,
        lag_s,
    )
