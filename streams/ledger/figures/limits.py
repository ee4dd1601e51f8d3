"""What makes a figure a limit: «at least 5», «not longer than 5 s», «5 or more»."""

from __future__ import annotations

import re
from typing import NamedTuple

from streams.ledger.figures.measure_tables import (
    COMPARATIVES,
    LIMITS,
    LIMITS_BEHIND,
    LIMITS_OF_TIMES,
    Limit,
    join_patterns,
)
from streams.lexicons import Wording

_LIMITING = join_patterns([*LIMITS, *LIMITS_OF_TIMES, *COMPARATIVES])
_LIMIT = re.compile(rf"(?<![\w<>])(?P<limit>{_LIMITING})\s*(?:of\s+|an?\s+)?$", re.I)
_LIMIT_BEHIND = re.compile(rf"\s?(?P<limit>{join_patterns(LIMITS_BEHIND)})(?!\w)", re.I)
_DENIED = Wording("ledger", "limit_denied")


class Limited(NamedTuple):
    """The kind of limit, and where the figure together with its words begins and ends."""

    limit: Limit
    left: int
    right: int


def find_limit(text: str, start: int, end: int, *, is_time: bool) -> Limited:
    """What the words right before or behind the figure at that place make of it."""
    ahead = max(0, start - 40)
    before = text[ahead:start]
    if match := _LIMIT.search(before):
        words = " ".join(match["limit"].lower().split())
        left = match.start()
        if words in COMPARATIVES:
            denied = _DENIED.search(before[:left])
            left = denied.start() if denied else left
            return Limited(COMPARATIVES[words][bool(denied)], ahead + left, end)
        if is_time or words in LIMITS:
            return Limited(LIMITS.get(words) or LIMITS_OF_TIMES[words], ahead + left, end)
    elif match := _LIMIT_BEHIND.match(text, end):
        return Limited(LIMITS_BEHIND[" ".join(match["limit"].lower().split())], start, match.end())
    return Limited("", start, end)
