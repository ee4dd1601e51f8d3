"""The text of a source as lines of plain and marked pieces, split by code points.

A wrong highlight is worse than none: a span whose text is not the quote is not marked. Nothing here
is markup; the template escapes each piece. Pages are not compressed (`assets`), so each holds a
bounded part of a text: the lines around the place, and of a long line what stands around the quote.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

# Of the lines of one page, so that it loads within 150 kB with all that it names.
MOST_BYTES = 90_000
BYTES_OF_LINE = 80  # the markup around a line
LONGEST_PIECE = 2_000  # characters of a line that are shown before or behind a mark
JOINERS = "\u200c\u200d\ufe0f"  # scripts and emoji need them
SHOWN_CONTROLS = {"\t", "\n"}


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """``before`` and ``after``: how many characters of it are not shown there."""

    number: int
    pieces: tuple[Piece, ...]
    before: int = 0
    after: int = 0

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
    begin, end = _window(lines, (first or 1) - 1)
    return ShownText(lines[begin:end], len(lines), span is not None, first)


def _window(lines: Sequence[Line], at: int) -> tuple[int, int]:
    """The lines around ``at`` (from 0) that a page has room for, in turn behind and before."""
    begin, end, room = at, at, MOST_BYTES
    while begin > 0 or end < len(lines):
        is_behind = end < len(lines) and (begin == 0 or end - at <= at - begin)
        room -= _weigh(lines[end if is_behind else begin - 1])
        if room < 0 and begin < end:
            break
        begin, end = (begin, end + 1) if is_behind else (begin - 1, end)
    return begin, end


def _weigh(line: Line) -> int:
    said = (escape(visible(piece.text)).encode() for piece in line.pieces)
    return BYTES_OF_LINE + sum(map(len, said))


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
        yield _cut(number, line, start, span)
        start += len(line) + 1


def _cut(number: int, line: str, start: int, span: tuple[int, int] | None) -> Line:
    """A line with what is marked in it, and no more than a page needs around that."""
    if span is None or span[1] <= start or span[0] > start + len(line):
        return Line(number, (Piece(line[:LONGEST_PIECE]),), after=max(0, len(line) - LONGEST_PIECE))
    begin, end = max(0, span[0] - start), min(len(line), span[1] - start)
    left, right = max(0, begin - LONGEST_PIECE), min(len(line), end + LONGEST_PIECE)
    parts = (Piece(line[left:begin]), Piece(line[begin:end], marked=True), Piece(line[end:right]))
    pieces = tuple(piece for piece in parts if piece.text)
    return Line(number, pieces, before=left, after=len(line) - right)
