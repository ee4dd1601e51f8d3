"""The poller: every connector is synced when it is due, one stream after another.

Definitions and cursors are followed on the log, so that what a command adds, removes or syncs is
seen. What fails is told on the log by its name and tried at its next poll; other
connectors do not wait for it.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from infra import supervisor
from infra.clock import SystemClock
from infra.errors import BrokerUnavailable, DatabaseUnavailable, Refusal, Unavailable
from infra.log import get
from infra.service.connector_registry import Desk, followed
from infra.service.syncing import read_streams
from infra.settings import Settings

if TYPE_CHECKING:
    from connectors.definitions import Definition
    from connectors.sync import Engine, Outcome, Stream
    from schemas.events.connector import CursorMoved

LOOK_EVERY_S = 15.0

log = get("poller")


async def follow(settings: Settings, environ: Mapping[str, str]) -> None:
    """Polls until SIGTERM or SIGINT; a sync under way is cut off, the next start goes on."""
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
    """Polls until broker or database is away."""
    async with followed(settings, environ) as (at, refresh):
        while True:
            await refresh()
            for definition in list(at.definitions.values()):
                await _by_itself(at, definition)
            await asyncio.sleep(LOOK_EVERY_S)


async def _by_itself(at: Desk, definition: Definition) -> None:
    """A fault in one connector is told and does not stop the others. Raises …Unavailable."""
    try:
        await poll(at, definition)
    except (BrokerUnavailable, DatabaseUnavailable):
        raise
    except Exception as error:
        # Its text may hold what a service answered, so only its kind is told.
        name = type(error).__name__
        log.error("poller.failed", connector=definition.connector_id, error=name)


async def poll(at: Desk, definition: Definition) -> None:
    """The due streams of one connector are at their end, or their failure is told."""
    from connectors.services import stream_names

    added, now = definition.added, SystemClock().now()
    places = at.places.get(added.connector_id, {})
    wanted = [name for name in stream_names(definition) if due(places.get(name), now)]
    if not wanted:
        return

    async def alone(engine: Engine, stream: Stream) -> Outcome:
        return await _alone(engine, stream, added.census_every_s)

    try:
        await read_streams(at, definition, wanted, alone)
    except Unavailable:
        raise
    except Refusal as error:  # somebody else syncs it, or there is no vault
        log.info("poller.passed_over", connector=added.connector_id, reason=str(error))


async def _alone(engine: Engine, stream: Stream, census_every_s: int) -> Outcome:
    """A fault of ours in one stream is told, asked again in time, and in no other stream's way.

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
        log.error("poller.failed", connector=engine.reading.connector_id, error=name)
        fault = SourceRefused(f"A fault of ours ({name}): tell of it.")
        return await engine.refuse(stream.name, fault)


async def read(engine: Engine, stream: Stream, census_every_s: int) -> Outcome:
    """A stream is synced, and counted where that is due."""
    outcome = await engine.sync(stream)
    place = engine.places.get(stream.name)
    counts = outcome.reason is None and stream.counted
    if counts and counting(place, SystemClock().now(), census_every_s):
        outcome = await engine.census(stream)
    log.info(
        "poller.synced",
        connector=engine.reading.connector_id,
        stream=stream.name,
        reason=outcome.reason,
        **outcome.counts.model_dump(),
    )
    return outcome


def due(place: CursorMoved | None, now: datetime) -> bool:
    return place is None or place.next_poll_at is None or place.next_poll_at <= now


def counting(place: CursorMoved | None, now: datetime, every_s: int) -> bool:
    """Whether a census is due; the first walk of a stream stands for the first one."""
    if place is None or place.census_at is None:
        return False
    return place.census_at + timedelta(seconds=every_s) <= now
