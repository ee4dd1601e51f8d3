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

from infra.platform import postgres
from infra.platform.errors import Conflict, NotFound, Refusal
from infra.platform.findings import Finding
from infra.platform.settings import Settings
from projections.apply import apply_batch
from projections.checkpoint import Record, read_checkpoint
from projections.checksums import columns_of, table_sum
from projections.left_out import LeftOut
from projections.log_reader import Offsets, ends_of, stretch
from projections.projection import Projection
from projections.projector import prepare
from projections.tables import Table

FOLDING_AGAIN = "folding again"
Conn = Connection[tuple[Any, ...]]
Stretch = Callable[[Offsets, Offsets], AsyncGenerator[Sequence[Record], None]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A table beside what the log says it should be; a different one has been put right."""

    table: str
    equal: bool
    rows: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """How the tables were, and what of the log is in none of them."""

    tables: list[Comparison]
    findings: list[Finding]


async def rebuild(
    projection: Projection,
    settings: Settings,
    only: str | None = None,
    say: Callable[[int], None] = lambda _: None,
    *,
    accept_smaller: bool = False,
) -> Rebuilt:
    """Every table (or the one called ``only``) holds what the log says; what was found is returned.

    ``say`` is told now and then how many records were read. Raises Refusal when another rebuild
    runs, ``only`` names no table, or a damaged log would make a ledger smaller; with
    ``accept_smaller`` it does, and the tables go on behind the damage.
    """
    left_out = LeftOut()

    def read(start: Offsets, end: Offsets) -> AsyncGenerator[Sequence[Record], None]:
        return stretch(settings, start, end, left_out.add)

    ends = await ends_of(settings, projection.topics) if accept_smaller else None
    return await rebuild_from(
        projection,
        settings.conninfo,
        read,
        settings.partitions,
        only,
        say,
        left_out=left_out,
        accepted=ends,
        located=lambda each: each.of(settings),
    )


async def rebuild_from(
    projection: Projection,
    conninfo: str,
    read: Stretch,
    partitions: int,
    only: str | None = None,
    say: Callable[[int], None] = lambda _: None,
    *,
    left_out: LeftOut | None = None,
    accepted: Offsets | None = None,
    located: Callable[[Finding], Finding] = lambda each: each,
) -> Rebuilt:
    """The same over any log that ``read`` gives stretches of.

    ``located`` adds to a finding what is known of files. ``accepted``: where that log ends, when
    its tables are taken over whatever it lacks.
    """
    tables, left_out = _tables(projection, only), left_out or LeftOut()
    count = 0

    async def fold(shadow: Conn, start: Offsets, end: Offsets) -> None:
        nonlocal count
        read_checkpoint(shadow, projection.name, end)
        async with aclosing(read(start, end)) as batches:
            async for records in batches:
                apply_batch(projection, shadow, records, partitions, left_out)
                count += len(records)
                say(count)

    twins = projection.rebuild_schema
    async with shadow_tables(projection, conninfo, twins) as (live, shadow):
        reached = accepted or read_checkpoint(live, projection.name)
        await fold(shadow, {}, reached)
        with live.transaction():
            live.execute("LOCK TABLE projection_offsets IN EXCLUSIVE MODE")
            if accepted is None:
                await fold(shadow, reached, read_checkpoint(live, projection.name))
            findings = [located(each) for each in left_out.findings(shadow)]
            if accepted is None and findings:
                refuse_smaller(live, shadow, tables, findings)
            compared = [_settle(live, shadow, twins, table) for table in tables]
            if accepted is not None and only is None:
                _go_on_from(live, projection.name, accepted)
            return Rebuilt(compared, findings)


def refuse_smaller(
    live: Conn, shadow: Conn, tables: Sequence[Table], findings: Sequence[Finding]
) -> None:
    """No ledger would lose rows to a log with findings. Raises Refusal."""
    lost = []
    for table in tables:
        if not table.name.startswith("ledger_"):
            continue
        before, after = _sizes(live, table.name), _sizes(shadow, table.name)
        lost += [
            f"{after.get(project, 0)} instead of {count} rows of {table.name} for {project}"
            for project, count in sorted(before.items())
            if after.get(project, 0) < count
        ]
    if lost:
        first = findings[0]
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        raise Refusal(
            f"The log has {len(findings)} findings (the first: {first.code} at {first.where},"
            f" {first.detail}), and its ledgers would be smaller, {lost[0]}{more}, so no table was"
            " changed.",
            code="rebuild_would_shrink",
        )


def _sizes(connection: Conn, table: str) -> dict[str, int]:
    """Rows by project."""
    query = sql.SQL("SELECT project_id, count(*) FROM {} GROUP BY project_id")
    return dict(connection.execute(query.format(sql.Identifier(table))).fetchall())


def _go_on_from(live: Conn, projection: str, ends: Offsets) -> None:
    """The projector reads on from the end of the log, whatever it has or has not read before."""
    for (topic, partition), offset in ends.items():
        live.execute(
            "UPDATE projection_offsets SET next_offset = %s"
            " WHERE projection = %s AND topic = %s AND partition = %s",
            (offset, projection, topic, partition),
        )


def _tables(projection: Projection, only: str | None) -> Sequence[Table]:
    tables = projection.tables
    if only is None:
        return list(tables.values())
    if only not in tables:
        raise NotFound(
            f"There is no projection {only}: it is one of {', '.join(tables)}.",
            code="unknown_projection",
        )
    return (tables[only],)


def _settle(live: Conn, shadow: Conn, twins: str, table: Table) -> Comparison:
    """Compare; where they differ the live table takes the shadow's rows."""
    narrow = table.forgets
    equal = table_sum(live, table, narrow=narrow) == table_sum(shadow, table, narrow=narrow)
    if not equal:
        names = sql.SQL(", ").join(map(sql.Identifier, columns_of(live, table.name, stored=True)))
        name = sql.Identifier(table.name)
        if table.append_only:  # what the log says is no change; nobody else may do this
            live.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(name))
        live.execute(sql.SQL("DELETE FROM {}").format(name))
        live.execute(
            sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}.{}").format(
                name, names, names, sql.Identifier(twins), name
            )
        )
        if table.append_only:
            live.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(name))
    rows = live.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table.name)))
    counted = rows.fetchone()
    return Comparison(table.name, equal, counted[0] if counted else 0)


