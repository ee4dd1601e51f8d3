"""Units: the spans a recogniser finds, and how they become pieces of a fitting size.

A recogniser tiles the text: its units follow each other without gap, so that every character has
a place whatever the text is. Only units above the maximum are split; only small neighbours are
joined.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from schemas.events.hygiene import AnchorType

TARGET_TOKENS = 800
MAX_TOKENS = 1_600
MIN_TOKENS = 40
JOINED_BELOW_TOKENS = 200  # code and entries: a unit below this joins its neighbours
WINDOW_TOKENS = 800
OVERLAP_TOKENS = 120
BYTES_PER_TOKEN = 4
PARAGRAPH_END = re.compile(r"\n(?:[ \t]*+\n)++")
FENCE = re.compile(r"^[ \t]{0,3}(```+|~~~+)", re.MULTILINE)


class Unit(NamedTuple):
    """A structural span. ``scope`` is what it stands in; only units of one scope are joined."""

    kind: AnchorType
    start: int
    end: int
    path: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    documented: bool = False
    licence: bool = False


class Piece(NamedTuple):
    """A unit or a part of one; starts and ends with a visible character."""

    unit: Unit
    start: int
    end: int
    part: int
    parts: int


def tokens_of(text: str) -> int:
    size_bytes = len(text) if text.isascii() else len(text.encode())
    return -(-size_bytes // BYTES_PER_TOKEN)


def common_path(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    size = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        size += 1
    return first[:size]


def pieces_of(text: str, units: Sequence[Unit]) -> Iterator[Piece]:
    """The units as pieces, those above the maximum in parts; blank units have none."""
    for unit in units:
        spans = [unit[1:3]]
        if unit.end - unit.start > MAX_TOKENS or not text.isascii():
            size = tokens_of(text[unit.start : unit.end].strip())
            if size > MAX_TOKENS:
                spans = list(_pack(text, unit.start, unit.end))
        trimmed = [span for span in (trim(text, *span) for span in spans) if span[0] < span[1]]
        for part, (start, end) in enumerate(trimmed):
            yield Piece(unit, start, end, part, len(trimmed))


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blank lines before, and without blanks after it; its indent stays."""
    body = text[start:end]
    stripped = body.lstrip()
    if not stripped:
        return start, start
    first = start + len(body) - len(stripped)
    line = text.rfind("\n", start, first) + 1
    return max(start, line), start + len(body.rstrip())


def _pack(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Consecutive spans of at most the target where borders allow, never above the maximum."""
    first, size = start, 0
    for low, high in borders(text, start, end):
        grown = tokens_of(text[low:high])
        if size and size + grown > TARGET_TOKENS:
            yield first, low
            first, size = low, 0
        size += grown
    yield first, end


def borders(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Paragraphs; the lines of a paragraph above the target; parts of a line above the maximum."""
    for low, high in _paragraphs(text, start, end):
        if tokens_of(text[low:high]) <= TARGET_TOKENS:
            yield low, high
        else:
            for line_low, line_high in _lines(text, low, high):
                yield from line_parts(text, line_low, line_high)


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans that end with blank lines; a fenced block that fits is not cut."""
    fences = [match.start() for match in FENCE.finditer(text, start, end)]
    low = start
    for match in PARAGRAPH_END.finditer(text, start, end):
        fenced = bisect_left(fences, match.start()) % 2 and len(fences) % 2 == 0
        if fenced and match.end() - low < TARGET_TOKENS * BYTES_PER_TOKEN:
            continue
        yield low, match.end()
        low = match.end()
    if low < end:
        yield low, end


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end) + 1 or end
        yield start, stop
        start = stop


def line_parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A line in one part, or cut between words, or inside one when there is no other way."""
    if tokens_of(text[start:end]) <= TARGET_TOKENS:
        yield start, end
        return
    width = TARGET_TOKENS * (BYTES_PER_TOKEN if text.isascii() else 1)
    while end - start > width:
        stop = text.rfind(" ", start + width // 2, start + width) + 1 or start + width
        yield start, stop
        start = stop
    yield start, end


def windows(text: str, begin: int = 0) -> Iterator[Piece]:
    """Overlapping windows on line borders from ``begin`` on, where no structure is found."""
    parts = [part for line in _lines(text, begin, len(text)) for part in line_parts(text, *line)]
    spans = [(low, high, tokens_of(text[low:high])) for low, high in parts]
    bounds = list(_window_bounds([size for _, _, size in spans]))
    trimmed = [trim(text, spans[first][0], spans[last - 1][1]) for first, last in bounds]
    kept = [span for span in trimmed if span[0] < span[1]]
    unit = Unit("window", begin, len(text))
    for part, (start, end) in enumerate(kept):
        yield Piece(unit, start, end, part, len(kept))


def _window_bounds(sizes: list[int]) -> Iterator[tuple[int, int]]:
    """First and last + 1 of each window's lines; a window begins at most the overlap before."""
    first = last = total = 0
    while last < len(sizes):
        while last < len(sizes) and (total + sizes[last] <= WINDOW_TOKENS or total == 0):
            total += sizes[last]
            last += 1
        yield first, last
        if last == len(sizes):
            return
        following, overlap = last, 0
        while following - 1 > first and overlap + sizes[following - 1] <= OVERLAP_TOKENS:
            following -= 1
            overlap += sizes[following]
        if overlap + sizes[last] > WINDOW_TOKENS:
            following, overlap = last, 0
        first, total = following, overlap


def join(text: str, units: list[Unit], below_tokens: int) -> list[Unit]:
    """Neighbours of one scope as one unit, while one is small and both fit the target."""
    result: list[Unit] = []
    sizes: list[int] = []
    for unit in units:
        size = tokens_of(text[unit.start : unit.end].strip())
        if (
            result
            and min(sizes[-1], size) < below_tokens
            and sizes[-1] + size <= TARGET_TOKENS
            and _belong_together(result[-1], unit)
        ):
            result[-1] = _merge(result[-1], unit, sizes[-1], size)
            sizes[-1] += size + 1
            continue
        result.append(unit)
        sizes.append(size)
    return result


def _belong_together(first: Unit, second: Unit) -> bool:
    if first.licence or second.licence:
        return False
    return first.scope == second.scope or second.scope == first.path or first.scope == second.path


JOINED_KIND: tuple[AnchorType, ...] = ("class", "function", "module", "heading", "entry", "record")


def _merge(first: Unit, second: Unit, first_size: int, second_size: int) -> Unit:
    """The span of both, of the kind that says most, with the path both share.

    A few tokens beside a unit that stands for itself (an opening line, a closing brace) change
    neither its kind nor its path.
    """
    for tiny, size, unit in ((first_size, second_size, second), (second_size, first_size, first)):
        if tiny < MIN_TOKENS and size >= JOINED_BELOW_TOKENS:
            return unit._replace(start=first.start, end=second.end)
    kinds = (first.kind, second.kind)
    outer = min(first.scope, second.scope, key=len)
    return Unit(
        next(kind for kind in JOINED_KIND if kind in kinds),
        first.start,
        second.end,
        _join_paths(first, second),
        outer,
        first.documented or second.documented,
    )


def _join_paths(first: Unit, second: Unit) -> tuple[str, ...]:
    """A class with the imports before it is still that class."""
    if first.kind == "module" and not first.path:
        return second.path
    if second.kind == "module" and not second.path:
        return first.path
    return common_path(first.path, second.path)
