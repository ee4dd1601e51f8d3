"""Tables of values: CSV and TSV as tables of Markdown, so that a cell is read with its heading."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import islice

from connectors.unpacking.rendering import Unread, joined, place, table, text_of

ROWS_AT_ONCE = 40  # in one table, so that a piece of a long one still has its heading
MAX_BYTES = 256 * 1024  # more is data
MAX_COLUMNS = 200
DELIMITERS = ",;\t|"
NO_DELIMITER = "\x1f"  # occurs in no text


def markdown_of(content: bytes) -> str:
    """Raises Unread."""
    if len(content) > MAX_BYTES:
        raise Unread("too_large", f"a table of more than {MAX_BYTES >> 10} KiB")
    text = text_of(content)
    rows = [row for row in _rows(text) if any(cell.strip() for cell in row)]
    if not rows:
        return ""
    if max(map(len, rows)) > MAX_COLUMNS:
        raise Unread("too_large", f"a table of more than {MAX_COLUMNS} columns")
    head, *body = rows
    parts = []
    for start in range(0, max(1, len(body)), ROWS_AT_ONCE):
        if start:
            parts.append(place(f"from row {start + 1}"))
        parts.append(table([head, *body[start : start + ROWS_AT_ONCE]]))
    return joined(parts)


def _rows(text: str) -> list[list[str]]:
    first, _, rest = text.partition("\n")
    delimiter = ""
    if first.lower().startswith("sep=") and len(first) == 5:  # a habit of Excel
        delimiter, text = first[4], rest
    csv.field_size_limit(MAX_BYTES)
    delimiter = delimiter or _delimiter(text)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        raise Unread("unreadable", "no table of values") from None


def _delimiter(text: str) -> str:
    """The one that divides most of the first lines into as many cells; of several the most.

    Commas in the sentences of a single column divide it unevenly: then there is none.
    """
    sample = text[:16_384].rpartition("\n")[0] or text

    def evenness(delimiter: str) -> tuple[float, int]:
        rows = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        widths = Counter(len(row) for row in islice(rows, 20) if row)
        width, count = widths.most_common(1)[0] if widths else (1, 0)
        return (count / widths.total(), width) if width > 1 else (0.0, 1)

    best = max(DELIMITERS, key=evenness)
    return best if evenness(best)[1] > 1 else NO_DELIMITER