@asynccontextmanager
async def shadow_tables(
    projection: Projection, conninfo: str, schema: str, *, keep: bool = False
) -> AsyncIterator[tuple[Conn, Conn]]:
    """A session on the live tables and one on empty twins in ``schema``.

    The twins are gone at the end, unless they are to be kept and all went well. Raises Refusal
    while another session folds the log again for this projection.
    """
    lock = projection.lock(FOLDING_AGAIN)
    with (
        postgres.connect(conninfo, autocommit=True) as live,
        postgres.connect(conninfo, autocommit=True) as shadow,
    ):
        if not postgres.try_lock(live, lock):
            raise Conflict(
                "Another rebuild or replay runs on this database: wait for its end.",
                code="rebuild_running",
            )
        prepare(live, projection.schema)
        prepare(shadow, schema)
        _drop(shadow, schema)
        done = False
        try:
            shadow.execute(f"CREATE SCHEMA {schema}".encode())
            for name in ("projection_offsets", *projection.tables):
                like = f"LIKE {projection.schema}.{name} INCLUDING ALL"
                shadow.execute(f"CREATE TABLE {name} ({like})".encode())
            yield live, shadow
            done = True
        finally:
            if not (keep and done):
                _drop(shadow, schema)


def _drop(connection: Conn, schema: str) -> None:
    connection.execute("SET client_min_messages TO warning")
    connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())
