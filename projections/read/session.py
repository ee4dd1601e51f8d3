"""A connection for questions, and rows of a query as models. No query writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from psycopg import Connection
from psycopg.rows import dict_row
from psycopg.types.json import set_json_loads
from pydantic import BaseModel, ConfigDict
from pydantic_core import from_json

from infra.platform import postgres

Conn = Connection[tuple[Any, ...]]
Row = dict[str, Any]


class ReadModel(BaseModel):
    """An answer. Immutable; a column that it does not name is a mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid")


A = TypeVar("A", bound=BaseModel)


@contextmanager
def reading(conninfo: str, schema: str = postgres.SCHEMA) -> Iterator[Conn]:
    """A connection for questions, each in a transaction of its own. Raises DatabaseUnavailable.

    ``schema`` is that of the projection that is asked.
    """
    with postgres.connect(conninfo, autocommit=True, schema=schema) as connection:
        set_json_loads(from_json, connection)  # a third of what the standard library's costs
        yield connection


def rows(connection: Conn, query: str, *parameters: Any) -> list[Row]:
    """All rows of a query, each as a dict."""
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), parameters).fetchall()


def select(connection: Conn, kind: type[A], query: str, *parameters: Any) -> list[A]:
    """All rows of a query; its columns are the fields of ``kind``."""
    return [kind.model_validate(row) for row in rows(connection, query, *parameters)]


def like_of(glob: str) -> str:
    """A LIKE pattern for a glob with ``*`` and ``?``; ``*`` also passes slashes."""
    return _escape(glob).replace("*", "%").replace("?", "_")


def like_holding(text: str) -> str:
    """A LIKE pattern for what holds ``text`` as it is written, ``*`` and ``?`` too."""
    return f"%{_escape(text)}%"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
