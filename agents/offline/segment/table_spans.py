"""Cells that go over several columns or rows, laid out over the grid, and heads of several rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agents.offline.segment.passages import Span

_DIGIT = re.compile(r"\d")
MOST_ACROSS = 50  # columns of one cell
MOST_HEAD_WORDS = 4  # of a cell that may be the head of its column
Going = dict[int, tuple[int, Span]]  # by column: how many rows a cell above still takes


class Wide(NamedTuple):
    """A cell with the number of columns and rows that it takes."""

    span: Span
    across: int = 1
    down: int = 1


def lay_out(cells: Iterable[Wide], going: Going, columns: int = 0) -> tuple[Span, ...]:
    """The cells of a row at their columns, with those of rows above that go on in it.

    A cell over several columns stands in each of them. ``columns`` ends the row where it is known.
    """
    row: list[Span] = []
    own = iter(cells)
    while not columns or len(row) < columns:
        at = len(row)
        if at in going:
            left, span = going.pop(at)
            row.append(span)
            if left > 1:
                going[at] = (left - 1, span)
            continue
        cell = next(own, None)
        if cell is None:
            if not going or max(going) < at:
                break
            row.append((0, 0))
            continue
        end = at + max(1, min(cell.across, MOST_ACROSS))
        for column in range(at, min(end, columns or end)):
            going.pop(column, None)
            row.append(cell.span)
            if cell.down > 1:
                going[column] = (cell.down - 1, cell.span)
    return tuple(row)


def join_heads(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """What several rows of heads call each column, from the outer head to the inner one."""
    columns = max(map(len, rows), default=0)
    joined = []
    for at in range(columns):
        parts = [row[at].strip() for row in rows if at < len(row) and row[at].strip()]
        joined.append(" ".join(dict.fromkeys(parts)))
    return tuple(joined)


def is_head(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether a first row that nothing marks as head is one: short names over rows of figures."""
    if len(first) < 2 or not others or not all(it.strip() for it in first[1:]):
        return False
    if any(_DIGIT.search(it) or len(it.split()) > MOST_HEAD_WORDS for it in first):
        return False
    return all(any(_DIGIT.search(it) for it in row[1:]) for row in others)


def has_second_head(heads: Sequence[str], row: Sequence[str]) -> bool:
    """Whether ``row`` says more of the columns, under a head that leaves some of them unnamed."""
    if all(it.strip() for it in heads[1:]) or not row or row[0].strip():
        return False
    cells = [it for it in row[1:] if it.strip()]
    return len(cells) > 1 and not any(
        _DIGIT.search(it) or len(it.split()) > MOST_HEAD_WORDS for it in cells
    )


def fill_heads(heads: Sequence[str]) -> tuple[str, ...]:
    """Heads with the one before in place of a blank: Markdown has no cell over several columns."""
    filled: list[str] = []
    for at, head in enumerate(heads):
        filled.append(filled[-1] if at > 1 and not head.strip() else head.strip())
    return tuple(filled)
