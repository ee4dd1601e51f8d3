"""The poller syncs every connector when it is due, one stream after another.

It follows definitions and cursors on the log, and so sees what anybody adds, removes or syncs. A
failure is recorded there by its name and tried again at the next poll; other connectors do not wait
for it.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from infra.platform.clock import SystemClock
from infra.platform.errors import BrokerUnavailable, DatabaseUnavailable, Refusal, Unavailable
from infra.platform.log import get
from infra.platform.settings import Settings
from infra.runtime import supervisor
from infra.service.connecting.registry import ConnectorRegistry, follow_registry
from infra.service.connecting.syncing import read_streams

if TYPE_CHECKING:
    from connectors.definitions import Definition
    from connectors.sync import Engine, Outcome, Stream
    from schemas.events.connector import CursorMoved

LOOK_EVERY_S = 15.0

log = get("poller")


async def run_poller(settings: Settings, environ: Mapping[str, str]) -> None:
    """Poll until SIGTERM or SIGINT. A sync under way is cut off; the next start continues it."""
    task = asyncio.current_task()
    assert task
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, task.cancel)
    supervisor.tell_ready(settings, environ)
    try:
        while True:
            try:
                await _watch(settings, environ)
            except (BrokerUnavailable, DatabaseUnavailable) as error:
                log.warning("poller.waits", reason=str(error))
                await asyncio.sleep(LOOK_EVERY_S)
    except asyncio.CancelledError:
        log.info("poller.stopped")


async def _watch(settings: Settings, environ: Mapping[str, str]) -> None:
    """Poll until broker or database is away."""
    async with follow_registry(settings, environ) as (registry, refresh):
        while True:
            await refresh()
            for definition in list(registry.definitions.values()):
                await _poll_alone(registry, definition)
            await asyncio.sleep(LOOK_EVERY_S)


async def _poll_alone(registry: ConnectorRegistry, definition: Definition) -> None:
    """Poll one connector; log a fault, so that it does not stop the others. Raises …Unavailable."""
    try:
        await poll(registry, definition)
    except (BrokerUnavailable, DatabaseUnavailable):
        raise
    except Exception as error:
        # Its text may hold what a service answered, so only its kind is told.
        name = type(error).__name__
        log.error("poller.failed", connector=definition.connector_id, error=name)


async def poll(registry: ConnectorRegistry, definition: Definition) -> None:
    """Read the due streams of one connector to their end, or record their failure."""
    from connectors.registry import stream_names

    added, now = definition.added, SystemClock().now()
    places = registry.places.get(added.connector_id, {})
    wanted = [name for name in stream_names(definition) if is_due(places.get(name), now)]
    if not wanted:
        return

    async def alone(engine: Engine, stream: Stream) -> Outcome:
        return await _read_alone(engine, stream, added.census_every_s)

    try:
        await read_streams(registry, definition, wanted, alone)
    except Unavailable:
        raise
    except Refusal as error:  # somebody else syncs it, or there is no vault
        log.info("poller.passed_over", connector=added.connector_id, reason=str(error))


async def _read_alone(engine: Engine, stream: Stream, census_every_s: int) -> Outcome:
    """Read a stream; record a fault of ours as its failure, so that others are read all the same.

    Raises …Unavailable.
    """
    from connectors.connector import SourceRefused

    try:
        return await read(engine, stream, census_every_s)
    except Refusal:  # outages among them
        raise
    except Exception as error:
        # Its text may hold what a service answered, so only its kind is told.
        name = type(error).__name__
        log.error("poller.failed", connector=engine.target.connector_id, error=name)
        fault = SourceRefused(f"A fault of ours ({name}): tell of it.")
        return await engine.refuse(stream.name, fault)


async def read(engine: Engine, stream: Stream, census_every_s: int) -> Outcome:
    """Sync a stream, and reconcile it where that is due."""
    outcome = await engine.sync(stream)
    place = engine.cursors.get(stream.name)
    comparable = outcome.reason is None and stream.is_reconcilable
    if comparable and is_reconciliation_due(place, SystemClock().now(), census_every_s):
        outcome = await engine.reconcile(stream)
    log.info(
        "poller.synced",
        connector=engine.target.connector_id,
        stream=stream.name,
        reason=outcome.reason,
        **outcome.counts.model_dump(),
    )
    return outcome


def is_due(place: CursorMoved | None, now: datetime) -> bool:
    return place is None or place.next_poll_at is None or place.next_poll_at <= now


def is_reconciliation_due(place: CursorMoved | None, now: datetime, every_s: int) -> bool:
    """Whether everything is to be compared; the first sync of a stream counts as one."""
    if place is None or place.census_at is None:
        return False
    return place.census_at + timedelta(seconds=every_s) <= now
