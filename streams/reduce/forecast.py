"""When the open work is done: points left over the points a sprint, to a day.

With the velocity of fewer than two sprints known the spread is a guess, and the confidence low.
"""

from __future__ import annotations

import math
from datetime import date, timedelta

from schemas.events.artifact_parts import DeliveryForecast
from schemas.events.team import Team
from streams.reduce.planning import SPRINT_DAYS
from streams.reduce.sprint import DEFAULT_VELOCITY

GUESSED_SPREAD = 0.3  # of the velocity
P85 = 1.04  # standard deviations below the mean
LEAST_SHARE = 0.1  # of the mean that the slow case keeps


def assume_velocity(team: Team) -> tuple[int, str]:
    """The points a sprint that dates are told by, and on what ground."""
    if team.velocity:
        return team.velocity, f"The velocity of {team.velocity} points a sprint is what was told."
    capacity = sum(one.capacity_points for one in team.members)
    if 0 < capacity < DEFAULT_VELOCITY:
        return capacity, (
            f"The velocity is not known: the team's capacity of {capacity} points a sprint stands"
            " for it."
        )
    return DEFAULT_VELOCITY, (
        f"The velocity is not known: {DEFAULT_VELOCITY} points a sprint are assumed."
    )


def forecast(
    remaining: int, team: Team, start: date, as_of: date, risk_atom_ids: list[str]
) -> DeliveryForecast:
    """The forecast for ``remaining`` points from the later one of the two days."""
    velocity, ground = assume_velocity(team)
    slow = max(velocity * LEAST_SHARE, velocity - P85 * GUESSED_SPREAD * velocity)
    first = max(start, as_of)
    needed = math.ceil(remaining / velocity)
    return DeliveryForecast(
        as_of=as_of.isoformat(),
        remaining_points=remaining,
        velocity_mean=float(velocity),
        sprints_needed=needed,
        p50_date=_end_after(first, needed),
        p85_date=_end_after(first, math.ceil(remaining / slow)),
        confidence="low",
        assumptions=[
            ground,
            "Fewer than two sprints are known: the spread is assumed to be 30 % of the velocity.",
            "Estimates are made by rule; nobody confirmed them.",
        ],
        risk_atom_ids=risk_atom_ids,
    )


def _end_after(first: date, sprints: int) -> str:
    return (first + timedelta(days=max(sprints * SPRINT_DAYS - 1, 0))).isoformat()
