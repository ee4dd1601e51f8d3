"""The one loop in which agents revise what a reviewer has judged: make, check, review, evaluate,
revise.

A graph makes and checks something, has it reviewed, and evaluates the review to a `Round`.
`decide_next` says from its last rounds what comes next, and nothing else does: neither a model nor
a node may go round it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NextStep = Literal["on", "revise", "blocked_max_iterations", "stagnated", "halted"]
BUFFER = 10  # steps of a graph outside its loop


@dataclass(frozen=True, slots=True)
class Round:
    """What one review has come to.

    ``is_accepted`` None: there is no verdict, since the reviewer was away or cannot be understood.
    ``problems`` are the names of what it has against the artifact; the same problem has the same
    name in each round. Empty: nobody compares.
    """

    is_accepted: bool | None
    problems: frozenset[str] = frozenset()


def decide_next(
    last: Round, previous: Round | None, iterations: int, max_iterations: int
) -> NextStep:
    """What follows the ``last`` of ``iterations`` verdicts.

    Without a verdict the loop halts, and a person decides. Two rounds with the same problems are a
    loop that does not get on, which more rounds would not change.
    """
    if last.is_accepted is None:
        return "halted"
    if last.is_accepted:
        return "on"
    if previous is not None and last.problems and last.problems == previous.problems:
        return "stagnated"
    return "blocked_max_iterations" if iterations >= max_iterations else "revise"


def limit_steps(max_iterations: int, edges_per_loop: int, buffer: int = BUFFER) -> int:
    """The steps that a graph may take: more than its own limits let it take."""
    return max_iterations * edges_per_loop + buffer
