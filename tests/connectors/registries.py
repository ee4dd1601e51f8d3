"""A connector registry whose services are lists of streams, or cannot be opened."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from connectors.definitions import Definition
from connectors.rate_limits import Budget
from connectors.service import Capability, OpenService
from connectors.sync import Engine, Page
from schemas.events.connector import ConnectorAdded, Credential, CursorMoved
from tests.connectors.memory_broker import PROJECT, MemoryBroker


class AStream:
    """A stream without items, or one that our own code cannot read."""

    roots = ()
    is_reconcilable = False

    def __init__(self, name: str, error: Exception | None = None) -> None:
        self.name, self._error = name, error

    async def pages(self, cursor: str) -> AsyncIterator[Page]:
        if self._error:
            raise self._error
        yield Page((), "read")


class ARegistry:
    """Connectors with the same streams. ``closed``: by target, those that cannot be opened;
    ``busy``: those that somebody else reads.
    """

    def __init__(
        self,
        *streams: AStream,
        closed: dict[str, Exception] | None = None,
        busy: dict[str, Exception] | None = None,
    ) -> None:
        self._streams, self._closed, self._busy = streams, closed or {}, busy or {}
        self.broker = MemoryBroker()
        self.places: dict[str, dict[str, CursorMoved]] = {}

    @asynccontextmanager
    async def engine(self, definition: Definition) -> AsyncIterator[Engine]:
        if error := self._busy.get(definition.added.target):
            raise error
        yield self.broker.engine(definition.connector_id, "github", Budget())

    @asynccontextmanager
    async def open_service(self, definition: Definition) -> AsyncIterator[Any]:
        if error := self._closed.get(definition.added.target):
            raise error
        yield OpenService(cast(Any, self._streams), nothing_missing)


async def nothing_missing() -> list[Capability]:
    return []


def a_definition(target: str, *streams: str) -> Definition:
    added = ConnectorAdded(
        connector_id=f"con_{target}",
        request_key="k",
        service="github",
        target=target,
        base_url="https://api.github.com",
        streams=list(streams),
        credentials=[Credential(role="token", location="env:TOKEN")],
    )
    return Definition(PROJECT, added)
