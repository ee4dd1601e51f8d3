"""Tables of HTML before they become Markdown, which knows no cell over several columns or rows."""

from __future__ import annotations

import copy

from bs4 import BeautifulSoup, Tag

MOST_ACROSS, MOST_DOWN = 50, 500  # columns and rows of one cell
MOST_CELLS = 20_000  # of one table that is laid out


def lay_out_tables(soup: BeautifulSoup) -> None:
    """Each cell is repeated where it goes on, and several rows of heads become one."""
    for table in soup.find_all("table"):
        rows = [it for it in table.find_all("tr") if it.find_parent("table") is table]
        if any(it.has_attr("rowspan") or it.has_attr("colspan") for it in _cells(rows)):
            _repeat_cells(rows)
            _join_heads(rows)


def _cells(rows: list[Tag]) -> list[Tag]:
    return [cell for row in rows for cell in row.find_all(("td", "th"), recursive=False)]


def _repeat_cells(rows: list[Tag]) -> None:
    going: dict[int, tuple[int, Tag]] = {}  # by column: how many rows a cell above still takes
    count = 0
    for row in rows:
        laid: list[Tag] = []
        own = row.find_all(("td", "th"), recursive=False)
        while own or len(laid) in going:
            column = len(laid)
            if column in going:
                left, cell = going.pop(column)
                laid.append(copy.copy(cell))
                if left > 1:
                    going[column] = (left - 1, cell)
                continue
            cell = own.pop(0)
            across = _number(cell, "colspan", MOST_ACROSS)
            down = _number(cell, "rowspan", MOST_DOWN)
            for number in range(across):
                laid.append(cell if not number else copy.copy(cell))
                if down > 1:
                    going[column + number] = (down - 1, cell)
        count += len(laid)
        if count > MOST_CELLS:
            return
        row.clear()
        row.extend(laid)


def _number(cell: Tag, name: str, most: int) -> int:
    count = str(cell.attrs.pop(name, "1"))
    return (
        min(most, max(1, int(count)))
        if count.isascii() and count.isdigit() and len(count) < 6
        else 1
    )


def _join_heads(rows: list[Tag]) -> None:
    """The first row of heads gets what the following ones say of its columns."""
    heads = []
    for row in rows:
        cells = row.find_all(("td", "th"), recursive=False)
        if not cells or any(it.name != "th" for it in cells):
            break
        heads.append(cells)
    for row, cells in zip(rows[1:], heads[1:], strict=False):
        for first, cell in zip(heads[0], cells, strict=False):
            text = cell.get_text(" ", strip=True)
            if text and text != first.get_text(" ", strip=True):
                first.append(f" {text}")
        row.decompose()
