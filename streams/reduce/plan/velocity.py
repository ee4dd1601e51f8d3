"""How fast a team was: the points done in its closed sprints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from statistics import mean, stdev

from schemas.events.artifact_parts import ArtifactSnapshot
from schemas.events.artifact_plans import SprintPlanFields
from schemas.events.artifact_reports import SprintVelocity
from streams.reduce.features.planning import SPRINT_DAYS
from streams.reduce.plan.user_edited_sprints import is_closed

MAX_HISTORY = 6  # sprints; what was before says little of the team as it is
FEW = 2
MANY = 4  # sprints from which on the mean is sure, if they do not differ much
STEADY = 0.25  # of the mean; the spread below which sprints do not differ much
ERRATIC = 0.5  # of the mean; above that the mean says little, whatever the number of sprints


def measure_history(sprints: Iterable[ArtifactSnapshot], as_of: str) -> list[SprintVelocity]:
    """The last sprints that were closed and began by that day, the oldest first.

    A closed sprint holds what was done in it and nothing else. One that is not closed is left out:
    its done tasks stand where the plan puts them.
    """
    plans = [
        (sprint, sprint.sprint_plan)
        for sprint in sprints
        if sprint.sprint_plan and is_closed(sprint)
    ]
    sprint_velocities = [
        SprintVelocity(
            sprint_id=one.artifact_id,
            sprint_number=plan.sprint_number,
            points=round(plan.planned_points * SPRINT_DAYS / _days_of(plan), 1),
        )
        for one, plan in plans
        if plan and plan.start_date and plan.start_date <= as_of
    ]
    return sorted(sprint_velocities, key=lambda one: one.sprint_number)[-MAX_HISTORY:]


def _days_of(plan: SprintPlanFields) -> int:
    first, last = date.fromisoformat(plan.start_date), date.fromisoformat(plan.end_date)
    return max((last - first).days + 1, 1)


def spread_of(points: Sequence[float]) -> float | None:
    """The standard deviation; None of fewer than two."""
    return stdev(points) if len(points) >= FEW else None


def trend_of(points: Sequence[float]) -> float | None:
    """By how many points the velocity grows from sprint to sprint; None of fewer than three.

    The slope of the straight line nearest to them.
    """
    if len(points) <= FEW:
        return None
    middle, centre = (len(points) - 1) / 2, mean(points)
    across = sum((place - middle) * (one - centre) for place, one in enumerate(points))
    return across / sum((place - middle) ** 2 for place in range(len(points)))


def rate_confidence(points: Sequence[float]) -> tuple[str, str]:
    """How sure a forecast from these is, and why, in a sentence."""
    spread = spread_of(points)
    if spread is None:
        known = "one sprint is" if points else "no sprint is"
        return "low", f"Confidence is low: {known} closed, and two are needed for a spread."
    centre = mean(points)
    share = spread / centre if centre else 1.0
    why = f"{len(points)} closed sprints, which differ by {share:.0%} of their mean."
    if share > ERRATIC:
        return "low", f"Confidence is low: {why}"
    level = "high" if len(points) >= MANY and share <= STEADY else "medium"
    return level, f"Confidence is {level}: {why}"


def tell_mean(history: Sequence[SprintVelocity]) -> str:
    """The velocity of the closed sprints, for a note."""
    if not history:
        return "No sprint is closed yet: no velocity was measured."
    points = [sprint_velocity.points for sprint_velocity in history]
    spread = spread_of(points)
    known = "1 closed sprint" if len(points) == 1 else f"the last {len(points)} closed sprints"
    more = f", by which they differ: {spread:.1f}" if spread is not None else ""
    return f"Mean of {known}: {mean(points):.1f} points{more}."


def tell_open(sprints: Iterable[ArtifactSnapshot], as_of: str) -> str:
    """That sprints are over and nobody has closed them, for a note."""
    names = [
        sprint.title
        for sprint in sprints
        if sprint.sprint_plan and sprint.sprint_plan.end_date < as_of and not is_closed(sprint)
    ]
    if not names:
        return ""
    return (
        f"{', '.join(names)}: over and not closed. Close a sprint, and what was done in it counts."
    )
