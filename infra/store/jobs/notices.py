"""Waiting for the database to say that there is something to do; a look now and then is enough."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from psycopg import Connection

from infra.platform import postgres

STOPS_WITHIN_S = 1.0


def wait_for_notice(
    connection: Connection[tuple[Any, ...]],
    timeout_s: float,
    is_over: Callable[[], bool] = lambda: False,
) -> str | None:
    """The payload of the first notice on a channel that ``connection`` listens to, if any comes
    before it ``is_over``. Raises DatabaseUnavailable.
    """
    until_s = time.monotonic() + timeout_s
    while (left_s := until_s - time.monotonic()) > 0 and not is_over():
        if (payload := postgres.next_notice(connection, min(left_s, STOPS_WITHIN_S))) is not None:
            return payload
    return None
