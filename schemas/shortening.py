"""A text where it has too little room."""

from __future__ import annotations


def shorten(text: str, limit: int) -> str:
    """``text`` within ``limit`` characters, cut at a word with an ellipsis."""
    if len(text) <= limit:
        return text
    head, blank, _ = text[: limit - 1].rpartition(" ")
    return f"{(head if blank else text[: limit - 1]).rstrip(' .,;:(–—-')}…"
