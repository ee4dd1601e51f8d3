"""Tables of HTML in Markdown, as rows of cells."""

from __future__ import annotations

import re

from agents.offline.segment.passages import Span
from agents.offline.segment.table_spans import Going, Wide, is_head, join_heads, lay_out

_ROW = re.compile(r"<tr\b[^<>]*>(?P<row>.*?)(?:</tr\s*>|(?=<tr\b)|\Z)", re.DOTALL | re.IGNORECASE)
_CELL = re.compile(
    r"<t(?P<kind>[hd])\b[^<>]*>(?P<said>.*?)(?:</t(?P=kind)\s*>|(?=<t[hd]\b)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_DOWN = re.compile(r"\browspan\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)
_ACROSS = re.compile(r"\bcolspan\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")

Rows = list[tuple[Span, ...]]


def read_html_table(text: str, start: int, end: int) -> tuple[tuple[str, ...], Rows]:
    """What the rows of its head call the columns, and the cells of its other rows."""
    heads: list[tuple[str, ...]] = []
    rows: Rows = []
    going: Going = {}
    for row in _ROW.finditer(text, start, end):
        cells = list(_CELL.finditer(text, *row.span("row")))
        if not cells:
            continue
        spans = lay_out(map(_read_cell, cells), going)
        if not rows and all(it["kind"].lower() == "h" for it in cells):
            heads.append(_texts_of(text, spans))
        else:
            rows.append(spans)
    texts = [_texts_of(text, it) for it in rows] if not heads else []
    if texts and is_head(texts[0], texts[1:]):
        return texts[0], rows[1:]
    return join_heads(heads), rows


def _texts_of(text: str, spans: tuple[Span, ...]) -> tuple[str, ...]:
    return tuple(" ".join(_TAG.sub(" ", text[start:end]).split()) for start, end in spans)


def _read_cell(cell: re.Match[str]) -> Wide:
    across, down = (
        it.search(cell.string, cell.start(), cell.start("said")) for it in (_ACROSS, _DOWN)
    )
    return Wide(cell.span("said"), int(across[1]) if across else 1, int(down[1]) if down else 1)
