"""The services there are, by name: what each needs to be connected, and how it is opened."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from connectors.connector import UnknownSource
from connectors.definitions import Definition
from connectors.feeder import Publish
from connectors.sync import Stream
from connectors.transport import Budget, Secret
from schemas.events.connector import ConnectorAdded

FindTitles = Callable[[str, Collection[str]], Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Capability:
    """Whether a stream can be read; ``missing`` names the permission it lacks."""

    stream: str
    granted: bool
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A service ready to be read. ``check`` asks for the least of each stream."""

    streams: Sequence[Stream]
    check: Callable[[], Awaitable[list[Capability]]]


WEBHOOK = "webhook"  # the role of the secret that signs deliveries


async def _nothing_to_ask() -> list[Capability]:
    return []


# A service that tells by webhook and is not asked: nothing to poll, nothing to check.
TOLD_ONLY = Opened((), _nothing_to_ask)


@dataclass(frozen=True, slots=True)
class Restricted:
    """What chat needs before anything else sees a message: pseudonyms, its authors' keys, and the
    log of testimony (spec 07 §4).
    """

    mark: Callable[[str, str], str]  # project id, text -> keyed hash
    # project id, text, whose, testimony id -> key id, bytes
    seal: Callable[[str, bytes, str, str], tuple[str, bytes]]
    publish: Publish


@dataclass(frozen=True, slots=True)
class Opening:
    """What a service is opened with; ``titles`` finds what is held by root and paths."""

    definition: Definition
    secrets: Mapping[str, Secret]
    budget: Budget
    titles: FindTitles
    restricted: Restricted | None = None


class Service(Protocol):
    """One kind of service. ``roles`` are the sets of credentials of which one must be given.

    The secret of a webhook may stand beside them or alone: then the service is not asked.
    """

    @property
    def base_url(self) -> str: ...

    @property
    def streams(self) -> tuple[str, ...]: ...

    @property
    def roles(self) -> tuple[tuple[str, ...], ...]: ...

    def checked_target(self, target: str) -> str:
        """``target`` as it is kept. Raises UnknownSource."""
        ...

    def names(self, definition: Definition) -> tuple[str, ...]:
        """The streams of a definition, without asking the service."""
        ...

    def opened(self, opening: Opening) -> AbstractAsyncContextManager[Opened]:
        """The service as long as the block lasts. Raises what its transport does."""
        ...


@dataclass(slots=True)
class Budgets:
    """One budget an account: connectors with the same credential share what they may ask."""

    _known: dict[tuple[str, ...], Budget] = field(default_factory=dict)

    def of(self, added: ConnectorAdded) -> Budget:
        places = sorted(f"{each.role} {each.place}" for each in added.credentials)
        key = (added.base_url, *places)
        return self._known.setdefault(key, Budget(percent=added.budget_percent))


def services() -> dict[str, Service]:
    """Imported here and not above: each service needs what stands there."""
    from connectors.bitbucket.service import BITBUCKET
    from connectors.github.service import GITHUB
    from connectors.jira.service import JIRA
    from connectors.slack.service import SLACK

    return {"github": GITHUB, "jira": JIRA, "slack": SLACK, "bitbucket": BITBUCKET}


def service_of(name: str) -> Service:
    """Raises UnknownSource for a service that cannot be connected."""
    known = services()
    if name not in known:
        raise UnknownSource(f"There is no service {name!r}: connect one of {', '.join(known)}.")
    return known[name]


def stream_names(definition: Definition) -> tuple[str, ...]:
    """What is polled of a connector; nothing of one that is only told by webhook."""
    if set(definition.credentials) <= {WEBHOOK}:
        return ()
    return service_of(definition.added.service).names(definition)
