"""Numbers with what they count, as people read them."""

from __future__ import annotations


def noun(number: float, singular: str, many: str = "") -> str:
    """The word for so many; ``many``: where that is not ``singular`` with an s."""
    return singular if number == 1 else many or f"{singular}s"


def count(number: int, singular: str, many: str = "") -> str:
    """``1 call`` or ``2 calls``."""
    return f"{number:,} {noun(number, singular, many)}"
