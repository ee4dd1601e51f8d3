"""Which statements of a document are marked: those that are fewer, drafts or confirmed ones.

A mark on nearly every line tells a reader nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class MarkedStatement(Protocol):
    """A statement; ``provisional`` where all that it cites are drafts."""

    @property
    def provisional(self) -> bool: ...


def is_mostly_provisional(statements: Iterable[MarkedStatement]) -> bool:
    """Whether more than half rest on drafts alone, so that the others are marked."""
    flags = [statement.provisional for statement in statements]
    return 2 * sum(flags) > len(flags)
