"""Which chunks go into one call: several short ones, so that the fixed instructions are paid once.

Order is kept and chunks of different contexts (run, state of the project) never meet, so the same
waiting chunks give the same calls.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
MOST_TOGETHER = 8
SHORT_TOKENS = 450  # of a chunk that shares its call
MOST_TOKENS = 2_400  # of all chunks of a call that has several


@dataclass(frozen=True, slots=True)
class Waiting(Generic[T]):
    """A chunk that waits to be asked about. ``context``: what all chunks of a call share."""

    item: T
    context: Hashable
    tokens: int


def take_pack(waiting: Sequence[Waiting[T]], most: int = MOST_TOGETHER) -> list[int]:
    """The places of the chunks that go into the next call: the first one, and what fits to it, at
    most ``most``.
    """
    if not waiting:
        return []
    first = waiting[0]
    taken, tokens = [0], first.tokens
    if first.tokens > SHORT_TOKENS:
        return taken
    for at, other in enumerate(waiting[1:], start=1):
        if len(taken) >= most:
            break
        fits = other.tokens <= SHORT_TOKENS and tokens + other.tokens <= MOST_TOKENS
        if fits and other.context == first.context:
            taken.append(at)
            tokens += other.tokens
    return taken


def share(total: int, weights: Sequence[int]) -> list[int]:
    """``total`` in whole parts by ``weights``; the parts add up to it."""
    whole = sum(weights) or len(weights)
    reached, given, parts = 0, 0, []
    for weight in weights:
        reached += weight if sum(weights) else 1
        part = total * reached // whole - given
        given += part
        parts.append(part)
    return parts
