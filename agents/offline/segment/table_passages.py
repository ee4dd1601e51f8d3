"""Rows of tables as passages: the whole row, and each of its cells that may be a sentence."""

from __future__ import annotations

from agents.offline.segment.passages import Passage
from agents.offline.segment.scan import Scan
from agents.offline.segment.tables import Table, fill_labels

MOST_FIELDS = 12  # of a table that describes one thing


def take_table(scan: Scan, table: Table) -> None:
    """Each wordy cell is a passage, which knows the other cells of its row."""
    scan.flush()
    card: list[tuple[str, str]] = []  # of a thing, a line for each of its fields
    if len(table.rows) <= MOST_FIELDS and all(len(row.cells) == 2 for row in table.rows):
        pairs = ([scan.text[a:b].strip() for a, b in row.cells] for row in table.rows)
        card = [(name, value) for name, value in pairs]
    above: tuple[str, ...] = ()
    past = 0  # what stands before it is a cell of a row above, which goes on in this one
    for row in table.rows:
        texts = [scan.text[start:end] for start, end in row.cells]
        heads = (*row.heads, *[""] * len(texts))
        cells = tuple((head, text.strip()) for head, text in zip(heads, texts, strict=False))
        own = [it for it in row.cells if it[0] >= past and it[1] > it[0]]
        above = fill_labels(texts, above, row.heads)
        if row.heads and len(texts) > 1 and own and row.cells[-1] == own[-1]:
            said = scan.text[own[0][0] : own[-1][1]]
            begin = own[0][0] + len(said) - len(said.lstrip())
            told = (begin, begin + len(said.strip()))
            over = (scan.intro,) if scan.intro else ()
            where = (scan.headings(), scan.lead)
            scan.found.append(
                Passage(*told, "record", *where, over=over, cells=cells, labels=above)
            )
        beside = cells
        cells += tuple(it for it in card if it[0] != cells[0][1])
        for at, ((start, end), text) in enumerate(zip(row.cells, texts, strict=True)):
            if start >= past and text.count(" ") >= 5 and text.strip():
                after = beside[at + 1 :]
                scan.open(start, end, "row", 0, cells=cells, labels=above[:at], beside=after)
                scan.flush()
            past = max(end, past)
