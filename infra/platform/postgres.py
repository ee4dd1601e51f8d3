"""The only place that opens database connections, and the runner of numbered migrations.

Everything is psycopg 3. A connection that cannot be made or breaks becomes `DatabaseUnavailable`;
what the database refuses (a constraint, a syntax error) stays what psycopg raises.
"""

import hashlib
import selectors
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from infra.platform.addresses import without_credentials
from infra.platform.errors import DatabaseUnavailable, MigrationRefused

CONNECT_TIMEOUT_S = 10
SCHEMA = "cairn"  # where unqualified names live, whatever the user of the connection is called
MIGRATION_LOCK = 0x63616972  # «cair»: one runner at a time per database

# PostgreSQL manual, appendix A: connection, too many connections, server going down or coming up
GONE = ("08", "53300", "57P01", "57P02", "57P03")
DISK_FULL = "53100"


@contextmanager
def database_errors() -> Iterator[None]:
    """Raises DatabaseUnavailable when the database does not answer, ended the connection or has no
    room on its disk.
    """
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        reason = without_credentials(" ".join(str(error).split()))
        if error.sqlstate == DISK_FULL:
            raise DatabaseUnavailable(
                f"The disk of the database is full ({reason}): make room there.",
                code="database_disk_full",
            ) from error
        if error.sqlstate is not None and not error.sqlstate.startswith(GONE):
            raise
        raise DatabaseUnavailable(f"The database does not answer ({reason}).") from error


@contextmanager
def connect(
    conninfo: str, *, autocommit: bool = False, schema: str = SCHEMA
) -> Iterator[Connection[tuple[Any, ...]]]:
    """A connection for the block: committed at its end, rolled back when it raises.

    Unqualified names are looked up, and made, in ``schema``: a rebuild or an audit replay runs the
    same statements in another one. Raises DatabaseUnavailable, also from inside the block.
    """
    with (
        database_errors(),
        psycopg.connect(conninfo, autocommit=autocommit, **_options(schema)) as connection,
    ):
        yield connection


def try_lock(connection: Connection[tuple[Any, ...]], number: int) -> bool:
    """Whether this session has the advisory lock now; it ends with the session."""
    row = connection.execute("SELECT pg_try_advisory_lock(%s)", (number,)).fetchone()
    return row is not None and bool(row[0])


def read_time(connection: Connection[tuple[Any, ...]]) -> datetime:
    """The time of the database: when the transaction began."""
    ((now,),) = connection.execute("SELECT now()").fetchall()
    assert isinstance(now, datetime)
    return now


def next_notice(connection: Connection[tuple[Any, ...]], timeout_s: float) -> str | None:
    """The payload of the next notice on a channel that ``connection`` listens to, if one comes in
    time. Raises DatabaseUnavailable.

    psycopg's own wait wakes ten times a second to see whether it was interrupted.
    """

    def look() -> str | None:
        found = connection.notifies(timeout=0, stop_after=1)
        return next((notice.payload for notice in found), None)

    with database_errors(), selectors.DefaultSelector() as selector:
        if (payload := look()) is None:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            if selector.select(timeout_s):
                payload = look()
    return payload


def answers(conninfo: str) -> bool:
    """Whether the database serves queries now."""
    try:
        with connect(conninfo) as connection:
            connection.execute("SELECT 1")
            return True
    except DatabaseUnavailable:
        return False


def ensure_database(conninfo: str) -> None:
    """The database that ``conninfo`` names exists; needs the right to make databases."""
    name = str(conninfo_to_dict(conninfo)["dbname"])
    with connect(make_conninfo(conninfo, dbname="postgres"), autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,))
        if known.fetchone() is None:
            with _unless_there():
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def migrate(conninfo: str, migrations: Path) -> list[str]:
    """Every numbered `.sql` file of ``migrations`` has been applied once; returns the new ones.

    Files run in the order of their names, each in one transaction together with its record in
    ``cairn.migrations``. Raises MigrationRefused when one fails, or when the text of an applied
    one was edited; DatabaseUnavailable.
    """
    applied: list[str] = []
    with connect(conninfo, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (MIGRATION_LOCK,))  # ends with us
        connection.execute("CREATE SCHEMA IF NOT EXISTS cairn")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS cairn.migrations ("
            " name text PRIMARY KEY, sha256 text NOT NULL,"
            " applied_at timestamptz NOT NULL DEFAULT now())"
        )
        rows = connection.execute("SELECT name, sha256 FROM cairn.migrations").fetchall()
        known = {str(name): str(checksum) for name, checksum in rows}
        for file in sorted(migrations.glob("[0-9]*.sql")):
            text = file.read_text()
            checksum = hashlib.sha256(text.encode()).hexdigest()
            if file.name not in known:
                _apply(connection, file.name, text, checksum)
                applied.append(file.name)
            elif known[file.name] != checksum:
                raise MigrationRefused(
                    f"Migration {file.name} was edited after it had been applied: put its old text"
                    " back and add a new file (or, where nothing matters, start with a new"
                    " CAIRN_HOME)."
                )
    return applied


def _options(schema: str) -> dict[str, Any]:
    return {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "application_name": "cairn",
        "options": f"-c search_path={schema},public -c timezone=UTC",
    }


def _apply(connection: Connection[tuple[Any, ...]], name: str, text: str, checksum: str) -> None:
    try:
        with connection.transaction():
            connection.execute(text.encode())
            connection.execute(
                "INSERT INTO cairn.migrations (name, sha256) VALUES (%s, %s)", (name, checksum)
            )
    except psycopg.Error as error:
        if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
            raise  # the connection broke: not the migration's fault
        raise MigrationRefused(
            f"Migration {name} failed and changed nothing: {' '.join(str(error).split())}"
        ) from error


@contextmanager
def _unless_there() -> Iterator[None]:
    """Two starts at once: the slower one finds the database made."""
    try:
        yield
    except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
        return
