"""Tables of HTML in Markdown, as rows of cells."""

from __future__ import annotations

import re

from agents.offline.segment.passages import Span

_ROW = re.compile(r"<tr\b[^<>]*>(?P<row>.*?)(?:</tr\s*>|(?=<tr\b)|\Z)", re.DOTALL | re.IGNORECASE)
_CELL = re.compile(
    r"<t(?P<kind>[hd])\b[^<>]*>(?P<said>.*?)(?:</t(?P=kind)\s*>|(?=<t[hd]\b)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]*>")

Rows = list[tuple[Span, ...]]


def read_html_table(text: str, start: int, end: int) -> tuple[tuple[str, ...], Rows]:
    """What the head of a table calls its columns, and the cells of its other rows."""
    heads: tuple[str, ...] = ()
    rows: Rows = []
    for row in _ROW.finditer(text, start, end):
        cells = list(_CELL.finditer(text, *row.span("row")))
        if not cells:
            continue
        if not rows and not heads and all(it["kind"].lower() == "h" for it in cells):
            heads = tuple(" ".join(_TAG.sub(" ", it["said"]).split()) for it in cells)
        else:
            rows.append(tuple(it.span("said") for it in cells))
    return heads, rows
