"""Databases for the queue, and what can be asked of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.rows import dict_row

from infra.platform import postgres
from infra.platform.settings import Settings
from infra.store.jobs.outbox import Conn
from tests.databases import migrated_beside, new_name


@dataclass
class Database:
    """A migrated database with a connection for the test."""

    settings: Settings
    connection: Conn

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        with self.connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query.encode(), values).fetchall()

    def job(self, job_id: str) -> dict[str, Any]:
        (row,) = self.rows("SELECT * FROM orchestration_jobs WHERE job_id = %s", job_id)
        return row

    def facts(self, job_id: str) -> list[str]:
        """The types of a job's transitions, in order."""
        found = self.rows(
            "SELECT event_type FROM outbox WHERE payload -> 'job' ->> 'job_id' = %s"
            " ORDER BY position",
            job_id,
        )
        return [row["event_type"].removeprefix("job.") for row in found]

    def make_due(self, job_id: str) -> None:
        """The pause of a job is over."""
        self.rows(
            "UPDATE orchestration_jobs SET run_after = now() WHERE job_id = %s RETURNING 1", job_id
        )

    def let_lease_run_out(self, job_id: str) -> None:
        self.rows(
            "UPDATE orchestration_jobs SET lease_expires_at = now() - interval '1 second'"
            " WHERE job_id = %s RETURNING 1",
            job_id,
        )


@pytest.fixture(scope="session")
def shared(installation: Settings) -> Settings:
    """A database without topics that the tests of a session use one after the other."""
    conninfo = migrated_beside(installation.conninfo, new_name())
    return installation.model_copy(update={"database_url": conninfo})


@pytest.fixture
def database(shared: Settings, home: Path) -> Iterator[Database]:
    settings = shared.model_copy(update={"home": home})
    with postgres.connect(settings.conninfo, autocommit=True) as connection:
        connection.execute("TRUNCATE orchestration_jobs, outbox, projects RESTART IDENTITY")
        yield Database(settings, connection)


@pytest.fixture
def whole(fresh: Settings) -> Iterator[Database]:
    """The same with all topics."""
    with postgres.connect(fresh.conninfo, autocommit=True) as connection:
        yield Database(fresh, connection)


def connected(settings: Settings) -> psycopg.Connection[tuple[Any, ...]]:
    """Another session."""
    return psycopg.connect(settings.conninfo, autocommit=True, options="-c search_path=cairn")
