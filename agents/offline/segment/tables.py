"""Tables as rows of cells: Markdown's and Org's with bars, reStructuredText's lists, AsciiDoc's.

A cell is a span of the text. What its row's other cells say, and what the head calls their columns,
goes with it: «rejected» under «Status» takes a row back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from agents.offline.segment.grids import Drawn, drawn_table
from agents.offline.segment.html_tables import read_html_table
from agents.offline.segment.passages import Span
from agents.offline.segment.table_spans import (
    Going,
    Wide,
    fill_heads,
    has_second_head,
    is_head,
    join_heads,
    lay_out,
)

_RULE = re.compile(r"[|:+\-= \t]+$")
_DELIMITER = re.compile(r"[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$")
_BAR = re.compile(r"\\.|(?P<code>(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`))|\|")
_ESCAPED = re.compile(r"\\.|\|")
_LIST_TABLE = re.compile(r"[ \t]*\.\.[ \t]+(?:list-table|flat-table)::")
_LIST_CELL = re.compile(r"(?P<indent>[ \t]*)(?P<row>\*[ \t]+)?-(?:[ \t]+|$)")
_HEADER_ROWS = re.compile(r"[ \t]*:header-rows:[ \t]*(\d+)")
_ADOC_CELL = re.compile(
    r"(?:^|(?<=\s))(?:(?P<across>\d{1,3})?(?:\.(?P<down>\d{1,3}))?(?P<sign>[+*]))?"
    r"(?:[<^>](?:\.[<^>])?|\.[<^>])?[adehlmsv]?\|"
)
_ADOC_COLUMNS = re.compile(r"cols=(?:\"(?P<quoted>[^\"]*)\"|(?P<bare>[\w*]+))")
_ADOC_HEAD = re.compile(r"(?:options|opts)=\"?[^\]]*header|%(?:\w+%)*header|\[%header", re.I)
_REPEATED = re.compile(r"(\d+)\*")
_HTML_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_HTML_TABLE_END = re.compile(r"</table\s*>", re.IGNORECASE)
_SAME_AS_ABOVE = re.compile(r"\^\^|[\"″〃”]|''|,,|(?:ditto|do\.|idem)", re.IGNORECASE)
_NUMBERS = re.compile(r"#|no\.?|nr\.?|(?:\w+ )?(?:id|number|ref(?:erence)?|key)\.?", re.IGNORECASE)
_ID = re.compile(r"#?\d[\d.]*|[A-Z]{1,8}(?:-[A-Z]{1,8})?[-_.]\d{1,6}(?:[.-]\d{1,4})*")
MOST_LINES = 2_000  # of one table
MOST_REPEATED = 50  # cells that one mark stands for


class Row(NamedTuple):
    """``heads`` are what the head calls the columns, as far as it goes."""

    cells: tuple[Span, ...]
    heads: tuple[str, ...] = ()


class Table(NamedTuple):
    """``lines`` is how many lines of the text it takes."""

    rows: tuple[Row, ...]
    lines: int


class Place(NamedTuple):
    """Line ``number`` of ``lines``, which stands at ``at`` in ``text``."""

    text: str
    lines: Sequence[str]
    number: int
    at: int

    @property
    def line(self) -> str:
        return self.lines[self.number]

    def rest(self) -> Iterator[tuple[str, int]]:
        """The lines from here on, each with where it stands."""
        at = self.at
        for line in self.lines[self.number : self.number + MOST_LINES]:
            yield line, at
            at += len(line) + 1


def table_at(place: Place, dialect: str) -> Table | None:
    """The table that begins at ``place``; None where none does."""
    bare = place.line.strip()
    if dialect == "rst" and _LIST_TABLE.match(place.line):
        return _list_table(place)
    if dialect == "rst" and (drawn := drawn_table(list(place.rest()))):
        return _of_drawn(place.text, drawn)
    if dialect == "adoc" and bare == "|===":
        return _adoc_table(place)
    if dialect == "md" and _HTML_TABLE.match(bare):
        return _html_table(place)
    if bare.startswith("|") or _is_delimited(place):
        return _bar_table(place)
    return None


def fill_labels(
    texts: Sequence[str], above: tuple[str, ...], heads: Sequence[str] = ()
) -> tuple[str, ...]:
    """The cells of a row; one that repeats the one above it, by a mark or as a blank first cell, as
    that. A blank below a number or id repeats nothing, and an empty row ends what stands over it.
    """
    if not any(it.strip() for it in texts):
        return ()
    filled: list[str] = []
    leading = True  # blank cells mean the one above only before the first that says something
    for at, text in enumerate(texts):
        bare = text.strip()
        leading = leading and not bare
        again = leading or _SAME_AS_ABOVE.fullmatch(bare) is not None
        own = leading and (
            at < len(heads) and _NUMBERS.fullmatch(heads[at].strip(" *_`")) is not None
        )
        own = own or (leading and at < len(above) and is_id(above[at]))
        filled.append(above[at] if again and not own and at < len(above) else bare)
    return tuple(filled)


def is_id(label: str) -> bool:
    """Whether a label only numbers its row: «7», «2.1», «REQ-12»."""
    return _ID.fullmatch(label.strip(" *_`.)")) is not None


def _html_table(place: Place) -> Table:
    """The table up to its end, or that of the text, which may be a piece of a document."""
    taken, end = 0, place.at
    for line, at in place.rest():
        taken, end = taken + 1, at + len(line)
        if _HTML_TABLE_END.search(line):
            break
    heads, rows = read_html_table(place.text, place.at, end)
    return Table(tuple(Row(row, heads) for row in rows), taken)


def _of_drawn(text: str, drawn: Drawn) -> Table:
    rows = [tuple(cell or (0, 0) for cell in row) for row in drawn.rows]
    heads = join_heads([_texts_of(text, it) for it in rows[: drawn.heads]])
    return Table(tuple(Row(row, heads) for row in rows[drawn.heads :]), drawn.lines)


def _is_delimited(place: Place) -> bool:
    """Whether the line is a head without outer bars: the next one is its ruler."""
    if "|" not in place.line or place.number + 1 >= len(place.lines):
        return False
    return _DELIMITER.match(place.lines[place.number + 1]) is not None


def _bar_table(place: Place) -> Table:
    outer = place.line.strip().startswith("|")
    rows: list[tuple[Span, ...]] = []
    head, ruled, taken = -1, False, 0
    for line, at in place.rest():
        if not (line.strip().startswith("|") if outer else "|" in line):
            break
        taken += 1
        if _RULE.match(line) and (not rows or line.strip("| \t")):
            head = len(rows) - 1 if not ruled else head
            ruled = bool(rows)  # Org's tables may begin with one
        else:
            rows.append(_cells_of(line, at, len(rows[head]) if head >= 0 else 0))
    heads = _texts_of(place.text, rows[head]) if head >= 0 else ()
    of_head = {head}
    under = _texts_of(place.text, rows[head + 1]) if 0 <= head < len(rows) - 1 else ()
    if has_second_head(heads, under):
        heads, of_head = join_heads([fill_heads(heads), under]), {head, head + 1}
    return Table(
        tuple(
            Row(it, heads if at > head else ()) for at, it in enumerate(rows) if at not in of_head
        ),
        taken,
    )


def _texts_of(text: str, cells: Sequence[Span]) -> tuple[str, ...]:
    return tuple(text[start:end].strip() for start, end in cells)


def _cells_of(line: str, at: int, columns: int) -> tuple[Span, ...]:
    """The cells of a row between bars that are neither escaped nor in code.

    In code a bar divides too where only that gives as many cells as the table has ``columns``.
    """
    cells = _split(line, at, _BAR)
    if len(cells) < columns and len(strict := _split(line, at, _ESCAPED)) == columns:
        return strict
    return cells


def _split(line: str, at: int, bar: re.Pattern[str]) -> tuple[Span, ...]:
    edges = [-1, *(it.start() for it in bar.finditer(line) if it.group() == "|"), len(line)]
    if not line[: edges[1]].strip():
        edges = edges[1:]
    if len(edges) > 2 and not line[edges[-2] + 1 :].strip():
        edges = edges[:-1]
    return tuple((at + a + 1, at + b) for a, b in pairwise(edges))


def _list_table(place: Place) -> Table:
    """Rows of a list of lists: «* - R-1», «  - The depot must …»."""
    rows: list[list[Span]] = []
    heads, taken = 0, 0
    for line, at in place.rest():
        bare = line.strip()
        if taken and bare and _indent(line) <= _indent(place.line):
            break
        taken += 1
        end = at + len(line)
        if option := _HEADER_ROWS.match(line):
            heads = int(option[1])
        elif cell := _LIST_CELL.match(line):
            if cell["row"]:
                rows.append([])
            if rows:
                rows[-1].append((at + cell.end(), end))
        elif bare and rows and rows[-1]:
            rows[-1][-1] = (rows[-1][-1][0], end)
    called = _texts_of(place.text, rows[0]) if heads and rows else ()
    return Table(tuple(Row(tuple(row), called) for row in rows[heads:]), taken)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _adoc_table(place: Place) -> Table:
    """Rows of as many cells as the table has columns; cells go on until the next bar."""
    attributes = place.lines[place.number - 1] if place.number else ""
    cells: list[Wide] = []
    taken, per_line, opened, blank = 0, 0, 0, False
    for line, at in place.rest():
        taken += 1
        if taken == 1:
            continue
        if line.strip() == "|===":
            break
        marks = list(_ADOC_CELL.finditer(line))
        if cells and line.strip():
            first = marks[0].start() if marks else len(line)
            start, end = cells[-1].span
            cells[-1] = cells[-1]._replace(span=(start, max(end, at + len(line[:first].rstrip()))))
        ends = (*(it.start() for it in marks[1:]), len(line))
        for mark, end in zip(marks, ends, strict=False):
            cells += _adoc_cells(mark, (at + mark.end(), at + end))
        if cells and not per_line:
            per_line, opened = sum(it.across for it in cells), taken
        blank = blank or (not line.strip() and taken == opened + 1)
    columns = _columns_of(attributes) or per_line or 1
    rows = _adoc_rows(cells, columns)
    headed = bool(rows) and (_ADOC_HEAD.search(attributes) or (blank and per_line == columns))
    texts = [_texts_of(place.text, it) for it in rows]
    headed = headed or (bool(rows) and is_head(texts[0], texts[1:]))
    heads = texts[0] if headed else ()
    return Table(tuple(Row(row, heads) for row in rows[1 if headed else 0 :]), taken)


def _adoc_cells(mark: re.Match[str], span: Span) -> list[Wide]:
    """The cell behind a mark: «2+|» takes two columns, «.2+|» two rows, «2*|» is there twice."""
    across, down = int(mark["across"] or 1), int(mark["down"] or 1)
    if mark["sign"] == "*":
        return [Wide(span)] * min(across, MOST_REPEATED)
    return [Wide(span, across, down)]


def _adoc_rows(cells: Sequence[Wide], columns: int) -> list[tuple[Span, ...]]:
    """Rows that are full as soon as own cells, and those from above, take all columns."""
    rows: list[tuple[Span, ...]] = []
    going: Going = {}
    left = list(cells)
    while left:
        free = columns - len(going)
        taken = 0
        while taken < len(left) and free > 0:
            free -= left[taken].across
            taken += 1
        rows.append(lay_out(left[:taken], going, columns))
        left = left[taken:]
    return rows


def _columns_of(attributes: str) -> int:
    """How many columns ``[cols="1,3"]`` or ``[cols=2*]`` says that there are."""
    match = _ADOC_COLUMNS.search(attributes)
    if match is None:
        return 0
    quoted = match["quoted"] or match["bare"] or ""
    parts = [it for it in re.split(r"[,;]", quoted) if it.strip()]
    return sum(int(many[1]) if (many := _REPEATED.match(it.strip())) else 1 for it in parts)
