"""Tables of HTML in Markdown, as rows of cells."""

from __future__ import annotations

import re

from agents.offline.segment.passages import Span

_ROW = re.compile(r"<tr\b[^<>]*>(?P<row>.*?)(?:</tr\s*>|(?=<tr\b)|\Z)", re.DOTALL | re.IGNORECASE)
_CELL = re.compile(
    r"<t(?P<kind>[hd])\b[^<>]*>(?P<said>.*?)(?:</t(?P=kind)\s*>|(?=<t[hd]\b)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_SPAN = re.compile(r"\browspan\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")

Rows = list[tuple[Span, ...]]


def read_html_table(text: str, start: int, end: int) -> tuple[tuple[str, ...], Rows]:
    """What the head of a table calls its columns, and the cells of its other rows."""
    heads: tuple[str, ...] = ()
    rows: Rows = []
    going: dict[int, tuple[int, Span]] = {}  # by column: how many rows a cell above still takes
    for row in _ROW.finditer(text, start, end):
        cells = list(_CELL.finditer(text, *row.span("row")))
        if not cells:
            continue
        if not rows and not heads and all(it["kind"].lower() == "h" for it in cells):
            heads = tuple(" ".join(_TAG.sub(" ", it["said"]).split()) for it in cells)
        else:
            rows.append(_lay_out(cells, going))
    return heads, rows


def _lay_out(cells: list[re.Match[str]], going: dict[int, tuple[int, Span]]) -> tuple[Span, ...]:
    """The cells of a row, with those of rows above that go on in it at their columns."""
    row: list[Span] = []
    own = iter(cells)
    cell = next(own, None)
    while cell is not None or len(row) in going:
        left, span = going.pop(len(row), (0, (0, 0)))
        if not left and cell is not None:
            span = cell.span("said")
            many = _SPAN.search(cell.string, cell.start(), cell.start("said"))
            left = int(many[1]) if many else 1
            cell = next(own, None)
        if left > 1:
            going[len(row)] = (left - 1, span)
        row.append(span)
    return tuple(row)
