"""What a rule for secrets has found, and in which order rules come."""

from __future__ import annotations

from typing import NamedTuple

ORDER_PEM, ORDER_AWS_SEC, ORDER_PREFIXED = 0, 2, 200
ORDER_ASSIGN, ORDER_ENTROPY, ORDER_TOLD = 201, 202, 203


class Finding(NamedTuple):
    """A secret's place in the normalised text. ``order`` is the rule's place in the table."""

    start: int
    end: int
    order: int
    rule_id: str
    type: str
