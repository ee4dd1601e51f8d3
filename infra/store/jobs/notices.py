"""Waiting for the database to say that there is something to do; a look now and then is enough."""

from __future__ import annotations

from typing import Any

from psycopg import Connection

from infra.platform import postgres


def wait_for_notice(connection: Connection[tuple[Any, ...]], timeout_s: float) -> str | None:
    """The payload of the first notice on a channel that ``connection`` listens to, if any comes.

    Raises DatabaseUnavailable.
    """
    with postgres.database_errors():
        for notice in connection.notifies(timeout=timeout_s, stop_after=1):
            return notice.payload
    return None
