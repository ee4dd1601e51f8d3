"""Projections stand side by side in one database, and none touches another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import psycopg
import pytest

from infra.platform import postgres
from infra.platform.errors import Refusal
from infra.platform.settings import Settings
from projections import projector
from projections.apply import apply_batch
from projections.checkpoint import Record, read_checkpoint
from projections.checksums import caught_up
from projections.core import CORE
from projections.projection import Projection
from projections.projector import prepare
from projections.rebuild import rebuild_from
from projections.rows import Rows
from projections.tables import Table
from schemas.envelope import Envelope
from schemas.events.hygiene import ChunkCreated
from tests.projections.conftest import ReadModel
from tests.projections.log import PARTITIONS, a_whole_story
from tests.projections.test_folding import projected
from tests.projections.test_projector import publish, running
from tests.projections.test_rebuild import LogInMemory


def chunk_seen(rows: Rows, fact: Envelope, event: Any) -> None:
    rows.add(fact, "chunks_seen", {"chunk_id": event.chunk_id, "path": event.path})


SHARED = ("event_places", "dead_letters")
SECOND = Projection(
    name="second",
    schema="second",
    topics=("chunk.v1",),
    folds={ChunkCreated.type_name: chunk_seen},
    tables={name: CORE.tables[name] for name in SHARED}
    | {"chunks_seen": Table("chunks_seen", ("chunk_id",))},
)


def create_schema(conninfo: str) -> None:
    with postgres.connect(conninfo, schema=SECOND.schema) as connection:
        connection.execute("DROP SCHEMA IF EXISTS second CASCADE")
        connection.execute("CREATE SCHEMA second")
        for name in ("projection_offsets", *SHARED):
            connection.execute(f"CREATE TABLE {name} (LIKE cairn.{name} INCLUDING ALL)".encode())
        connection.execute(
            "CREATE TABLE chunks_seen (chunk_id text PRIMARY KEY, path text NOT NULL,"
            " project_id text NOT NULL, updated_from_event_id uuid)"
        )


@pytest.fixture
def second(model: ReadModel) -> Iterator[psycopg.Connection[Any]]:
    """The second projection in the database of ``model``."""
    create_schema(model.conninfo)
    with psycopg.connect(model.conninfo, autocommit=True) as connection:
        prepare(connection, SECOND.schema)
        yield connection


def of_second(records: list[Record]) -> list[Record]:
    return [record for record in records if record.topic in SECOND.topics]


def fold(connection: psycopg.Connection[Any], records: list[Record]) -> None:
    places = {(record.topic, record.partition) for record in records}
    read_checkpoint(connection, SECOND.name, sorted(places))
    apply_batch(SECOND, connection, records, PARTITIONS)


def seen(connection: psycopg.Connection[Any]) -> int:
    ((count,),) = connection.execute("SELECT count(*) FROM chunks_seen").fetchall()
    return int(count)


def test_each_folds_its_own_topics_behind_its_own_checkpoint(
    model: ReadModel, second: psycopg.Connection[Any]
):
    records = projected(a_whole_story())
    fold(second, of_second(records))
    assert model.value("SELECT count(*) FROM chunks") == 0
    model.fold(records)
    assert seen(second) == model.value("SELECT count(*) FROM chunks") > 0
    reached = read_checkpoint(second, SECOND.name)
    assert {topic for topic, _ in reached} == {"chunk.v1"}
    core = read_checkpoint(model.connection, CORE.name)
    assert reached.items() < core.items()


@pytest.mark.parametrize("rebuilt", [CORE, SECOND])
def test_a_rebuild_of_one_does_not_touch_the_other(
    model: ReadModel, second: psycopg.Connection[Any], rebuilt: Projection
):
    records = projected(a_whole_story())
    model.fold(records)
    fold(second, of_second(records))
    model.connection.execute("DELETE FROM chunks")
    second.execute("DELETE FROM chunks_seen")
    log = LogInMemory(records if rebuilt is CORE else of_second(records))
    found = asyncio.run(rebuild_from(rebuilt, model.conninfo, log.stretch, PARTITIONS))
    mended = {each.table for each in found.tables if not each.equal}
    chunks = model.value("SELECT count(*) FROM chunks")
    if rebuilt is CORE:
        assert (mended, chunks > 0, seen(second)) == ({"chunks"}, True, 0)
    else:
        assert (mended, chunks, seen(second) > 0) == ({"chunks_seen"}, 0, True)


def test_one_may_be_rebuilt_while_another_is(model: ReadModel, second: psycopg.Connection[Any]):
    records = projected(a_whole_story())
    model.fold(records)
    fold(second, of_second(records))

    class Meanwhile(LogInMemory):
        def meanwhile(self) -> None:
            with psycopg.connect(model.conninfo, autocommit=True) as other:
                for projection in (CORE, SECOND):
                    lock = projection.lock("folding again")
                    free.append(other.execute("SELECT pg_try_advisory_lock(%s)", (lock,)))

    free: list[Any] = []
    log = Meanwhile(of_second(records))
    asyncio.run(rebuild_from(SECOND, model.conninfo, log.stretch, PARTITIONS))
    assert [cursor.fetchone() for cursor in free[:2]] == [(True,), (False,)]


@pytest.mark.broker
def test_two_projectors_run_at_once_and_none_twice(fresh: Settings):
    create_schema(fresh.conninfo)
    story = a_whole_story()

    async def follow() -> tuple[int, int]:
        async with AsyncExitStack() as stack:
            for projection in (CORE, SECOND):
                await stack.enter_async_context(running(fresh, projection))
            await publish(fresh, story)
            counts = []
            for projection, table in ((CORE, "chunks"), (SECOND, "chunks_seen")):
                with postgres.connect(
                    fresh.conninfo, autocommit=True, schema=projection.schema
                ) as connection:
                    await caught_up(projection, fresh, connection, timeout_s=60)
                    count = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
                    counts.append(count[0] if count else 0)
            with pytest.raises(Refusal, match="Another projector runs on this database for second"):
                await projector.run(
                    SECOND, fresh, lambda: None, asyncio.Event(), lock_patience_s=0.0
                )
            return counts[0], counts[1]

    chunks, seen_chunks = asyncio.run(follow())
    assert chunks == seen_chunks > 0
