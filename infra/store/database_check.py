"""What a database of others lacks for Cairn; read in a transaction that cannot write."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Literal

import psycopg
from psycopg import Connection

from infra.platform import postgres
from infra.platform.errors import DatabaseUnavailable
from infra.platform.postgres import SCHEMA

LEAST_VERSION, TRIED_VERSIONS = 15, (15, 18)
CONNECTIONS = 60  # that one service may open, with commands beside it

Told = tuple[str, Literal["ok", "warning", "missing"], str]


def check_database(conninfo: str, most_seconds_apart: float) -> list[Told]:
    """What was looked at, how it stands, and what to do."""
    try:
        with postgres.connect(conninfo) as connection:
            connection.execute("SET TRANSACTION READ ONLY")
            return [
                *_check_server(connection),
                _check_way(connection),
                _check_clock(connection, most_seconds_apart),
                *_check_rights(connection),
            ]
    except DatabaseUnavailable as error:
        sentence = f"{error} See CAIRN_DATABASE_URL, with its sslmode and sslrootcert."
        return [("database", "missing", sentence)]
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        return [("database", "missing", f"It refused ({reason}): see CAIRN_DATABASE_URL.")]


def _one(connection: Connection[tuple[Any, ...]], query: str) -> tuple[Any, ...]:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row


def _check_server(connection: Connection[tuple[Any, ...]]) -> Iterator[Told]:
    major = connection.info.server_version // 10_000
    if major < LEAST_VERSION:
        yield (
            "database version",
            "missing",
            f"It is PostgreSQL {major}: use {LEAST_VERSION} or newer.",
        )
    elif major not in TRIED_VERSIONS:
        yield "database version", "warning", f"PostgreSQL {major} was never tried: 15 and 18 were."
    else:
        yield "database version", "ok", f"It is PostgreSQL {major}."
    (encoding,) = _one(connection, "SHOW server_encoding")
    if encoding == "UTF8":
        yield "database encoding", "ok", "It is UTF8."
    else:
        sentence = f"It is {encoding}: make a database with ENCODING 'UTF8' TEMPLATE template0."
        yield "database encoding", "missing", sentence
    (most,) = _one(connection, "SELECT setting::int FROM pg_settings WHERE name='max_connections'")
    if most < CONNECTIONS:
        sentence = f"max_connections is {most}: set {CONNECTIONS} or more."
        yield "database connections", "warning", sentence


def _check_way(connection: Connection[tuple[Any, ...]]) -> Told:
    (encrypted,) = _one(connection, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    mode = connection.info.get_parameters().get("sslmode", "prefer")
    if encrypted and mode == "verify-full":
        return (
            "database TLS",
            "ok",
            "The way is encrypted, and the server's certificate is checked.",
        )
    if encrypted:
        sentence = f"The server's certificate is not checked (sslmode={mode})"
    else:
        sentence = "The way to the database is in clear"
    ask = "add ?sslmode=verify-full&sslrootcert=FILE to CAIRN_DATABASE_URL"
    return "database TLS", "warning", f"{sentence}: between machines {ask}."


def _check_clock(connection: Connection[tuple[Any, ...]], most: float) -> Told:
    before = time.time()
    (told,) = _one(connection, "SELECT extract(epoch FROM clock_timestamp())::float8")
    apart = told - (before + time.time()) / 2
    if abs(apart) > most:
        sentence = f"It is {apart:+.1f} s from the clock here: synchronise both (NTP)."
        return "database clock", "missing", sentence
    return "database clock", "ok", f"It is {apart:+.1f} s from the clock here."


def _check_rights(connection: Connection[tuple[Any, ...]]) -> Iterator[Told]:
    (known,) = _one(connection, f"SELECT to_regnamespace('{SCHEMA}') IS NOT NULL")
    asked = (
        f"has_schema_privilege('{SCHEMA}', 'CREATE')"
        if known
        else "has_database_privilege(current_database(), 'CREATE')"
    )
    (allowed,) = _one(connection, f"SELECT {asked}")
    name, user = connection.info.dbname, connection.info.user
    if not allowed:
        what = f"SCHEMA {SCHEMA}" if known else f'DATABASE "{name}"'
        yield "database rights", "missing", f'Run GRANT CREATE ON {what} TO "{user}" as its owner.'
        return
    (others,) = _one(
        connection,
        "SELECT count(*) FROM pg_tables WHERE schemaname = "
        f"'{SCHEMA}' AND NOT pg_has_role(tableowner, 'MEMBER')",
    )
    if others:
        sentence = f'{others} tables belong to others: run REASSIGN OWNED BY … TO "{user}".'
        yield "database rights", "missing", sentence
    else:
        yield "database rights", "ok", f"The account may make the tables in {name}."
