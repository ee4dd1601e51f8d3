"""Lists of what a reader wants from a project: which place says it, of which kind, how important.

A list is a folder with ``statements.jsonl`` and, where there are any, ``prd.jsonl`` and
``features.jsonl``. A row names its place by path and lines. It has the words of the place as
``quote``, or else the columns where they begin and end (``column_start`` in the first line,
``column_end`` in the last, from 0), and they are read from the project: so a list of somebody
else's documents holds none of their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.measure.rows import BadRow, Row, rows_of
from infra.platform.errors import Refusal
from schemas.events.ledger import EvidenceRow

SHARED = 0.5  # of the gold words, so that a row of evidence says the same
WORD = re.compile(r"[a-z0-9](?:[a-z0-9_.-]*[a-z0-9])?")
WITHOUT_CONTENT = """
a an the of to in on for and or is are be was were it this that these those with as at by from
we our you your they their will can may must should shall not no do does has have had if when
then than into out over under so such also which who what how its
"""
STOP = frozenset(WITHOUT_CONTENT.split())
STANDS_FOR = {"scope": frozenset({"requirement", "decision", "claim"})}  # which is no kind of atom
SECTIONS = {"scope_in": "scope", "scope_out": "scope"}  # of the PRD


def words_of(text: str) -> frozenset[str]:
    """The words that carry the content of ``text``."""
    return frozenset(it for it in WORD.findall(text.lower()) if it not in STOP and len(it) > 1)


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a document, from 1 and both included, and the words that count there."""

    path: str
    first: int
    last: int
    words: frozenset[str]

    def overlaps(self, path: str, row: EvidenceRow) -> bool:
        return path == self.path and row.line_start <= self.last and row.line_end >= self.first

    def is_said_by(self, path: str, row: EvidenceRow) -> bool:
        shared = len(self.words & words_of(row.snippet))
        return self.overlaps(path, row) and shared >= SHARED * len(self.words)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A statement that a reader wants in the ledger; ``places`` are all that say it."""

    kind: str
    kinds: frozenset[str]
    importance: int
    text: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class WantedInPrd:
    """A statement that the PRD has to make, and in which section."""

    section: str
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Gold:
    """All lists of one project; ``features`` are names."""

    statements: list[Wanted]
    prd: list[WantedInPrd]
    features: list[str]


def read_gold(gold: Path, folder: Path) -> Gold:
    """The lists in ``gold`` of the project in ``folder``.

    Raises Refusal when there is none, when a row is not sound, or names no place of the project.
    """
    documents = _Documents(folder)
    statements = [_wanted(row, documents) for row in _rows(gold / "statements.jsonl")]
    if not statements:
        raise Refusal(f"There is no list in {gold}: it has no statements.jsonl with rows.")
    prd = [_wanted_in_prd(row, documents) for row in _rows(gold / "prd.jsonl", "section")]
    features = [row["name"] for row in _rows(gold / "features.jsonl", "name")]
    return Gold(statements, prd, features)


def _wanted(row: Row, documents: _Documents) -> Wanted:
    kinds = [row.get("kind", ""), *row.get("alt_kinds", ())]
    return Wanted(
        kind=kinds[0],
        kinds=frozenset().union(*(STANDS_FOR.get(it, frozenset({it})) for it in kinds)),
        importance=int(row.get("importance", 1)),
        text=_text_of(row),
        places=tuple(documents.place(it) for it in (row, *row.get("same", ()))),
    )


def _wanted_in_prd(row: Row, documents: _Documents) -> WantedInPrd:
    section = str(row["section"])
    return WantedInPrd(SECTIONS.get(section, section), documents.place(row), _text_of(row))


def _text_of(row: Row) -> str:
    return str(row.get("statement") or row.get("quote", ""))


class _Documents:
    """The project's documents as lines, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: dict[str, list[str]] = {}

    def place(self, row: Row) -> Place:
        """Where the row is, with its words. Raises Refusal when the project has no such place."""
        try:
            path, first, last = row["path"], int(row["line_start"]), int(row["line_end"])
        except (KeyError, TypeError, ValueError):
            raise Refusal(f"A row has no place: {row}.") from None
        text = row["quote"] if "quote" in row else self._read(path, first, last, row)
        return Place(path, first, last, words_of(text))

    def _read(self, path: str, first: int, last: int, row: dict[str, Any]) -> str:
        if path not in self._lines:
            self._lines[path] = self._lines_of(path)
        lines = self._lines[path][first - 1 : last]
        if first < 1 or len(lines) != last - first + 1:
            raise Refusal(f"{path} in {self._folder} has no lines {first} to {last}.")
        lines[-1] = lines[-1][: row.get("column_end")]
        lines[0] = lines[0][row.get("column_start", 0) :]
        return " ".join(lines)

    def _lines_of(self, path: str) -> list[str]:
        try:
            return (self._folder / path).read_text("utf-8").split("\n")
        except (OSError, ValueError) as error:
            raise Refusal(f"{path} of the list cannot be read in {self._folder}.") from error


def _rows(path: Path, *fields: str) -> Iterator[Row]:
    """The rows of a list; none without the file. Raises Refusal."""
    if not path.exists():
        return
    with path.open("rb") as lines:
        yield from _sound(path, rows_of(lines, fields))


def _sound(path: Path, rows: Iterable[Row | BadRow]) -> Iterator[Row]:
    for row in rows:
        if isinstance(row, BadRow):
            raise Refusal(f"{path}, line {row.number}: {row.problem}.")
        yield row
