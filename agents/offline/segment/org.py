"""The markup of Org: what of it is no word of its author.

Drawers, planning lines, keywords, blocks of code, tags and priorities are blanks to the scanner.
Its headings stay, with the keyword that says whether they are tasks.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agents.offline.lexicons import load_words
from agents.offline.segment.passages import Span

_BLOCK = re.compile(
    r"^[ \t]*#\+begin_(?P<what>\w+)[^\n]*\n(?P<inside>[\s\S]*?)^[ \t]*#\+end_(?P=what)[^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
_PROSE_BLOCKS = frozenset({"center", "note", "warning", "tip", "important", "caution", "info"})
_DRAWER = re.compile(r"^[ \t]*:(?!end:)[\w-]+:[ \t]*\n[\s\S]*?^[ \t]*:end:[ \t]*$", re.M | re.I)
_KEYWORD = re.compile(
    r"^[ \t]*#(?:\+\w[\w-]*(?:\[[^\]\n]*\])?:[^\n]*|\+(?:begin|end)_[^\n]*|[ \t][^\n]*|)$",
    re.M | re.I,
)
_PLANNING = re.compile(
    r"^[ \t]*(?:(?:DEADLINE|SCHEDULED|CLOSED):[ \t]*[<\[][^>\]\n]*[>\]][ \t]*)+$|"
    r"^[ \t]*CLOCK:[^\n]*$",
    re.M,
)
_FIXED = re.compile(r"^[ \t]*:(?:[ \t][^\n]*)?$", re.M)
_TAGS = re.compile(r"(?<=[ \t]):(?:[\w@#%]+:)+[ \t]*$", re.M)
_COOKIES = re.compile(
    r"\[#[A-Z0-9]\]|\[\d*/\d*\]|\[\d*%\]|<\d{4}-\d\d-\d\d[^>\n]{0,40}>|\[\d{4}-\d\d-\d\d[^\]\n]{0,40}\]"
)
_STRUCK = re.compile(r"(?<![\w+])\+(?=[^\s+])[^\n+]{1,600}(?<=\S)\+(?![\w+])")
_EMPHASIS = re.compile(
    r"(?<![\w*/=~])(?P<mark>[*/=~])(?=\S)(?P<said>[^\n]{1,300}?)(?<=\S)(?P=mark)(?![\w*/=~])"
)
_LINK = re.compile(r"\[\[(?P<to>[^\[\]\n]+)\](?:\[(?P<said>[^\[\]\n]+)\])?\]")
HEADLINE = re.compile(
    r"(?P<stars>\*+)[ \t]+(?:(?P<state>[A-ZÄÖÜ][A-ZÄÖÜ_-]{2,15})[ \t]+(?=\S))?"
    r"(?P<title>\S.*?)[ \t]*$"
)
_OPEN_STATES = load_words("polarity", "org_open")
_DONE_STATES = load_words("polarity", "org_done")
_GONE_STATES = load_words("polarity", "org_gone")


class Headline(NamedTuple):
    """``state`` is ``open``, ``done``, ``gone`` or nothing; the title's place is in its line."""

    level: int
    title: str
    at: int
    state: str


def headline_in(line: str) -> Headline | None:
    match = HEADLINE.match(line)
    if match is None:
        return None
    word = match["state"] or ""
    state = (
        "open"
        if word in _OPEN_STATES
        else "done"
        if word in _DONE_STATES
        else "gone"
        if word in _GONE_STATES
        else ""
    )
    is_task = state in ("open", "done") or not word
    at = match.start("title") if is_task else match.start("state")
    return Headline(len(match["stars"]), line[at:].rstrip(), at, state)


def org_markup(text: str) -> list[Span]:
    """The spans of ``text`` that are markup."""
    spans: list[Span] = []
    for block in _BLOCK.finditer(text):
        if block["what"].lower() not in _PROSE_BLOCKS:
            spans.append(block.span())
    for pattern in (_DRAWER, _KEYWORD, _PLANNING, _FIXED, _TAGS, _COOKIES, _STRUCK):
        spans += [it.span() for it in pattern.finditer(text)]
    for it in _EMPHASIS.finditer(text):
        if it.start() and text[it.start() - 1] != "\n":
            spans += [(it.start(), it.start() + 1), (it.end() - 1, it.end())]
    for it in _LINK.finditer(text):
        shown = it.span("said") if it["said"] else it.span("to")
        spans += [(it.start(), shown[0]), (shown[1], it.end())]
    return spans
