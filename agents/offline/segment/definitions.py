"""What a document says its placeholders stand for, each with the line that says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from agents.offline.segment.passages import Span

_ATTRIBUTE = re.compile(r"^:(?P<name>[\w-]{1,60}):[ \t]+(?P<value>\S[^\n]*)$", re.MULTILINE)
_REPLACE = re.compile(
    r"^[ \t]*\.\. \|(?P<name>[^|\n]{1,60})\|[ \t]+replace::[ \t]*(?P<value>\S[^\n]*)$", re.MULTILINE
)
_SET = re.compile(
    r"\{%-?[ \t]*(?:set|assign)[ \t]+(?P<name>\w{1,60})[ \t]*=[ \t]*+(?P<value>[^%\n]{1,200}?)"
    r"[ \t]*-?%\}"
)
_ASSIGNED = re.compile(
    r"^[ \t]*(?:[$>][ \t]+)?(?:(?:export|set|const|let|var|ENV|ARG)[ \t]+){0,2}"
    r"(?P<name>[A-Za-z_][\w.-]{0,60})[ \t]*[:?]?=[ \t]*(?P<value>[^\s=][^\n]*?);?[ \t]*$",
    re.MULTILINE,
)
_FRONT = re.compile(
    r"(?:---|\+\+\+)[ \t]*\n(?P<told>[\s\S]{0,8000}?)\n(?:---|\+\+\+|\.\.\.)[ \t]*\n"
)
_FIELD = re.compile(
    r"^[ \t]*(?P<name>[\w.-]{1,60})[ \t]*[:=][ \t]+(?P<value>\S[^\n]*)$", re.MULTILINE
)
_ROW = re.compile(r"^[ \t]*\|(?P<cells>[^\n]*\|)[ \t]*$", re.MULTILINE)
_VALUE_COLUMN = re.compile(
    r"\W*(?:values?|set to|replaced by|stands for|default|wert|valor)\b", re.IGNORECASE
)
_MARKS = "`{}$%<>| \t"
_NO_VALUE = re.compile(r"[$`{\[(<|>*&]|.*[;(){}=]|(?:true|false|null|none)$", re.IGNORECASE)
_NAMED = re.compile(r"\{(?P<name>[\w-]{1,60})\}")
_DEEPEST = 3  # a value that names another
LONGEST = 120


@dataclass(frozen=True, slots=True)
class Definition:
    value: str
    span: Span  # of the line that says it


def read_definitions(text: str, dialect: str) -> dict[str, Definition]:
    """What each name stands for; nothing of one that has several values."""
    definitions: dict[str, Definition] = {}
    several: set[str] = set()
    for name, definition in _definitions(text, dialect):
        if definitions.setdefault(name, definition).value != definition.value:
            several.add(name)
    unique = {name: it for name, it in definitions.items() if name not in several}
    for _ in range(_DEEPEST):
        unique = {name: replace(it, value=_fill(it.value, unique)) for name, it in unique.items()}
    return {name: it for name, it in unique.items() if not _NO_VALUE.match(it.value)}


def _fill(value: str, definitions: dict[str, Definition]) -> str:
    if "{" not in value:
        return value
    filled = _NAMED.sub(
        lambda it: definitions[it["name"]].value if it["name"] in definitions else it[0], value
    )
    return filled if len(filled) <= LONGEST else value


def _definitions(text: str, dialect: str) -> Iterator[tuple[str, Definition]]:
    if dialect == "adoc":
        yield from _read_values(_ATTRIBUTE, text)
    if dialect == "rst":
        yield from _read_values(_REPLACE, text)
    if front := _FRONT.match(text):
        yield from _read_values(_FIELD, text, *front.span("told"))
    if "{%" in text:
        yield from _read_values(_SET, text)
    if "=" in text:
        yield from _read_values(_ASSIGNED, text)
    if "|" in text:
        yield from _rows(text)


def _read_values(
    pattern: re.Pattern[str], text: str, start: int = 0, end: int | None = None
) -> Iterator[tuple[str, Definition]]:
    for it in pattern.finditer(text, start, len(text) if end is None else end):
        value = it["value"].strip().strip("\"'")
        if value and len(value) <= LONGEST:
            yield it["name"], Definition(value, (it.start("name"), it.end("value")))


def _rows(text: str) -> Iterator[tuple[str, Definition]]:
    """The rows of tables with a column of values."""
    column, last = -1, -2
    for row in _ROW.finditer(text):
        cells = row["cells"].split("|")[:-1]
        if row.start() != last + 1:
            column = next((at for at, it in enumerate(cells) if at and _VALUE_COLUMN.match(it)), -1)
        elif 0 < column < len(cells):
            name, value = cells[0].strip(_MARKS), cells[column].strip(" \t`")
            if name and value.strip("-: ") and len(value) <= LONGEST:
                yield name, Definition(value, row.span("cells"))
        last = row.end()
