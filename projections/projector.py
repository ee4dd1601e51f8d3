"""The projector's loop: poll, apply, go on. One runs for a projection, in no consumer group.

All partitions are its own, and where to go on stands in the database beside the rows, so a group
would only add a second, weaker checkpoint. Commits are not waited for on disk: a database that
crashes loses the last rows together with their checkpoint, and they are read again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import OffsetOutOfRangeError
from psycopg import Connection, sql

from infra.platform import kafka, postgres
from infra.platform.errors import BrokerUnavailable, Conflict, DatabaseUnavailable
from infra.platform.findings import Finding, LogDamaged, find_missing_end, find_missing_start, holes
from infra.platform.log import get
from infra.platform.pacing import pace_fetches
from infra.platform.settings import Settings
from projections.apply import apply_batch
from projections.checkpoint import Record, StaleProjector, read_checkpoint
from projections.log_reader import (
    FETCH,
    MAX_RECORDS,
    POLL_MS,
    Offsets,
    ends_of,
    place_in,
    records_of,
    start_at,
    stretch,
)
from projections.projection import Projection
from schemas.topics import BY_NAME

PROJECTING = "projecting"
LOCK_PATIENCE_S = 30.0
FIRST_PAUSE_S, PATIENCE_S = 0.2, 30.0

log = get("projector")


async def run(
    projection: Projection,
    settings: Settings,
    tell_ready: Callable[[], None],
    stop: asyncio.Event,
    *,
    lock_patience_s: float = LOCK_PATIENCE_S,
    offsets: dict[tuple[str, int], int] | None = None,
) -> None:
    """The tables follow the log until ``stop`` is set; ``tell_ready`` is called when they do.

    ``offsets`` shows meanwhile how far they are, by full topic name and partition. Raises
    BrokerUnavailable, DatabaseUnavailable when one stays away, Refusal when another projector runs,
    LogDamaged when what comes next is missing or cannot be read.
    """
    away_s, pause_s = 0.0, FIRST_PAUSE_S
    reached = {} if offsets is None else offsets

    def tell_following() -> None:
        nonlocal away_s, pause_s
        away_s, pause_s = 0.0, FIRST_PAUSE_S
        tell_ready()

    while not stop.is_set():
        try:
            await _follow(projection, settings, tell_following, stop, lock_patience_s, reached)
        except StaleProjector as error:
            log.warning("projector.stale", reason=str(error))
        except (BrokerUnavailable, DatabaseUnavailable) as error:
            if away_s >= PATIENCE_S:
                raise
            log.warning("projector.outage", reason=str(error), again_in_s=pause_s)
            await _pause(stop, pause_s)
            away_s, pause_s = away_s + pause_s, min(5.0, 2 * pause_s)


async def _follow(
    projection: Projection,
    settings: Settings,
    tell_ready: Callable[[], None],
    stop: asyncio.Event,
    lock_patience_s: float,
    offsets: dict[tuple[str, int], int],
) -> None:
    places = await places_of(projection, settings)
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        await _be_the_only_one(projection, connection, stop, lock_patience_s)
        prepare(connection, projection.schema)
        checkpoint = read_checkpoint(connection, projection.name, places)
        async with kafka.running_consumer(settings, **FETCH, auto_offset_reset="none") as consumer:
            pace_fetches(consumer)
            with kafka.broker_errors("looking for topics"):
                await kafka.learn_places(consumer, {settings.topic(name) for name, _ in places})
            await _check_ends(settings, consumer, {place: checkpoint[place] for place in places})
            start_at(consumer, settings, {place: checkpoint[place] for place in places})
            offsets |= {
                (settings.topic(name), part): checkpoint[name, part] for name, part in places
            }
            tell_ready()
            log.info("projector.ready", projection=projection.name, partitions=len(places))

            async def apply(records: Sequence[Record]) -> None:
                await asyncio.to_thread(
                    apply_batch, projection, connection, records, settings.partitions
                )
                offsets.update(
                    ((settings.topic(each.topic), each.partition), each.offset + 1)
                    for each in records
                )

            await _poll(
                projection, settings, consumer, apply, stop, {p: checkpoint[p] for p in places}
            )


async def _poll(
    projection: Projection,
    settings: Settings,
    consumer: AIOKafkaConsumer,
    apply: Callable[[Sequence[Record]], Awaitable[None]],
    stop: asyncio.Event,
    next_: dict[tuple[str, int], int],
) -> None:
    """``next_``: the offset that comes next in each partition; nothing is passed over."""
    while not stop.is_set():
        try:
            polled = await consumer.getmany(timeout_ms=POLL_MS, max_records=MAX_RECORDS)
        except kafka.UNREADABLE:
            raise LogDamaged(await _first_damage(projection, settings, next_)) from None
        except OffsetOutOfRangeError:  # the broker came back with less than it had
            await _check_ends(settings, consumer, next_)
            raise
        records = records_of(settings, polled)
        for place, messages in polled.items():
            short = (place.topic[len(settings.topic("")) :], place.partition)
            for finding in holes(*short, next_[short], (each.offset for each in messages)):
                raise LogDamaged(finding.of(settings))
            next_[short] = messages[-1].offset + 1
        if records:
            await apply(records)


async def _check_ends(settings: Settings, consumer: AIOKafkaConsumer, offsets: Offsets) -> None:
    """The log holds what comes after ``offsets``. Raises LogDamaged."""
    if await _find_ends_missing(settings, consumer, offsets):  # a second look must say the same
        for finding in await _find_ends_missing(settings, consumer, offsets):
            raise LogDamaged(finding.of(settings))


async def _find_ends_missing(
    settings: Settings, consumer: AIOKafkaConsumer, offsets: Offsets
) -> list[Finding]:
    at = {place_in(settings, short): short for short in offsets}
    with kafka.broker_errors("reading ends of topics"):
        first = await consumer.beginning_offsets(list(at))
        last = await consumer.end_offsets(list(at))
    return [
        finding
        for place, short in at.items()
        for finding in (
            *find_missing_end(*short, offsets[short], last[place]),
            *find_missing_start(*short, offsets[short], first[place]),
        )
    ]


async def _first_damage(projection: Projection, settings: Settings, next_: Offsets) -> Finding:
    """What cannot be read of what comes next, and where."""
    findings: list[Finding] = []
    ends = await ends_of(settings, projection.topics)
    async for _ in stretch(settings, next_, ends, findings.append):
        pass
    unread = [each for each in findings if each.code == "corrupt"]
    return (unread or findings)[0].of(settings)


async def places_of(projection: Projection, settings: Settings) -> list[tuple[str, int]]:
    """Every partition of every topic that the projection reads, by short topic name."""
    await kafka.check_topics(settings, [BY_NAME[name] for name in projection.topics])
    return [(name, part) for name in projection.topics for part in range(settings.partitions)]


def prepare(connection: Connection[tuple[Any, ...]], schema: str) -> None:
    """The session works on the tables of ``schema`` and does not wait for the disk."""
    connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(schema)))
    connection.execute("SET synchronous_commit TO off")
    connection.execute("SET timezone TO 'UTC'")


async def _be_the_only_one(
    projection: Projection,
    connection: Connection[tuple[Any, ...]],
    stop: asyncio.Event,
    patience_s: float,
) -> None:
    """This session holds the projection's lock; it ends with the session, also after a kill."""
    lock = projection.lock(PROJECTING)
    waited_s = 0.0
    while not stop.is_set():
        if postgres.try_lock(connection, lock):
            return
        if waited_s >= patience_s:
            raise Conflict(
                f"Another projector runs on this database for {projection.name}: stop it first.",
                code="projector_running",
            )
        await _pause(stop, 0.2)
        waited_s += 0.2


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return
