"""When the open work is done: points left over the points a sprint, to a day.

The points a sprint are the mean of the last closed sprints; before there is one, what was told or
assumed. With fewer than two closed the spread is a guess, and the confidence low.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta
from statistics import mean
from typing import Literal, cast

from schemas.events.artifact_reports import DeliveryForecast, SprintVelocity
from schemas.events.team import Team
from streams.reduce.features.planning import SPRINT_DAYS
from streams.reduce.plan.sprint import DEFAULT_VELOCITY
from streams.reduce.plan.velocity import rate_confidence, spread_of, trend_of

GUESSED_SPREAD = 0.3  # of the velocity
P85 = 1.04  # standard deviations below the mean
LEAST_SHARE = 0.1  # of the mean that the slow case keeps
MOST_SPRINTS = 520  # 20 years; a date beyond that says nothing
NOT_CONFIRMED = "Estimates are made by rule; nobody confirmed them."


def assume_velocity(team: Team) -> tuple[int, str]:
    """The points a sprint that dates are told by, and on what ground."""
    if team.velocity:
        return team.velocity, f"The velocity of {team.velocity} points a sprint is what was told."
    capacity = sum(member.capacity_points for member in team.members)
    if 0 < capacity < DEFAULT_VELOCITY:
        return capacity, (
            f"The velocity is not known: the team's capacity of {capacity} points a sprint stands"
            " for it."
        )
    return DEFAULT_VELOCITY, (
        f"The velocity is not known: {DEFAULT_VELOCITY} points a sprint are assumed."
    )


def choose_velocity(team: Team, without_team: int | None) -> int | None:
    """The points a sprint; ``without_team`` where there are no members and no velocity was told."""
    return assume_velocity(team)[0] if team.members or team.velocity else without_team


def forecast(
    remaining: int,
    team: Team,
    start: date,
    as_of: date,
    risk_atom_ids: list[str],
    history: Sequence[SprintVelocity] = (),
) -> DeliveryForecast:
    """The forecast for ``remaining`` points from the later one of the two days."""
    points = [sprint_velocity.points for sprint_velocity in history]
    velocity, ground = _find_velocity(points, team)
    spread = spread_of(points) if any(points) else None
    slow = max(
        velocity * LEAST_SHARE,
        velocity - P85 * (GUESSED_SPREAD * velocity if spread is None else spread),
    )
    first = max(start, as_of)
    needed, at_worst = _count_sprints(remaining, velocity), _count_sprints(remaining, slow)
    confidence, why = rate_confidence(points)
    trend = trend_of(points)
    return DeliveryForecast(
        as_of=as_of.isoformat(),
        remaining_points=remaining,
        velocity_mean=round(velocity, 2),
        velocity_stddev=None if spread is None else round(spread, 2),
        sprints_needed=needed,
        p50_date=_end_after(first, needed),
        p85_date=_end_after(first, at_worst),
        confidence=cast("Literal['low', 'medium', 'high']", confidence),
        confidence_reason=why,
        history=list(history),
        velocity_trend=None if trend is None else round(trend, 2),
        assumptions=_tell_assumptions(ground, spread, trend, at_worst),
        risk_atom_ids=risk_atom_ids,
    )


def _find_velocity(points: Sequence[float], team: Team) -> tuple[float, str]:
    """The mean of what was done; where nothing ever was, what dates are told by otherwise."""
    told, ground = assume_velocity(team)
    if not any(points):
        none_done = " Nothing was done in the closed sprints." if points else ""
        return float(told), ground + none_done
    centre = mean(points)
    known = "the closed sprint" if len(points) == 1 else f"the last {len(points)} closed sprints"
    text = f"The velocity of {centre:.1f} points a sprint is the mean of {known}."
    if team.velocity and team.velocity != centre:
        text += f" What was told, {team.velocity}, is not used any more."
    return centre, text


def _tell_assumptions(
    ground: str, spread: float | None, trend: float | None, at_worst: int
) -> list[str]:
    said = [ground]
    if spread is None:
        said.append(
            "Fewer than two closed sprints have points: the spread is assumed to be 30 % of the"
            " velocity."
        )
    else:
        said.append(
            f"The sprints spread by {spread:.1f} points: the later date is told by a velocity that"
            " 85 of 100 sprints reach."
        )
    if trend is not None and abs(trend) >= 0.5:
        way = "grows" if trend > 0 else "falls"
        said.append(
            f"The velocity {way} by {abs(trend):.1f} points a sprint; the dates take"
            " it to stay at its mean."
        )
    if at_worst >= MOST_SPRINTS:
        said.append(f"No date beyond {MOST_SPRINTS} sprints is told.")
    return [*said, NOT_CONFIRMED]


def _count_sprints(remaining: int, velocity: float) -> int:
    return min(math.ceil(remaining / velocity), MOST_SPRINTS)


def _end_after(first: date, sprints: int) -> str:
    try:
        return (first + timedelta(days=max(sprints * SPRINT_DAYS - 1, 0))).isoformat()
    except OverflowError:  # a plan that starts in the year 9999
        return date.max.isoformat()
