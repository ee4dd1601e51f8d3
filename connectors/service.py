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
from connectors.rate_limits import Budget
from connectors.sync import Stream
from connectors.transport import Secret

FindTitles = Callable[[str, Collection[str]], Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Capability:
    """Whether a stream can be read; ``missing`` names the permission it lacks."""

    stream: str
    granted: bool
    missing: str = ""


@dataclass(frozen=True, slots=True)
class OpenService:
    """A service that is ready to be read. ``check`` sends the smallest request of each stream."""

    streams: Sequence[Stream]
    check: Callable[[], Awaitable[list[Capability]]]


WEBHOOK = "webhook"  # the role of the secret that signs deliveries


async def _no_capabilities() -> list[Capability]:
    return []


# A service that only sends webhooks: nothing to poll, nothing to check.
WEBHOOK_ONLY = OpenService((), _no_capabilities)


@dataclass(frozen=True, slots=True)
class Restricted:
    """What chat needs before anything else sees a message: pseudonyms, the authors' keys, and the
    log of testimony.
    """

    mark: Callable[[str, str], str]  # project id, text -> keyed hash
    # project id, text, whose, testimony id -> key id, bytes
    seal: Callable[[str, bytes, str, str], tuple[str, bytes]]
    publish: Publish


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """What a service is opened with; ``titles`` finds stored titles by root and paths."""

    definition: Definition
    secrets: Mapping[str, Secret]
    budget: Budget
    titles: FindTitles
    restricted: Restricted | None = None


class Service(Protocol):
    """One kind of service. ``roles`` are the sets of credentials of which one must be given.

    The secret of a webhook may be given besides them or alone. If it is alone, the service is not
    polled.
    """

    @property
    def base_url(self) -> str: ...

    @property
    def streams(self) -> tuple[str, ...]: ...

    @property
    def roles(self) -> tuple[tuple[str, ...], ...]: ...

    def check_target(self, target: str) -> str:
        """Returns ``target`` as it is stored. Raises UnknownSource."""
        ...

    def names(self, definition: Definition) -> tuple[str, ...]:
        """The streams of a definition, without a request to the service."""
        ...

    def open(self, context: ServiceContext) -> AbstractAsyncContextManager[OpenService]:
        """The service for the length of the block. Raises what its transport raises."""
        ...
