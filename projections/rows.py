"""Rows on their way to the tables: collected for a whole batch, written with one statement a table.

Rows travel as one JSON parameter that the database takes apart by the table's own column types
(`json_populate_recordset`). Decided against: `executemany`, which sends and plans row by row;
`unnest`, which cannot carry arrays in a column; `COPY` into a temporary table, which costs an idle
projector two more round trips a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from psycopg import Connection
from pydantic_core import to_json, to_jsonable_python

from projections.tables import OPERATIONAL, Merge, Table
from schemas.envelope import Envelope

Row = dict[str, Any]
Shape = tuple[str, tuple[str, ...]]
STRONGEST_READING = "extracted"


class Rows:
    """What a batch of records changes in ``tables``.

    ``add`` and ``then`` keep the order of the log.
    """

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._upserts: dict[Shape, dict[tuple[Any, ...], Row]] = {}
        self._updates: list[tuple[str, Sequence[Any]]] = []

    def add(self, cause: Envelope, table: str, row: Row) -> None:
        """The row is written, merged with what its key had by the table's rules.

        Columns that ``row`` does not name stay as they are: another topic's.
        """
        row["project_id"] = cause.project_id
        row[OPERATIONAL] = cause.event_id
        self.put(table, row)

    def put(self, table: str, row: Row) -> None:
        """The same for a row that no event caused; ``row`` names all its columns."""
        rules = self._tables[table]
        key = tuple(row[name] for name in rules.key)
        rows = self._upserts.setdefault((table, tuple(row)), {})
        if (before := rows.get(key)) is not None:
            for column, rule in rules.merge.items():
                if column in row:
                    row[column] = merge_values(rule, before[column], row[column])
        rows[key] = row

    def then(self, statement: str, parameters: Sequence[Any]) -> None:
        """The statement runs after all rows of the batch are written, in the order given."""
        self._updates.append((statement, parameters))

    def write(self, connection: Connection[tuple[Any, ...]]) -> None:
        """Everything collected is in the tables, in the caller's transaction."""
        with connection.pipeline():
            for (table, columns), rows in self._upserts.items():
                statement = upsert_statement(self._tables[table], columns)
                connection.execute(statement.encode(), (as_json(list(rows.values())),))
            for statement, parameters in self._updates:
                connection.execute(statement.encode(), parameters)


def merge_values(rule: Merge, before: Any, after: Any) -> Any:
    """The value of a column that came twice; the statements of `upsert_statement` do the same."""
    if before is None or after is None:
        return before if after is None else after
    match rule:
        case "first":
            return before
        case "min":
            return min(before, after)
        case "strongest":
            return before if before == STRONGEST_READING else after


@cache
def upsert_statement(table: Table, columns: tuple[str, ...]) -> str:
    """Insert rows from one JSON parameter; on a known key set the columns given, no others.

    A known key of an append-only table is left as it is.
    """
    names = ", ".join(f'"{column}"' for column in columns)
    changes = ", ".join(
        f'"{column}" = {_merge_expression(table.name, column, table.merge.get(column))}'
        for column in columns
        if column not in table.key
    )
    conflict = "NOTHING" if table.append_only else f"UPDATE SET {changes}"
    return (
        f"INSERT INTO {table.name} ({names}) SELECT {names}"
        f" FROM json_populate_recordset(NULL::{table.name}, %s)"
        f" ON CONFLICT ({', '.join(table.key)}) DO {conflict}"
    )


def _merge_expression(table: str, column: str, rule: Merge | None) -> str:
    old, new = f'{table}."{column}"', f'excluded."{column}"'
    match rule:
        case None:
            return new
        case "first":
            return f"coalesce({old}, {new})"
        case "min":
            return f"least({old}, {new})"
        case "strongest":
            strongest = f"{old} = '{STRONGEST_READING}'"
            return f"CASE WHEN {strongest} THEN {old} ELSE coalesce({new}, {old}) END"


def as_json(value: Any) -> str:
    """JSON as the database reads it. PostgreSQL has no NUL in text: it becomes U+FFFD."""
    text = to_json(value)
    if b"\\u0000" in text:
        text = to_json(_without_nul(to_jsonable_python(value)))
    return text.decode()


def _without_nul(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\0", "\ufffd")
        case dict():
            return {_without_nul(key): _without_nul(item) for key, item in value.items()}
        case list():
            return [_without_nul(item) for item in value]
        case _:
            return value
