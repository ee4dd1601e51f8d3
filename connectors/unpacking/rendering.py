"""What readers of documents share: the refusal, and text as parts of Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from schemas.decoding import decode

if TYPE_CHECKING:  # the child starts faster without
    from schemas.events.source import UnreadReason

MAX_TEXT_CHARS = 8_000_000


class Unread(Exception):
    """There is no text to be had; ``detail`` says in a few words of ours what is missing."""

    def __init__(self, reason: UnreadReason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def text_of(content: bytes, charset: str | None = None) -> str:
    """The bytes as text with line feeds. Raises Unread."""
    text = None if b"\0" in content[:64] and content[:4].count(0) > 2 else decode(content, charset)
    if text is None:
        raise Unread("unreadable", "no encoding fits")
    return text[0].replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")


def one_line(text: str) -> str:
    return " ".join(text.split())


def place(text: str) -> str:
    """A line that says where in the original the following stands, and is not read."""
    return f"<!-- {text.replace('--', '-')} -->"


def table(rows: list[list[str]]) -> str:
    """A table; its first row is the heading. Cells are on one line, their pipes escaped."""
    width = max(map(len, rows))
    lines = [_row(row, width) for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def _row(cells: list[str], width: int) -> str:
    padded = [*cells, *[""] * (width - len(cells))]
    return "| " + " | ".join(one_line(cell).replace("|", "\\|") for cell in padded) + " |"


def fenced(code: str, language: str = "") -> str:
    """Code as a block that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"


def joined(parts: list[str]) -> str:
    """Blocks with an empty line between them."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
