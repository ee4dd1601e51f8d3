"""Sums over tables by which two installations, or a table and its rebuilt twin, are compared.

A sum is the SHA-256 of the rows as COPY writes them, in key order, streamed: memory does not grow
with the table. Computing it in SQL was decided against, since an aggregate holds all rows at once.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterable
from typing import Any

from psycopg import Connection, sql

from infra.platform import log_positions
from infra.platform.errors import Unavailable
from infra.platform.settings import Settings
from projections.checkpoint import read_checkpoint
from projections.projection import Projection
from projections.tables import OPERATIONAL, Table

CATCH_UP_S = 120.0
POLL_S = 0.05


def checksums(
    projection: Projection, connection: Connection[tuple[Any, ...]], project_id: str
) -> dict[str, str]:
    """``{table: hash}`` of a project's rows without operational columns, tables in fixed order."""
    return {
        table.name: table_sum(
            connection, table, leave_out=table.left_out, project_id=project_id, narrow=True
        )
        for table in projection.tables.values()
        if table.compared
    }


def table_sum(
    connection: Connection[tuple[Any, ...]],
    table: Table,
    *,
    leave_out: Iterable[str] = (OPERATIONAL,),
    project_id: str | None = None,
    narrow: bool = False,
) -> str:
    """The hash of a table's rows, or of one project's; ``narrow`` keeps to the table's condition.

    The connection's search path says which schema's table it is.
    """
    names = columns_of(connection, table.name)
    kept = [name for name in names if name not in set(leave_out)]
    query = sql.SQL("COPY (SELECT {} FROM {} WHERE {} AND {} ORDER BY {}) TO STDOUT").format(
        sql.SQL(", ").join(sql.Identifier(name) for name in kept),
        sql.Identifier(table.name),
        sql.SQL("true")
        if project_id is None
        else sql.SQL("project_id = {}").format(sql.Literal(project_id)),
        sql.SQL(table.condition if narrow else "true"),
        sql.SQL(", ").join(
            sql.SQL('{}::text COLLATE "C"').format(sql.Identifier(name)) for name in table.key
        ),
    )
    digest = hashlib.sha256()
    with connection.cursor() as cursor, cursor.copy(query) as copy:
        for block in copy:
            digest.update(block)
    return digest.hexdigest()


def columns_of(
    connection: Connection[tuple[Any, ...]], table: str, *, stored: bool = False
) -> list[str]:
    """The table's columns in order, without search vectors; ``stored``: without generated ones."""
    cursor = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND NOT attisdropped AND atttypid <> 'tsvector'::regtype"
        " AND (attgenerated = '' OR NOT %s) ORDER BY attnum",
        (table, stored),
    )
    return [name for (name,) in cursor]


async def caught_up(
    projection: Projection,
    settings: Settings,
    connection: Connection[tuple[Any, ...]],
    timeout_s: float = CATCH_UP_S,
) -> None:
    """The tables hold everything that the log held when this was called. Raises Unavailable."""
    ends = await log_positions.end_offsets(
        settings, [settings.topic(name) for name in projection.topics]
    )
    cut = len(settings.topic(""))
    wanted = {(topic[cut:], part): offset for (topic, part), offset in ends.items() if offset}
    deadline = time.monotonic() + timeout_s
    while behind := _behind(projection, connection, wanted):
        if time.monotonic() > deadline:
            raise Unavailable(
                f"The tables are {behind} records behind the log after {timeout_s:.0f} s.",
                code="tables_behind",
            )
        await asyncio.sleep(POLL_S)


def _behind(
    projection: Projection,
    connection: Connection[tuple[Any, ...]],
    wanted: dict[tuple[str, int], int],
) -> int:
    there = read_checkpoint(connection, projection.name)
    return sum(max(0, offset - there.get(place, 0)) for place, offset in wanted.items())
