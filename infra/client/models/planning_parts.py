"""What the models of the area Planning are made of."""

from __future__ import annotations

from infra.client.connection import Model


class Absence(Model):
    """Days on which a member has that share of the usual capacity."""

    first_day: str
    last_day: str
    kind: str
    capacity_factor: float
