# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Sprints are made of."""

from __future__ import annotations

from infra.client.connection import Model


class NewSprint(Model):
    start_date: str | None = None
    end_date: str | None = None
    capacity_points: int | None = None
    goal: str


class SprintUpdate(Model):
    """``is_closed``: what is done stays in it, the rest goes to later sprints; false opens it
    again. ``expected_version`` is the one that you have seen.
    """

    start_date: str | None = None
    end_date: str | None = None
    capacity_points: int | None = None
    goal: str | None = None
    is_closed: bool | None = None
    expected_version: int
