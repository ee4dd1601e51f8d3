"""Numbers with what they count, as people read them."""

from __future__ import annotations


def noun(number: float, one: str, many: str = "") -> str:
    """The word for so many; ``many``: where that is not ``one`` with an s."""
    return one if number == 1 else many or f"{one}s"


def count(number: int, one: str, many: str = "") -> str:
    """``1 call`` or ``2 calls``."""
    return f"{number:,} {noun(number, one, many)}"
