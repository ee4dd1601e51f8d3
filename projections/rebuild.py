"""Rebuild: fold the log once more into shadow tables, compare, and let the log be right.

The live tables stay readable and the projector works on while the shadow grows. For the last
stretch the checkpoint rows are locked: the projector's next batch waits at its compare-and-set, and
goes on when the comparison is over. No pause message, no second protocol. A table that equals its
twin is left alone; one that differs gets the twin's rows in the same transaction, so readers see
the old rows or the new ones. Swapping the tables themselves was decided against: views, grants and
index names would go with them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from psycopg import Connection, sql

import infra.postgres
from infra.errors import Refusal
from infra.settings import Settings
from projections.apply import apply_batch
from projections.checkpoint import Record, read_checkpoint
from projections.checksums import columns_of, table_sum
from projections.log_reader import Offsets, stretch
from projections.projector import prepare
from projections.tables import BY_NAME, TABLES, Table

SHADOW = "cairn_rebuild"
REBUILD_LOCK = 0x6361697272  # «cairr»: one rebuild a database
Conn = Connection[tuple[Any, ...]]
Stretch = Callable[[Offsets, Offsets], AsyncGenerator[Sequence[Record], None]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A table beside what the log says it should be; a different one has been put right."""

    table: str
    equal: bool
    rows: int


async def rebuild(
    settings: Settings, only: str | None = None, say: Callable[[int], None] = lambda _: None
) -> list[Comparison]:
    """Every table (or the one called ``only``) holds what the log says; what was found is returned.

    ``say`` is told now and then how many records were read. Raises Refusal when another rebuild
    runs or ``only`` names no table.
    """

    def read(start: Offsets, end: Offsets) -> AsyncGenerator[Sequence[Record], None]:
        return stretch(settings, start, end)

    return await rebuild_from(settings.conninfo, read, only, say)


async def rebuild_from(
    conninfo: str,
    read: Stretch,
    only: str | None = None,
    say: Callable[[int], None] = lambda _: None,
) -> list[Comparison]:
    """The same over any log that ``read`` gives stretches of."""
    tables = _tables(only)
    count = 0

    async def fold(shadow: Conn, start: Offsets, end: Offsets) -> None:
        nonlocal count
        read_checkpoint(shadow, end)
        async with aclosing(read(start, end)) as batches:
            async for records in batches:
                apply_batch(shadow, records)
                count += len(records)
                say(count)

    async with shadow_tables(conninfo, SHADOW) as (live, shadow):
        reached = read_checkpoint(live)
        await fold(shadow, {}, reached)
        with live.transaction():
            live.execute("LOCK TABLE projection_offsets IN EXCLUSIVE MODE")
            await fold(shadow, reached, read_checkpoint(live))
            return [_settle(live, shadow, table) for table in tables]


def _tables(only: str | None) -> Sequence[Table]:
    if only is None:
        return TABLES
    if only not in BY_NAME:
        raise Refusal(f"There is no projection {only}: it is one of {', '.join(BY_NAME)}.")
    return (BY_NAME[only],)


def _settle(live: Conn, shadow: Conn, table: Table) -> Comparison:
    """Compare; where they differ the live table takes the shadow's rows."""
    equal = table_sum(live, table) == table_sum(shadow, table)
    if not equal:
        names = sql.SQL(", ").join(map(sql.Identifier, columns_of(live, table.name, stored=True)))
        name = sql.Identifier(table.name)
        if table.append_only:  # what the log says is no change; nobody else may do this
            live.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(name))
        live.execute(sql.SQL("DELETE FROM {}").format(name))
        live.execute(
            sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}.{}").format(
                name, names, names, sql.Identifier(SHADOW), name
            )
        )
        if table.append_only:
            live.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(name))
    rows = live.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table.name)))
    counted = rows.fetchone()
    return Comparison(table.name, equal, counted[0] if counted else 0)


@asynccontextmanager
async def shadow_tables(
    conninfo: str, schema: str, *, keep: bool = False
) -> AsyncIterator[tuple[Conn, Conn]]:
    """A session on the live tables and one on empty twins in ``schema``.

    The twins are gone at the end, unless they are to be kept and all went well. Raises Refusal
    while another session folds the log again on this database.
    """
    with (
        infra.postgres.connect(conninfo, autocommit=True) as live,
        infra.postgres.connect(conninfo, autocommit=True) as shadow,
    ):
        locked = live.execute("SELECT pg_try_advisory_lock(%s)", (REBUILD_LOCK,)).fetchone()
        if not (locked and locked[0]):
            raise Refusal("Another rebuild or replay runs on this database: wait for its end.")
        prepare(live)
        prepare(shadow, schema)
        _drop(shadow, schema)
        done = False
        try:
            shadow.execute(f"CREATE SCHEMA {schema}".encode())
            for name in ("projection_offsets", *BY_NAME):
                shadow.execute(f"CREATE TABLE {name} (LIKE cairn.{name} INCLUDING ALL)".encode())
            yield live, shadow
            done = True
        finally:
            if not (keep and done):
                _drop(shadow, schema)


def _drop(connection: Conn, schema: str) -> None:
    connection.execute("SET client_min_messages TO warning")
    connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())
