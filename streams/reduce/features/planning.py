"""Dates of features: in order of priority and dependency, as fast as the team's velocity allows.

Days are counted from the first settled position of the project, so that a plan moves when the work
does and not because time has passed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

SPRINT_DAYS = 14
MAX_PARALLEL = 3
MAX_DEPENDENCIES = 3


@dataclass(frozen=True, slots=True)
class Work:
    """One feature to be planned: what it costs, how urgent it is, what must come before."""

    key: str
    points: int
    score: float
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    start: date
    end: date


def order(work: Sequence[Work]) -> list[Work]:
    """By priority, each after what it needs; a need that would close a circle is left out."""
    known = {one.key: one for one in work}
    done: dict[str, Work] = {}
    for one in sorted(work, key=lambda one: (-one.score, one.key)):
        _place(one, known, done, [])
    return list(done.values())


def _place(work: Work, known: Mapping[str, Work], done: dict[str, Work], way: list[str]) -> None:
    if work.key in done:
        return
    way.append(work.key)
    for need in work.needs:
        if need in known and need not in way:
            _place(known[need], known, done, way)
    way.pop()
    kept = tuple(need for need in work.needs if need in done)[:MAX_DEPENDENCIES]
    done[work.key] = Work(work.key, work.points, work.score, kept)


def schedule(work: Sequence[Work], start: date, velocity: int) -> dict[str, Planned]:
    """Start and end of each, for ``order`` work; at most three run at a time.

    Each of the three lanes has its share of the velocity.
    """
    lanes = [0] * MAX_PARALLEL
    ends: dict[str, int] = {}
    found: dict[str, Planned] = {}
    for one in work:
        lane = min(range(MAX_PARALLEL), key=lambda at: (lanes[at], at))
        first = max([lanes[lane], *(ends[need] for need in one.needs)])
        days = max(1, math.ceil(one.points * MAX_PARALLEL * SPRINT_DAYS / velocity))
        lanes[lane] = ends[one.key] = first + days
        found[one.key] = Planned(
            start + timedelta(days=first), start + timedelta(days=first + days - 1)
        )
    return found
