"""Read the streams of connectors: when they are due (the poller) or when somebody asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import TYPE_CHECKING

from infra.platform.errors import Refusal, Unavailable
from infra.service.connecting.registry import ConnectorRegistry

if TYPE_CHECKING:
    from connectors.definitions import Definition
    from connectors.sync import Engine, Outcome, Stream

    Read = Callable[[Engine, Stream], Awaitable[Outcome | None]]


async def read_streams(
    registry: ConnectorRegistry, definition: Definition, names: Collection[str], read: Read
) -> list[Outcome]:
    """Read the streams of these names. Each has failed where the service cannot be opened.

    Raises Refusal when nobody may read the connector now, and …Unavailable.
    """
    from connectors.connector import SourceRefused, SourceUnavailable

    async with registry.engine(definition) as engine:
        try:
            async with registry.open_service(definition) as opened:
                wanted = [stream for stream in opened.streams if stream.name in names]
                outcomes = [await read(engine, stream) for stream in wanted]
                return [outcome for outcome in outcomes if outcome]
        except (SourceRefused, SourceUnavailable) as error:
            return [await engine.refuse(name, error) for name in names]


async def read_each(
    registry: ConnectorRegistry,
    definitions: Iterable[Definition],
    names: Collection[str],
    read: Read,
) -> list[tuple[Definition, Outcome]]:
    """Read the streams of these names of all these connectors; without names all streams.

    One that cannot be read has an outcome with the reason, without a stream where the reason is
    none's, and the others are read all the same. Raises …Unavailable.
    """
    from connectors.registry import stream_names
    from connectors.sync import Outcome, reason_of

    outcomes: list[tuple[Definition, Outcome]] = []
    for definition in definitions:
        wanted = [name for name in stream_names(definition) if not names or name in names]
        try:
            read_now = await read_streams(registry, definition, wanted, read)
        except Unavailable:
            raise
        except Refusal as error:
            read_now = [Outcome("", reason=reason_of(error), error=str(error))]
        outcomes += [(definition, outcome) for outcome in read_now]
    return outcomes
