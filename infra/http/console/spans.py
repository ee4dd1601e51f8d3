"""The text of a source as lines of plain and marked pieces, split by code points.

A wrong highlight is worse than none: a span whose text is not the quote is not marked. Nothing here
is markup; the template escapes each piece.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

MOST_LINES = 4_000  # of one page; a longer text is shown around its span
JOINERS = "\u200c\u200d\ufe0f"  # scripts and emoji need them
SHOWN_CONTROLS = {"\t", "\n"}


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    pieces: tuple[Piece, ...]

    @property
    def is_marked(self) -> bool:
        return any(piece.marked for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class ShownText:
    """``found``: whether the span is there; ``first_marked`` is the line to scroll to."""

    lines: tuple[Line, ...]
    total: int
    found: bool
    first_marked: int | None

    @property
    def is_cut(self) -> bool:
        return len(self.lines) < self.total


def show_text(
    text: str, span: tuple[int, int] | None = None, quote: str | None = None
) -> ShownText:
    """``text`` with ``span`` (code points, the end excluded) marked, if it holds ``quote``."""
    if span and not (0 <= span[0] < span[1] <= len(text)):
        span = None
    if span and quote is not None and text[span[0] : span[1]] != quote:
        span = None
    lines = tuple(_lines(text, span))
    first = next((line.number for line in lines if line.is_marked), None)
    begin = max(0, (first or 1) - 1 - MOST_LINES // 2) if len(lines) > MOST_LINES else 0
    return ShownText(lines[begin : begin + MOST_LINES], len(lines), span is not None, first)


def visible(text: str) -> str:
    """``text`` with what would be invisible, or turn the direction of the text, made visible."""
    return text if text.isprintable() else "".join(_glyph(each) for each in text)


def _glyph(each: str) -> str:
    if each.isprintable() or each in SHOWN_CONTROLS or each in JOINERS:
        return each
    kind = unicodedata.category(each)
    return f"[U+{ord(each):04X}]" if kind in ("Cf", "Cc", "Cs") else each


def _lines(text: str, span: tuple[int, int] | None) -> Iterator[Line]:
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        yield Line(number, tuple(_pieces(line, start, span)))
        start += len(line) + 1


def _pieces(line: str, start: int, span: tuple[int, int] | None) -> Iterator[Piece]:
    if span is None or span[1] <= start or span[0] > start + len(line):
        yield Piece(line)
        return
    begin, end = max(0, span[0] - start), min(len(line), span[1] - start)
    for piece in (Piece(line[:begin]), Piece(line[begin:end], marked=True), Piece(line[end:])):
        if piece.text:
            yield piece
