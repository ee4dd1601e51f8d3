"""What every service (GitHub, Jira, Slack, Bitbucket) provides, and what it is opened with.

This module imports no implementation. ``registry`` stands above the implementations and lists them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from connectors.definitions import Definition
from connectors.feeder import Publish
from connectors.sync import Stream
from connectors.transport import Budget, Secret

FindTitles = Callable[[str, Collection[str]], Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Capability:
    """Whether a stream can be read; ``missing`` names the permission it lacks."""

    stream: str
    granted: bool
    missing: str = ""


@dataclass(frozen=True, slots=True)
class OpenService:
    """A service ready to be read. ``check`` asks for the least of each stream."""

    streams: Sequence[Stream]
    check: Callable[[], Awaitable[list[Capability]]]


WEBHOOK = "webhook"  # the role of the secret that signs deliveries


async def _nothing_to_ask() -> list[Capability]:
    return []


# A service that tells by webhook and is not asked: nothing to poll, nothing to check.
WEBHOOK_ONLY = OpenService((), _nothing_to_ask)


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
class ServiceContext:
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

    def check_target(self, target: str) -> str:
        """``target`` as it is kept. Raises UnknownSource."""
        ...

    def names(self, definition: Definition) -> tuple[str, ...]:
        """The streams of a definition, without asking the service."""
        ...

    def open(self, context: ServiceContext) -> AbstractAsyncContextManager[OpenService]:
        """The service as long as the block lasts. Raises what its transport does."""
        ...
