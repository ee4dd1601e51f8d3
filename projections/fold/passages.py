"""A chunk as passages: the pieces of text that search answers with.

A passage ends where a paragraph, a row or an item of a list ends, so that a quote is whole; only
what is far too long is cut within, at the end of a line or sentence. It knows what it continues:
rows their table's header, items the line that introduces them. About 500 characters: in longer ones
a quote hides what it is shown for, shorter ones lose the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from schemas.numbered_facts import list_numbered_facts

TARGET = 500  # characters
LONGEST = 800  # a unit longer than this is cut
SHORTEST = 120  # what is shorter joins the passage before it
LONGEST_LEAD = 200

_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|\(?[a-z][.)])\s+")
_ROW = re.compile(r"\s*\|")
_RULE = re.compile(r"[\s|:+=-]+$")
_HEADING = re.compile(r"#{1,6}\s|={1,6}\s+\S")
_CUT = re.compile(r"(?<=[.!?;:])\s+|\n")


@dataclass(frozen=True, slots=True)
class Passage:
    """A half-open span of its chunk's text; ``line`` counts from the chunk's first line, from 0."""

    start: int
    end: int
    line: int
    line_end: int
    lead: str


@dataclass(frozen=True, slots=True)
class _Unit:
    start: int
    end: int
    lead: str
    opens: bool = False  # a heading: a passage begins here


def passages_of(text: str) -> list[Passage]:
    """The passages of a chunk's text in order; together they hold all of it but blank lines."""
    made: list[Passage] = []
    at = line = 0
    for start, end, lead in _packed(list(_units(text))):
        line += text.count("\n", at, start)
        at = start
        made.append(Passage(start, end, line, line + text.count("\n", start, end), lead))
    return made


def numbered_passages_of(text: str) -> list[Passage]:
    """A passage for each line of a numbered list of facts; what stands between as usual."""
    made: list[Passage] = []
    done = 0
    for fact in (*list_numbered_facts(text), None):
        end = fact.start if fact else len(text)
        if text[done:end].strip():
            made += [_shift(each, text, done) for each in passages_of(text[done:end])]
        if fact:
            line = text.count("\n", 0, fact.start)
            made.append(Passage(fact.start, fact.end, line, line, ""))
            done = fact.end
    return made


def _shift(passage: Passage, text: str, by: int) -> Passage:
    """The passage of a part of the text that begins at ``by``, as one of the text."""
    lines = text.count("\n", 0, by)
    return Passage(
        passage.start + by,
        passage.end + by,
        passage.line + lines,
        passage.line_end + lines,
        passage.lead,
    )


def _packed(units: list[_Unit]) -> list[tuple[int, int, str]]:
    """Neighbours joined up to the target; a short rest goes with what stands before it."""
    packed: list[tuple[int, int, str]] = []
    opened = False  # the last one holds a heading alone so far
    for unit in units:
        if packed:
            start, _, lead = packed[-1]
            whole = unit.end - start
            fits = whole <= TARGET or (unit.end - unit.start < SHORTEST and whole <= LONGEST)
            if opened or (fits and not unit.opens):
                packed[-1] = (start, unit.end, lead)
                opened = opened and unit.opens
                continue
        packed.append((unit.start, unit.end, unit.lead))
        opened = unit.opens
    return packed


def _units(text: str) -> Iterator[_Unit]:
    """Headings, paragraphs, items and rows; what is too long in pieces."""
    lead, header = "", ""
    for block_start, block_end in _blocks(text):
        starts = [block_start, *_borders(text, block_start, block_end), block_end]
        header = ""
        for start, end in pairwise(starts):
            piece = text[start:end]
            if _HEADING.match(piece):
                lead = header = ""
                yield _Unit(start, end, "", opens=True)
                continue
            if _ROW.match(piece):
                if not header:
                    header = piece.splitlines()[0].strip()[:LONGEST_LEAD]
                    yield from _cut(text, start, end, lead)
                else:
                    yield from _cut(text, start, end, header)
                continue
            is_item = _ITEM.match(piece) is not None
            yield from _cut(text, start, end, lead if is_item else "")
            if not is_item:
                stripped = piece.rstrip()
                lead = (
                    stripped.rpartition("\n")[2][-LONGEST_LEAD:] if stripped.endswith(":") else ""
                )


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of lines without a blank line between them."""
    start, at = -1, 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            start = at if start < 0 else start
        elif start >= 0:
            yield start, at
            start = -1
        at += len(line)
    if start >= 0:
        yield start, at


def _borders(text: str, start: int, end: int) -> Iterator[int]:
    """Where a heading, an item or a row begins inside a block, and what follows a heading."""
    at, after_heading = start, False
    for line in text[start:end].splitlines(keepends=True):
        is_heading = _HEADING.match(line) is not None
        begins = is_heading or after_heading or _ITEM.match(line) or _ROW.match(line)
        if begins and at > start and not _RULE.match(line):
            yield at
        after_heading = is_heading
        at += len(line)


def _cut(text: str, start: int, end: int, lead: str) -> Iterator[_Unit]:
    """The span without blanks at its end, in pieces of about the target when it is too long."""
    end = start + len(text[start:end].rstrip())
    while end - start > LONGEST:
        cuts = [each.end() for each in _CUT.finditer(text, start + SHORTEST, start + TARGET)]
        border = cuts[-1] if cuts else start + TARGET
        yield _Unit(start, start + len(text[start:border].rstrip()), lead)
        start = border
    if end > start:
        yield _Unit(start, end, lead)
