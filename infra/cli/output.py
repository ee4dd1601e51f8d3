"""How read commands answer: JSON lines for programs, short tables for people; nothing else."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.table import Column, Table

from schemas.shortening import shorten

LONGEST_CELL = 90
WIDTH_OF_A_FILE = 2_000  # columns when nobody's terminal says how many there are


def answer() -> Console:
    """Standard output as it is now."""
    out = Console(highlight=False)
    if not out.is_terminal:
        out.width = WIDTH_OF_A_FILE
    return out


def as_lines(rows: Iterable[Mapping[str, Any]]) -> None:
    """One JSON object a line on standard output; what JSON lacks (times, ids) as text."""
    for row in rows:
        print(json.dumps(row, default=_text, ensure_ascii=False))


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], empty: str = "Nothing."
) -> None:
    """A table on standard output, or ``empty`` when there is no row."""
    out = answer()
    shown = Table(*(Column(name, overflow="fold") for name in columns))  # an id is never cut
    for row in rows:
        shown.add_row(*(_cell_text(value) for value in row))
    if shown.row_count:
        out.print(shown)
    else:
        out.print(empty)


def cell(text: object, longest: int = LONGEST_CELL) -> str:
    """``text`` on one line of at most ``longest`` characters."""
    return shorten(" ".join(str(text).split()), longest)


def _cell_text(value: object) -> str:
    return "–" if value is None else str(value).replace("[", "\\[")


def _text(value: object) -> str:
    """Times in UTC, ISO 8601 with milliseconds; all else as text."""
    if isinstance(value, datetime):
        told = value.astimezone(UTC).isoformat(timespec="milliseconds")
        return told.removesuffix("+00:00") + "Z"
    return str(value)
