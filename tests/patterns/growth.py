"""How the processor time of a call grows while its input doubles."""

from __future__ import annotations

import time
from collections.abc import Callable

SHORTEST = 0.002  # seconds that a measured size takes at least; below it the clock says little
TIMES = 3  # of which the quickest counts: what disturbs the machine only adds


def ratios(call: Callable[[int], object], sizes: tuple[int, ...]) -> list[float]:
    """How many times as long each size takes as the one before; repeated until it can be timed."""
    rounds = _rounds(call, sizes[0])
    taken = [min(_taken(call, size, rounds) for _ in range(TIMES)) for size in sizes]
    return [later / earlier for earlier, later in zip(taken, taken[1:], strict=False)]


def _rounds(call: Callable[[int], object], size: int) -> int:
    rounds = 1
    while _taken(call, size, rounds) < SHORTEST:
        rounds *= 2
    return rounds


def _taken(call: Callable[[int], object], size: int, rounds: int) -> float:
    begun = time.process_time()
    for _ in range(rounds):
        call(size)
    return time.process_time() - begun
