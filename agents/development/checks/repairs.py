"""Mends the form of a draft, so that nobody is asked about what a program can put right.

It never changes a word: only marks of headings, lists and tables, numbers of list items, blanks at
the ends of lines, a fence around the whole draft, and headings of sections that may be empty.
What stands in code fences and comments stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.development.checks.markdown import (
    Heading,
    Line,
    blank_code,
    cells_of,
    is_delimiter,
    is_table_row,
    read_document,
    split_lines,
)
from agents.development.checks.rules import DraftRules, match_headings

_ROUNDS = 12  # a step may make another one possible; drafts need two
_OUTER_FENCE = re.compile(
    r"^[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*$", re.IGNORECASE
)
_TIGHT_HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})(?P<title>[^#\s].*)$")
_BULLET = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>[*+•‣◦])[ \t]+(?=\S)")
_RULE = re.compile(r"^[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_NUMBERED = re.compile(r"^(?P<indent>[ \t]*)(?P<number>\d{1,9})(?P<end>[.)])(?P<rest>[ \t]+\S.*)$")
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+\S")


@dataclass(frozen=True, slots=True)
class Repaired:
    """``repairs``: a sentence for each kind of repair, with the lines of the draft as it was."""

    text: str
    repairs: tuple[str, ...]


def repair_draft(text: str, rules: DraftRules) -> Repaired:
    """The draft with its form mended. A repaired draft is not changed again."""
    repairs: list[str] = []
    lines = split_lines(text)
    if not lines[-1]:
        lines.pop()  # behind the last line's end
    if "\r" in text:
        repairs.append("Line ends: LF in place of CR")
    for _ in range(_ROUNDS):
        before = lines
        for name, step in _STEPS:
            after = step(lines, rules)
            if after != lines:
                repairs.append(f"{name}: {_places(lines, after)}")
            lines = after
        if lines == before:
            break
    mended = "\n".join(lines) + "\n" if lines else ""
    return Repaired(mended, tuple(dict.fromkeys(repairs)))


def _places(before: Sequence[str], after: Sequence[str]) -> str:
    """Which lines a step has changed, the first ten by number."""
    if len(before) != len(after):
        first = next(
            (at for at, (a, b) in enumerate(zip(before, after, strict=False), 1) if a != b),
            min(len(before), len(after)) + 1,
        )
        return f"from line {first}"
    numbers = [str(at) for at, (a, b) in enumerate(zip(before, after, strict=True), 1) if a != b]
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(numbers[:10])}{more}"


def _unwrap(lines: list[str], rules: DraftRules) -> list[str]:
    """Without a fence of Markdown that begins and ends the draft."""
    at = next((place for place, line in enumerate(lines) if line.strip()), None)
    match = _OUTER_FENCE.match(lines[at]) if at is not None else None
    if at is None or match is None:
        return lines
    end = max(place for place, line in enumerate(lines) if line.strip())
    mark = lines[end].strip()
    is_closed = end > at and set(mark) == {match["mark"][0]} and len(mark) >= len(match["mark"])
    return lines[at + 1 : end] if is_closed else lines


def _strip(lines: list[str], rules: DraftRules) -> list[str]:
    """Without blanks at the end of lines of text, and blank lines at the end of the draft."""
    kinds = _read(lines)
    stripped = [
        it.text if it.kind == "code" or _is_comment(it) else it.text.rstrip(" \t") for it in kinds
    ]
    while stripped and not stripped[-1] and kinds[len(stripped) - 1].kind != "code":
        stripped.pop()
    return stripped


def _is_comment(line: Line) -> bool:
    return bool(blank_code(line.text).strip()) and not line.prose.strip()


def _space_headings(lines: list[str], rules: DraftRules) -> list[str]:
    """With a blank behind the marks of a heading, where its title is one of the rules."""

    def mend(line: Line) -> str:
        match = _TIGHT_HEADING.match(line.text) if line.prose.lstrip().startswith("#") else None
        if match and rules.section_of(match["title"].rstrip("# ")):
            return f"{match['marks']} {match['title']}"
        return line.text

    return [mend(line) for line in _read(lines)]


def _level_headings(lines: list[str], rules: DraftRules) -> list[str]:
    """Required sections on level 2, what belongs to them below, none more than one level deeper
    than the heading before it.
    """
    document = read_document("\n".join(lines))
    levels = _levels(document.headings, rules)
    mended = list(lines)
    for heading, level in zip(document.headings, levels, strict=True):
        if level != heading.level or heading.last_line != heading.line:
            mended[heading.line - 1] = f"{'#' * level} {heading.title}".rstrip()
            if heading.last_line != heading.line:
                mended[heading.last_line - 1] = ""
    return mended


def _levels(headings: Sequence[Heading], rules: DraftRules) -> list[int]:
    matches = match_headings(headings, rules)
    required = [it.line in matches for it in headings]
    if not any(required):
        return [it.level for it in headings]
    base = headings[required.index(True)].level
    levels: list[int] = []
    before = 1  # a draft may do without a title
    for place, (heading, is_required) in enumerate(zip(headings, required, strict=True)):
        if is_required:
            level, base = 2, heading.level
        elif place == 0 and heading.level < base:
            level = 1
        else:
            level = min(max(heading.level + 2 - base, 2), 6, before + 1)
        levels.append(level)
        before = level
    return levels


def _mark_lists(lines: list[str], rules: DraftRules) -> list[str]:
    """With hyphens as the marks of lists."""

    def mend(line: Line) -> str:
        is_item = bool(line.prose.strip()) and not _RULE.match(line.text)
        match = _BULLET.match(line.text) if is_item else None
        return f"{match['indent']}- {line.text[match.end() :]}" if match else line.text

    return [mend(line) for line in _read(lines)]


def _number_lists(lines: list[str], rules: DraftRules) -> list[str]:
    """With numbers that go up by one from the first of each list."""
    mended = list(lines)
    lists: list[tuple[int, str, int]] = []  # indent, end mark and last number of the open lists
    is_behind_blank = False
    for at, line in enumerate(_read(lines)):
        if not line.text.strip():
            is_behind_blank = True
            continue
        indent = _indent(line.text)
        match = _NUMBERED.match(line.text) if line.kind == "prose" and line.prose.strip() else None
        # What is not indented ends a list behind a blank line; an item does at once.
        is_item = bool(_ITEM.match(line.text)) or line.text.lstrip().startswith("#")
        if not match and (is_behind_blank or is_item):
            lists = [it for it in lists if it[0] < indent]
        if match:
            lists = [it for it in lists if it[0] <= indent]
            number = int(match["number"])
            if lists and lists[-1][:2] == (indent, match["end"]):
                number = lists.pop()[2] + 1
            mended[at] = f"{match['indent']}{number}{match['end']}{match['rest']}"
            lists.append((indent, match["end"], number))
        is_behind_blank = False
    return mended


def _indent(text: str) -> int:
    expanded = text.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _shape_tables(lines: list[str], rules: DraftRules) -> list[str]:
    """With a delimiter row below each header, pipes at both ends and as many cells as columns."""
    mended: list[str] = []
    block: list[str] = []
    for line in [*_read(lines), None]:
        if line is not None and line.kind == "prose" and is_table_row(line):
            block.append(line.text)
            continue
        mended += _shape_table(block)
        block = []
        if line is not None:
            mended.append(line.text)
    return mended


def _shape_table(block: Sequence[str]) -> list[str]:
    rows = [cells_of(line) for line in block]
    if len(rows) < 2 or not rows[0]:
        return list(block)
    delimiters = [at for at, row in enumerate(rows) if is_delimiter(row)]
    columns = len(rows[0])
    if not delimiters:
        rows.insert(1, ("---",) * columns)
    elif delimiters[0] != 1:
        return list(block)
    is_even = all(len(row) == columns for row in rows)
    if delimiters and is_even and all(line.rstrip().endswith("|") for line in block):
        return list(block)
    shaped = []
    for at, row in enumerate(rows):
        cells = [*row, *["---" if at == 1 else ""] * (columns - len(row))]
        shaped.append("|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|")
    return shaped


def _add_sections(lines: list[str], rules: DraftRules) -> list[str]:
    """With headings for the missing sections that may be empty, each in its place."""
    document = read_document("\n".join(lines))
    if document.open_fence is not None or document.open_comment is not None:
        return lines
    places: dict[str, Heading] = {}
    matches = match_headings(document.headings, rules)
    for heading in document.headings:
        if section := matches.get(heading.line):
            places.setdefault(section.title, heading)
    titles = [it.title for it in rules.sections]
    for at, section in enumerate(rules.sections):
        if not section.may_be_empty or section.title in places or not places:
            continue
        following = next((places[it].line for it in titles[at + 1 :] if it in places), None)
        where = len(lines) if following is None else following - 1
        head = lines[:where]
        blank = [""] if head and head[-1] else []
        tail = ["", *lines[where:]] if following is not None else []
        return [*head, *blank, f"## {section.title}", *tail]
    return lines


def _read(lines: Sequence[str]) -> tuple[Line, ...]:
    return read_document("\n".join(lines)).lines if lines else ()


Step = Callable[[list[str], DraftRules], list[str]]
_STEPS: tuple[tuple[str, Step], ...] = (
    ("A fence around the draft", _unwrap),
    ("Blanks at the ends of lines", _strip),
    ("A blank behind the marks of headings", _space_headings),
    ("Levels of headings", _level_headings),
    ("Marks of lists", _mark_lists),
    ("Numbers of list items", _number_lists),
    ("Form of tables", _shape_tables),
    ("Headings of sections that may be empty", _add_sections),
)
