"""A database of a real PostgreSQL, with the read model in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from projections.apply import apply_batch
from projections.checkpoint import Record, read_checkpoint
from projections.checksums import table_sum
from projections.core import CORE
from projections.projector import prepare
from projections.tables import TABLES
from tests.databases import migrated_beside, new_name
from tests.projections.log import PARTITIONS


@dataclass
class ReadModel:
    """A database that records are folded into, by the same function as in the projector."""

    conninfo: str
    connection: psycopg.Connection[tuple[Any, ...]]

    def fold(self, records: Sequence[Record], batch: int = 1_000) -> ReadModel:
        read_checkpoint(
            self.connection,
            CORE.name,
            sorted({(record.topic, record.partition) for record in records}),
        )
        for start in range(0, len(records), batch):
            apply_batch(CORE, self.connection, records[start : start + batch], PARTITIONS)
        return self

    def emptied(self) -> ReadModel:
        """Every table is empty again, append-only ones too."""
        with self.connection.pipeline(), self.connection.transaction():
            for name in ("projection_offsets", *CORE.tables):
                append_only = name in CORE.tables and CORE.tables[name].append_only
                switched = f"ALTER TABLE {name} {{}} TRIGGER USER"
                if append_only:
                    self.connection.execute(switched.format("DISABLE").encode())
                self.connection.execute(f"DELETE FROM {name}".encode())
                if append_only:
                    self.connection.execute(switched.format("ENABLE").encode())
        return self

    def sums(self) -> dict[str, str]:
        """The hash of every table, of all columns but the one that names the last writer."""
        return {table.name: table_sum(self.connection, table) for table in TABLES}

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(query.encode(), parameters).fetchall()

    def value(self, query: str, *parameters: Any) -> Any:
        ((value,),) = self.rows(query, *parameters)
        return value


@pytest.fixture(scope="session")
def database(database_server: str) -> str:
    """A migrated database that the tests of a session use one after the other."""
    return migrated_beside(database_server, new_name())


@pytest.fixture
def model(database: str) -> Iterator[ReadModel]:
    """An empty read model."""
    with psycopg.connect(database, autocommit=True) as connection:
        prepare(connection, CORE.schema)
        yield ReadModel(database, connection).emptied()


@pytest.fixture
def other_model(database_server: str) -> Iterator[ReadModel]:
    """Another one, in a database of its own."""
    conninfo = migrated_beside(database_server, new_name())
    with psycopg.connect(conninfo, autocommit=True) as connection:
        prepare(connection, CORE.schema)
        yield ReadModel(conninfo, connection)
