"""Rows of tables as passages: the whole row, and each of its cells that may be a sentence."""

from __future__ import annotations

import re

from agents.offline.segment.passages import Passage
from agents.offline.segment.scan import Scan
from agents.offline.segment.scenarios import SORTS
from agents.offline.segment.tables import Table, fill_labels

_NEED = re.compile(r"\w \w.* (?:must|shall|should) (?:not )?\w+")  # a cell without a head
MOST_FIELDS = 12  # of a table that describes one thing


def _take_steps(scan: Scan, table: Table, card: list[tuple[str, str]]) -> bool:
    """Whether the lines of a table are the steps of a scenario: «Given», «When», «Then»."""
    if not card:
        return False
    head, start = table.rows[0].heads, table.rows[0].cells[0][0]
    steps = [*([(head[0], head[1])] if len(head) > 1 else []), *card]
    named_steps = [(SORTS.get(name.strip(" *_:`").lower(), ""), text) for name, text in steps]
    named_steps = named_steps if named_steps[0][0] else named_steps[1:]
    sorts = [sort for sort, _ in named_steps]
    if not all(sorts) or "then" not in sorts or sorts[0] not in ("given", "when"):
        return False
    if len(named_steps) > len(card):  # the first step stands where other tables have their head
        start = max(scan.text.rfind(head[0], 0, start), 0)
    scan.open(start, table.rows[-1].cells[-1][1], "scenario", 0, cells=tuple(named_steps))
    scan.flush()
    return True


def _take_list(scan: Scan, table: Table) -> bool:
    """Whether the table has one column, which makes it a list: each cell is an item."""
    if not table.rows or any(len(row.cells) != 1 for row in table.rows):
        return False
    for row in table.rows:
        ((start, end),) = row.cells
        if scan.text[start:end].strip():
            scan.open(start, end, "item", 0)
            scan.flush()
    return True


def take_table(scan: Scan, table: Table) -> None:
    """Each wordy cell is a passage, which knows the other cells of its row."""
    scan.flush()
    if _take_list(scan, table):
        return
    card: list[tuple[str, str]] = []  # of a thing, a line for each of its fields
    if len(table.rows) <= MOST_FIELDS and all(len(row.cells) == 2 for row in table.rows):
        pairs = ([scan.text[a:b].strip() for a, b in row.cells] for row in table.rows)
        card = [(name, value) for name, value in pairs]
    if _take_steps(scan, table, card):
        return
    above: tuple[str, ...] = ()
    past = 0  # what stands before it is a cell of a row above, which goes on in this one
    for row in table.rows:
        texts = [scan.text[start:end] for start, end in row.cells]
        heads = (*row.heads, *[""] * len(texts))
        cells = tuple((head, text.strip()) for head, text in zip(heads, texts, strict=False))
        own = [it for it in row.cells if it[0] >= past and it[1] > it[0]]
        above = fill_labels(texts, above, row.heads)
        if row.heads and len(texts) > 1 and own and row.cells[-1] == own[-1]:
            row_text = scan.text[own[0][0] : own[-1][1]]
            begin = own[0][0] + len(row_text) - len(row_text.lstrip())
            span = (begin, begin + len(row_text.strip()))
            over = (scan.intro,) if scan.intro else ()
            where = (scan.headings(), scan.lead)
            scan.found.append(
                Passage(*span, "record", *where, over=over, cells=cells, labels=above)
            )
        beside = cells
        cells += tuple(it for it in card if it[0] != cells[0][1])
        for at, ((start, end), text) in enumerate(zip(row.cells, texts, strict=True)):
            wordy = text.count(" ") >= 5 or (not row.heads and _NEED.search(text))
            if start >= past and wordy and text.strip():
                after = beside[at + 1 :]
                scan.open(start, end, "row", 0, cells=cells, labels=above[:at], beside=after)
                scan.flush()
            past = max(end, past)
