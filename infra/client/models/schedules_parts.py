# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Schedules are made of."""

from __future__ import annotations

from infra.client.connection import Model


class QuietHours(Model):
    """From ``start`` to ``end`` (``22:00``, ``07:00``) only urgent work runs; an end that is not
    later than the start is the next day's.
    """

    start: str
    end: str


class Recurrence(Model):
    """When work is due, as the clocks of the project show it.

    ``at`` is the time of day (``09:00``), ``weekday`` 0 for Monday, ``day`` the day of the month,
    ``point`` the day of a sprint. ``first_day`` (``2026-01-31``) is the day of work that is done
    once, and the first possible one of all other. ``cron``: five fields (``0 9 * * mon,thu``), as
    the clocks of ``timezone`` show them, or those of the project; ``at`` is empty then.
    """

    kind: str
    at: str = ""
    weekday: int | None = None
    day: int | None = None
    point: str | None = None
    first_day: str = ""
    cron: str = ""
    timezone: str = ""
