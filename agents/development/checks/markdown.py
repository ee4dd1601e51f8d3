"""Reads Markdown as far as checks need it: lines by kind, headings, sections, tables, links.

A full parser would hide what is wrong with a draft; here every line keeps its number. All of it
takes any text and never raises. Text in code fences and HTML comments is no heading, table or link.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["prose", "fence", "code"]

_LINE_END = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(
    r"^[ \t]*(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<mark>`{3,}|~{3,})(?P<info>.*)$"
)
_HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})(?:[ \t]++(?P<title>.*))?$")
_UNDERLINE = re.compile(r"^ {0,3}(?P<mark>=+|-{2,})[ \t]*$")
_NO_PARAGRAPH = re.compile(r"^[ \t]*(?:[-*+>|#]|\d{1,9}[.)][ \t]|$)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_CELL_END = re.compile(r"(?<!\\)\|")
_DELIMITER_CELL = re.compile(r"^:?-+:?$")
_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)*[.):]?|[A-Za-z][.)])\s+")


@dataclass(frozen=True, slots=True)
class Line:
    """``number`` begins at 1. ``prose``: ``text`` without code spans and comments, same length."""

    number: int
    text: str
    prose: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Heading:
    """``level`` 1 to 6; ``last_line``: of an underlined heading its second line."""

    line: int
    level: int
    title: str
    last_line: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with all lines up to the next one of its level or above."""

    heading: Heading
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    header: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Document:
    lines: tuple[Line, ...]
    headings: tuple[Heading, ...]
    open_fence: int | None  # the line of a fence that is never closed
    open_comment: int | None  # the line of a comment that is never closed


def split_lines(text: str) -> list[str]:
    """The lines without their ends: LF, CRLF or CR, and no other character ends one."""
    return _LINE_END.split(text)


def read_document(text: str) -> Document:
    """Each line of ``text`` with its kind, and the headings."""
    lines: list[Line] = []
    fence, opened_at = "", None
    in_comment, commented_at = False, None
    for number, raw in enumerate(split_lines(text), start=1):
        match = _FENCE.match(raw)
        if fence:
            closes = match is not None and _closes(match, fence)
            lines.append(Line(number, raw, "", "fence" if closes else "code"))
            fence, opened_at = ("", None) if closes else (fence, opened_at)
        elif match and not in_comment and not ("`" in match["mark"] and "`" in match["info"]):
            fence, opened_at = match["mark"], number
            lines.append(Line(number, raw, "", "fence"))
        else:
            was_open = in_comment
            prose, in_comment = _blank(raw, in_comment)
            commented_at = number if in_comment and not was_open else commented_at
            lines.append(Line(number, raw, prose, "prose"))
    open_comment = commented_at if in_comment else None
    return Document(tuple(lines), tuple(_headings(lines)), opened_at, open_comment)


def sections_of(document: Document) -> tuple[Section, ...]:
    """Every heading with its lines; a section holds the lines of its subsections, too."""
    sections = []
    for place, heading in enumerate(document.headings):
        end = next(
            (it.line - 1 for it in document.headings[place + 1 :] if it.level <= heading.level),
            len(document.lines),
        )
        sections.append(Section(heading, document.lines[heading.last_line : end]))
    return tuple(sections)


def own_lines(document: Document, heading: Heading) -> tuple[Line, ...]:
    """The lines between this heading and the next one, whatever its level."""
    following = (it.line for it in document.headings if it.line > heading.line)
    return document.lines[heading.last_line : min(following, default=len(document.lines) + 1) - 1]


def normalize_title(title: str) -> str:
    """A title without numbering, emphasis, case and final colon, to compare it with."""
    plain = unicodedata.normalize("NFKC", title).replace("*", "").replace("`", "").strip(" _\t")
    return " ".join(_NUMBERING.sub("", plain).casefold().split()).rstrip(" :.")


def tables_of(lines: Sequence[Line]) -> tuple[Table, ...]:
    """Tables that have a header, a delimiter row and rows that begin with a pipe."""
    tables, block = [], list[Row]()
    for line in [*lines, None]:
        if line is not None and line.kind == "prose" and is_table_row(line):
            block.append(Row(line.number, cells_of(line.text)))
            continue
        if len(block) > 1 and is_delimiter(block[1].cells):
            tables.append(Table(block[0], tuple(block[2:])))
        block = []
    return tuple(tables)


def is_table_row(line: Line) -> bool:
    """Whether it begins with a pipe, and not within a comment."""
    return line.text.lstrip().startswith("|") and line.prose.lstrip().startswith("|")


def cells_of(text: str) -> tuple[str, ...]:
    """The cells of a row that begins with a pipe; the last pipe may be missing."""
    parts = _CELL_END.split(text.strip())[1:]
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return tuple(part.strip() for part in parts)


def is_delimiter(cells: Sequence[str]) -> bool:
    return bool(cells) and all(_DELIMITER_CELL.match(cell) for cell in cells)


def blank_code(text: str) -> str:
    """The text with spaces in place of its code spans."""
    return _CODE_SPAN.sub(lambda match: " " * len(match[0]), text)


def code_spans(text: str) -> tuple[str, ...]:
    return tuple(match[2].strip() for match in _CODE_SPAN.finditer(text))


def _closes(match: re.Match[str], fence: str) -> bool:
    mark = match["mark"]
    if match["item"]:
        return False
    return mark[0] == fence[0] and len(mark) >= len(fence) and not match["info"].strip()


def _blank(raw: str, in_comment: bool) -> tuple[str, bool]:
    """The line without comments and code spans, and whether a comment is still open behind it."""
    prose, at = "", 0
    text = raw if in_comment else blank_code(raw)
    while at < len(raw):
        if in_comment:
            end = raw.find("-->", at)
            stop = len(raw) if end < 0 else end + 3
            prose, at, in_comment = prose + " " * (stop - at), stop, end < 0
            text = raw[:at] + blank_code(raw[at:])
        else:
            start = text.find("<!--", at)
            stop = len(raw) if start < 0 else start
            prose, at, in_comment = prose + text[at:stop], stop, start >= 0
    return prose, in_comment


def _drop_closing(title: str) -> str:
    """The title of a heading without the marks that may close it."""
    shorter = title.rstrip("#")
    return shorter.rstrip() if not shorter or shorter[-1] in " \t" else title


def _headings(lines: Sequence[Line]) -> list[Heading]:
    headings = []
    for before, line in zip([None, *lines], lines, strict=False):
        if line.kind != "prose":
            continue
        match = _HEADING.match(line.text) if line.prose.lstrip().startswith("#") else None
        if match:
            title = _drop_closing((match["title"] or "").strip())
            headings.append(Heading(line.number, len(match["marks"]), title, line.number))
        elif before is not None and (mark := _underlines(before, line)):
            level = 1 if mark == "=" else 2
            title = before.text.strip()
            headings.append(Heading(before.number, level, title, line.number))
    return headings


def _underlines(before: Line, line: Line) -> str:
    """``=`` or ``-`` where the line makes a heading of the one before it; else nothing."""
    match = _UNDERLINE.match(line.text) if line.prose.strip() else None
    if not match or before.kind != "prose" or _NO_PARAGRAPH.match(before.prose):
        return ""
    return "" if _UNDERLINE.match(before.prose) else match["mark"][0]
