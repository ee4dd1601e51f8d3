"""A text where it has too little room."""

from __future__ import annotations


def shorten(text: str, limit: int) -> str:
    """``text`` within ``limit`` characters, with an ellipsis: cut at a word, but for one that is
    longer than half of the room.
    """
    if len(text) <= limit:
        return text
    whole = text[: limit - 1]
    head = whole.rpartition(" ")[0]
    return f"{(head if 2 * len(head) >= limit else whole).rstrip(' .,;:(–—-')}…"
