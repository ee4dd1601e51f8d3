"""The table of files to change, and the requirements, that a draft lists."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from agents.development.checks.markdown import (
    Document,
    Line,
    Row,
    Table,
    code_spans,
    normalize_title,
    read_document,
    sections_of,
    tables_of,
)
from agents.development.checks.rules import FILES_TITLES

Change = Literal["modify", "new", "delete"]

_LINK = re.compile(r"^\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_PATH_COLUMN = re.compile(r"\b(?:files?|paths?)\b", re.IGNORECASE)
_CHANGE_COLUMN = re.compile(r"\b(?:change|action|status|state|type|kind|new)\b", re.IGNORECASE)
_NEW = re.compile(r"^\W*(?:new|created?|added?)(?: file)?(?:\W*$|\s*[:,;(–—-])", re.IGNORECASE)
_DELETE = re.compile(r"^\W*(?:deleted?|removed?)(?: file)?(?:\W*$|\s*[:,;(–—-])", re.IGNORECASE)
_SUFFIX = re.compile(r"[ \t]*[(\[](?P<mark>[^)\]]*)[)\]][ \t]*$")
_LINES = re.compile(r"(?:#L\d+(?:-L?\d+)?|:\d+(?:[-–]\d+)?)$")
_FILES = frozenset(normalize_title(title) for title in FILES_TITLES)

_ID = r"(?:[A-Z][A-Z0-9]{0,9}(?:-[A-Z]{1,9})?-\d{1,5}(?:\.\d{1,3})*|(?:R|FR|NFR|REQ)\d{1,4})"
_IDS = re.compile(rf"(?<![\w-]){_ID}(?![\w-])", re.IGNORECASE)
_DEFINITION = re.compile(
    rf"^[ \t]*(?:(?:[-*+]|\d{{1,9}}[.)]|\||#{{1,6}})[ \t]*)?(?:\[[ xX]\][ \t]*)?[*_`\[]*"
    rf"(?P<id>{_ID})(?![\w-])(?!\.\d)"
)


@dataclass(frozen=True, slots=True)
class FileToChange:
    """``path`` as it is written, without leading ``./``."""

    path: str
    change: Change
    line: int


@dataclass(frozen=True, slots=True)
class Requirement:
    id: str
    line: int


def read_files_table(text: str) -> tuple[FileToChange, ...]:
    """The rows of the tables below a title such as «Files to change», in their order."""
    return files_in(read_document(text))


def files_in(document: Document) -> tuple[FileToChange, ...]:
    files: dict[int, FileToChange] = {}
    for section in sections_of(document):
        if normalize_title(section.heading.title) in _FILES:
            for table in tables_of(section.lines):
                files |= {it.line: it for row in table.rows if (it := _file_of(table, row))}
    return tuple(files[line] for line in sorted(files))


def clean_path(text: str) -> str:
    """A path as it stands in a cell or an item, without marks of Markdown and line numbers."""
    text = text.strip().strip("*_").strip()
    spans = code_spans(text)
    link = _LINK.match(text)
    path = spans[0] if spans else link[1] if link else _SUFFIX.sub("", text)
    return _LINES.sub("", path.strip().strip("`").strip()).removeprefix("./")


def requirements_in(document: Document) -> tuple[Requirement, ...]:
    """Each definition of a requirement below a title with the word, an id twice where it is."""
    lines: dict[int, Line] = {}
    for section in sections_of(document):
        if re.search(r"\brequirements?\b", normalize_title(section.heading.title)):
            lines |= {line.number: line for line in section.lines if line.kind == "prose"}
    matches = [(number, _DEFINITION.match(lines[number].text)) for number in sorted(lines)]
    return tuple(
        Requirement(match["id"], number)
        for number, match in matches
        if match and lines[number].prose.strip(" \t|*_-+")
    )


def ids_in(texts: Iterable[str]) -> tuple[str, ...]:
    """Everything that looks like the id of a requirement, in capitals, once, in its order."""
    return tuple(dict.fromkeys(it[0].upper() for text in texts for it in _IDS.finditer(text)))


def prefix_of(identifier: str) -> str:
    return identifier.rstrip("0123456789.").upper()


def _file_of(table: Table, row: Row) -> FileToChange | None:
    names = table.header.cells
    at = next((place for place, name in enumerate(names) if _PATH_COLUMN.search(name)), 0)
    if at >= len(row.cells) or not (path := clean_path(row.cells[at])):
        return None
    mark = _SUFFIX.search(row.cells[at])
    marks = [mark["mark"]] if mark and not _LINK.match(row.cells[at]) else []
    for place, (name, cell) in enumerate(zip(names, row.cells, strict=False)):
        if place != at and _CHANGE_COLUMN.search(name):
            is_yes = "new" in name.casefold() and cell.casefold() in ("yes", "x", "✓", "true")
            marks.append("new" if is_yes else cell)
    marks += [cell for cell in row.cells if normalize_title(cell) == "new"]
    if any(_NEW.match(it) for it in marks):
        return FileToChange(path, "new", row.line)
    change: Change = "delete" if any(_DELETE.match(it) for it in marks) else "modify"
    return FileToChange(path, change, row.line)
