"""reStructuredText's drawn tables, whose columns are places in a line, and those with commas.

A cell of several lines is one span only where it stands in the last column: what is drawn around
its later lines is blank in the masked text. Any other is left out: half of it says another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agents.offline.segment.passages import Span

_GRID = re.compile(r"[ \t]*\+(?:[-=]+\+)+[ \t]*$")
_SIMPLE = re.compile(r"[ \t]*=+(?: +=+)+[ \t]*$")
_PARTLY_RULED = re.compile(r"\+[-=]+\+")
_RULED = re.compile(r"[-=]+$")
_HEAD_END = re.compile(r"[ \t]*\+(?:=+\+)+[ \t]*$")
_CSV = re.compile(r"[ \t]*\.\.[ \t]+csv-table::")
_CSV_CELL = re.compile(r"[ \t]*+(?:\"(?P<quoted>(?:[^\"]|\"\")*)\"|(?P<bare>[^,\n]*))[ \t]*(?:,|$)")
_OPTION = re.compile(r"[ \t]*:([\w-]+):[ \t]*(.*)$")
MOST_LINES = 2_000

Line = tuple[str, int]  # with where it stands
Cells = list[Span | None]


class Drawn(NamedTuple):
    """Rows of cells, how many of them are heads, the lines taken, and what is only drawn."""

    rows: list[Cells]
    heads: int
    lines: int
    drawn: list[Span]


def drawn_table(lines: list[Line]) -> Drawn | None:
    """The table that ``lines`` begin with; None where they begin with none."""
    first = lines[0][0] if lines else ""
    if _GRID.match(first):
        return _read_grid(lines)
    if _SIMPLE.match(first):
        return _read_simple(lines)
    return _read_csv(lines) if _CSV.match(first) else None


def drawn_markup(text: str) -> Iterator[Span]:
    """What of ``text`` is drawn around cells of several lines."""
    at, lines = 0, []
    for line in text.split("\n"):
        lines.append((line, at))
        at += len(line) + 1
    number = 0
    while number < len(lines):
        first = lines[number][0].lstrip()[:1]
        table = drawn_table(lines[number : number + MOST_LINES]) if first in ("+", "=") else None
        if table:
            yield from table.drawn
        number += table.lines if table else 1


def _read_grid(lines: list[Line]) -> Drawn:
    """A ruler that goes through some columns only ends the cells of these; the others go on."""
    taken = _count_drawn(lines)
    edges = sorted({it for line, _ in lines[:taken] for it in _edges_of(line)})
    columns = [(a + 1, b) for a, b in zip(edges, edges[1:], strict=False)]
    rows: list[Cells] = []
    drawn: list[Span] = []
    above: Cells = [None] * len(columns)
    heads, group = 0, list[Line]()
    for line, at in lines[:taken]:
        if not _PARTLY_RULED.search(line):
            group.append((line, at))
            continue
        if group:
            row = _grid_row(group, columns, drawn)
            rows.append([own or over for own, over in zip(row, above, strict=True)])
            above = [
                None if _RULED.match(line[start:end]) else cell
                for cell, (start, end) in zip(rows[-1], columns, strict=True)
            ]
        group = []
        heads = len(rows) if _HEAD_END.match(line) else heads
    return Drawn(rows, heads, taken, drawn)


def _count_drawn(lines: list[Line]) -> int:
    """How many lines the grid takes, which all begin with one of its marks."""
    last = lines[0][0].rstrip().rfind("+", 0, -1) + 1  # where the last column begins
    for number, (line, _) in enumerate(lines):
        if not line.strip() or (line.lstrip()[0] not in "+|" and len(line) <= last):
            return number
    return len(lines)


def _edges_of(line: str) -> list[int]:
    """Where a ruler has its crossings."""
    if not _PARTLY_RULED.search(line):
        return []
    return [at for at, mark in enumerate(line) if mark == "+"]


def _grid_row(group: list[Line], columns: list[Span], drawn: list[Span]) -> Cells:
    """The cells of a row; one that has no bar before the next column stands in both."""
    wide: list[Span] = []
    first = group[0][0]
    last = len(columns) - 1  # its bar may be blank in the masked text
    ends = [at for at, (_, end) in enumerate(columns) if at == last or first[end : end + 1] == "|"]
    begin = 0
    for end in ends:
        wide.append((columns[begin][0], columns[end][1]))
        begin = end + 1
    cells = _row_of(group, wide, drawn) if wide else []
    row: Cells = []
    begin = 0
    for cell, end in zip(cells, ends, strict=True):
        row += [cell] * (end + 1 - begin)
        begin = end + 1
    return [*row, *[None] * (len(columns) - len(row))]


def _read_simple(lines: list[Line]) -> Drawn:
    columns = [it.span() for it in re.finditer("=+", lines[0][0])]
    columns[-1] = (columns[-1][0], 10_000)
    rows: list[Cells] = []
    drawn: list[Span] = []
    rulers, heads, taken, group = 0, 0, 0, list[Line]()
    for line, at in lines:
        taken += 1
        ruled = _SIMPLE.match(line) is not None
        if group and (ruled or not line.strip() or line[slice(*columns[0])].strip()):
            rows.append(_row_of(group, columns, drawn))
            group = []
        rulers += ruled
        if ruled and rulers == 2:
            heads = len(rows)
        elif not ruled and line.strip():
            group.append((line, at))
        following = lines[taken][0] if taken < len(lines) else ""
        if ruled and rulers > 1 and not following.strip():
            break
    return Drawn(rows, heads if rulers > 2 else 0, taken, drawn)


def _row_of(group: list[Line], columns: list[Span], drawn: list[Span]) -> Cells:
    """The cells of a row's lines; ``drawn`` gets what stands around those of several lines."""
    cells: Cells = []
    for number, (start, end) in enumerate(columns):
        lines = [
            (at + start, at + min(end, len(line))) for line, at in group if line[start:end].strip()
        ]
        if len(lines) > 1 and number == len(columns) - 1:
            cells.append((lines[0][0], lines[-1][1]))
            for at, (line, begin) in enumerate(group):
                if at:
                    drawn.append((begin, begin + min(start, len(line))))
                drawn.append((begin + min(end, len(line)), begin + len(line)))
        else:
            cells.append(lines[0] if len(lines) == 1 else None)
    return cells


def _read_csv(lines: list[Line]) -> Drawn:
    outer = len(lines[0][0]) - len(lines[0][0].lstrip())
    rows: list[Cells] = []
    heads, taken = 0, 1
    for line, at in lines[1:]:
        if line.strip() and len(line) - len(line.lstrip()) <= outer:
            break
        taken += 1
        if option := _OPTION.match(line):
            heads = int(option[2]) if option[1] == "header-rows" and option[2].isdigit() else heads
        elif line.strip():
            matches = [it for it in _CSV_CELL.finditer(line) if it.group()]
            rows.append(
                [
                    (at + it.start(it.lastgroup), at + it.end(it.lastgroup))
                    for it in matches
                    if it.lastgroup
                ]
            )
    return Drawn(rows, heads, taken, [])
