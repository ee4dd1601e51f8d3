"""Secrets in tables: a column, or a row, that is called as a secret is.

Tables of Markdown, and files of values with commas, semicolons or tabs between them.
"""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import re
from collections.abc import Iterator

from streams.hygiene.secrets.names import ANY_KEY, PASSWORD_NAMES, is_of_something_else
from streams.hygiene.secrets.values import looks_password, looks_secret, mixes_letters_and_digits

Span = tuple[int, int]
MOST_ROWS = 2_000
TABLE_LINE = re.compile(
    r"[ \t]*+\|?[ \t]*+:?-{2,}+:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+"
)
CELL = re.compile(r"[ \t*`\"']*([^\s|*`\"'][^\n]*?)[ \t*`\"']*")
LINK = re.compile(r"\]\(|^\[")
DIGIT = re.compile("[0-9]")
DELIMITERS = ",;\t"
HEAD_CELL = re.compile(r"[ \t]*\"?[^\W\d][\w ./()-]{0,40}\"?[ \t]*")


def find_in_tables(text: str, lowered: str, named: list[tuple[int, str]]) -> Iterator[Span]:
    """Values in a column, or in a row, that is called as a secret is."""
    done = -1
    for at, name in named:
        if at < done or name == ANY_KEY or is_of_something_else(lowered, at + len(name)):
            continue
        begin = text.rfind("\n", max(0, at - 2_000), at) + 1
        end = text.find("\n", at, at + 2_000)
        if end < 0:
            continue
        line = text[begin:end]
        if "|" in line:
            yield from _in_rows(text, begin, end, at, name, "|")
            continue
        for mark in DELIMITERS:
            if mark in line and _is_head(text, begin, end, mark):
                yield from _in_column(
                    text,
                    end + 1,
                    _cell_index(line, at - begin, mark),
                    name,
                    mark,
                )
                break


def _is_head(text: str, begin: int, end: int, mark: str) -> bool:
    """Whether a line is the first of a table with a mark between its cells."""
    if begin > 1 and text[begin - 2 : begin] != "\n\n":
        return False
    cells = text[begin:end].split(mark)
    following = text[end + 1 : text.find("\n", end + 1, end + 4_000)]
    return (
        all(HEAD_CELL.fullmatch(cell) for cell in cells)
        and abs(following.count(mark) - len(cells) + 1) <= following.count('"')
        and bool(following)
    )


def _cell_index(line: str, at: int, mark: str) -> int:
    return line.count(mark, 0, at)


def _in_rows(text: str, begin: int, end: int, at: int, name: str, mark: str) -> Iterator[Span]:
    line = text[begin:end]
    index = _cell_index(line, at - begin, mark)
    cell = line.split(mark)[index].strip(" \t*`\"'").lower()
    if not re.fullmatch(
        rf"(?:[^\s]{{1,24}}[ ]){{0,3}}[\w.-]{{0,40}}{re.escape(name)}(?:s|es)?[\w.-]{{0,30}}:?",
        cell,
    ):
        return
    if line.lstrip().startswith("||"):  # of Jira
        yield from _in_column(text, end + 1, line.count("||", 0, at - begin), name, mark)
        return
    following = text.find("\n", end + 1)
    if (
        TABLE_LINE.fullmatch(text, end + 1, following if following >= 0 else len(text))
        and following >= 0
    ):
        yield from _in_column(text, following + 1, index, name, mark)
    place = begin
    for number, other in enumerate(line.split(mark)):
        if number > index and (span := _in_cell(text, place, other, name)):
            yield span
        place += len(other) + 1


def _in_column(text: str, at: int, index: int, name: str, mark: str) -> Iterator[Span]:
    for _ in range(MOST_ROWS):
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)]
        if mark not in line:
            return
        cells = _split_row(line, mark)
        if index < len(cells):
            place = at + sum(len(it) + 1 for it in cells[:index])
            if span := _in_cell(text, place, cells[index], name, config=mark != "|"):
                yield span
        if end < 0:
            return
        at = end + 1


def _split_row(line: str, mark: str) -> list[str]:
    """The cells of a row; within quotation marks of CSV a mark is no border."""
    if '"' not in line or mark == "|":
        return re.split(rf"(?<!\\){re.escape(mark)}", line)
    cells, open_, last = [], False, 0
    for at, char in enumerate(line):
        if char == '"':
            open_ = not open_
        elif char == mark and not open_:
            cells.append(line[last:at])
            last = at + 1
    return [*cells, line[last:]]


def _in_cell(text: str, place: int, cell: str, name: str, *, config: bool = False) -> Span | None:
    match = CELL.fullmatch(cell)
    if match is None:
        return None
    said = match[1]
    if LINK.search(said):
        return None
    if name in PASSWORD_NAMES:
        if not (config or DIGIT.search(said)) or not looks_password(
            said, exact=True, config=config
        ):
            return None
    elif not (mixes_letters_and_digits(said) and looks_secret(said)):
        return None
    return place + match.start(1), place + match.end(1)
