"""Two runs side by side: how far they are the same, what they cost, and which tools they called.

Names of the run itself are not compared: two runs never share them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

OWN_NAMES = frozenset(
    ("conversation_id", "turn_id", "confirmation_id", "effect_id", "input_hash")
    + ("forked_from", "forked_at", "call_id", "request_hash", "asked_by", "thread", "notes")
)
TIMES = frozenset(("started_at", "finished_at", "now", "latency_ms"))


@dataclass(frozen=True, slots=True)
class Step:
    """An event of a run; JSON texts of its content are read."""

    ordinal: int
    event_type: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first event that is not the same; a run that has ended there has None."""

    ordinal: int
    a: Step | None
    b: Step | None
    fields: tuple[str, ...] = ()


def find_divergence(a: Sequence[Step], b: Sequence[Step]) -> Divergence | None:
    """None where both runs are the same up to their ends."""
    for ordinal in range(max(len(a), len(b))):
        left = a[ordinal] if ordinal < len(a) else None
        right = b[ordinal] if ordinal < len(b) else None
        if left is None or right is None or left.event_type != right.event_type:
            return Divergence(ordinal, left, right)
        if fields := find_differing(left.data, right.data, but=OWN_NAMES | TIMES):
            return Divergence(ordinal, left, right, tuple(fields))
    return None


def find_differing(a: Any, b: Any, but: frozenset[str] = frozenset(), at: str = "") -> list[str]:
    """The places where two values differ, as dotted paths, at most one below each list."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        names = [name for name in dict.fromkeys((*a, *b)) if name not in but]
        paths = []
        for name in names:
            place = f"{at}.{name}" if at else str(name)
            if (name in a) != (name in b):
                paths.append(place)
            else:
                paths += find_differing(a.get(name), b.get(name), but, place)
        return paths
    if isinstance(a, list | tuple) and isinstance(b, list | tuple) and len(a) == len(b):
        pairs = zip(a, b, strict=True)
        lists = (find_differing(*pair, but, f"{at}.{n}") for n, pair in enumerate(pairs))
        return next(filter(None, lists), [])
    return [] if a == b else [at]
