# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Planning are made of."""

from __future__ import annotations

from infra.client.connection import Model


class Absence(Model):
    """Days on which a member has that share of the usual capacity."""

    first_day: str
    last_day: str
    kind: str
    capacity_factor: float


class RebalanceMove(Model):
    """A task that another member should do. ``score_delta`` is how much lower the imbalance is
    after it, in view of the moves before.
    """

    task_id: str
    from_member_id: str
    to_member_id: str
    points: int
    reason: str
    score_delta: float
