"""Databases of tests, beside each other in one server.

A migrated one is a copy of a template, which is made once for each server: to apply all migrations
takes the server longer than most tests do.
"""

from __future__ import annotations

import uuid
from functools import cache
from pathlib import Path

from psycopg import sql

from infra.platform import postgres

MIGRATIONS = Path(__file__).parents[1] / "projections" / "migrations"


def new_name() -> str:
    """A name that no other test uses, for a database or as a prefix of topics."""
    return f"t{uuid.uuid4().hex[:10]}"


def database_beside(url: str, name: str) -> str:
    """The URL of another database of the same server."""
    base, _, _ = url.rpartition("/")
    return f"{base}/{name}"


def migrated_beside(url: str, name: str) -> str:
    """The URL of a new database of the same server, with all migrations applied."""
    server = database_beside(url, "postgres")
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
        sql.Identifier(name), sql.Identifier(_make_template(server))
    )
    with postgres.connect(server, autocommit=True) as connection:
        connection.execute(statement)
    return database_beside(url, name)


@cache
def _make_template(server: str) -> str:
    """Nobody is connected to it afterwards: a database in use cannot be copied."""
    name = new_name()
    url = database_beside(server, name)
    postgres.ensure_database(url)
    postgres.migrate(url, MIGRATIONS)
    return name
