# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Connectors are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model


class StreamState(Model):
    """How far a stream is read. ``problem`` is why the last try failed, ``lag_s`` the seconds
    since it was last at its end; without ``position`` it was never read.
    """

    stream: str
    position: int | None
    counts: dict[str, int]
    newest_at: datetime | None
    caught_up_at: datetime | None
    next_poll_at: datetime | None
    lag_s: int | None
    requests_left: int | None
    problem: str | None
    notices: list[str]


class MissingPermission(Model):
    """``stream`` cannot be read; ``permission`` is what the credentials lack."""

    stream: str
    permission: str
