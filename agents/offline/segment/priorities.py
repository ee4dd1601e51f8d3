"""Words of MoSCoW in front of what they rank: «Must: …», «Won't have: …», «[S] …», and as headings.

One of its letters counts only in a text that ranks by them: «(C)» is also a copyright.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from agents.offline.lexicons import Wording
from agents.offline.segment.sections import simplify

Priority = Literal["must", "should", "could", "wont"]

_RANK = r"(?:must|should|could|won[’']?t|will[ ]not|nice)(?:[ -](?:to[ -])?(?:have|do))?s?"
_LABEL = re.compile(
    rf"(?:\*\*|__)?(?-i:(?=[A-Z]))(?P<rank>{_RANK})(?P<bare>)"
    r"(?:[ ]\([^()\n]{1,30}\))?(?:\*\*|__)?[ ]?"
    r"(?::(?:\*\*|__)?|[–—-](?=[ \t]))[ \t]*(?=\S)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    rf"(?:\*\*|__)?[\[(](?P<rank>{_RANK})[\])](?P<bare>)(?:\*\*|__)?:?[ \t]+(?=\S)", re.IGNORECASE
)
_LETTER = re.compile(
    r"(?:\*\*|__)?(?:[\[(](?P<rank>[MSCW])[\])](?:\*\*|__)?:?|(?P<bare>[MSCW])(?:\*\*|__)?:(?:\*\*|__)?)"
    r"[ \t]+(?=[^\W\d])"
)
_LETTERED = re.compile(
    r"^[ \t]*(?:[-*+•|]|\d{1,3}[.)])?[ \t]*(?:\*\*|__)?"
    r"(?:[\[(]([MSCW])[\])]|([MSCW])(?:\*\*|__)?:)",
    re.M,
)
_BEHIND = re.compile(
    rf"[ \t]*[*_]{{0,2}}[\[(](?:priority:? )?(?P<rank>{_RANK})[\])][*_]{{0,2}}[ \t.]*\Z",
    re.IGNORECASE,
)
_HEADING = Wording("headings", "rank")
_LEFT_OUT = Wording("headings", "left_out")
LONGEST_HEADING = 60
LONGEST_LABEL = 30  # behind an item
_RANKS: dict[str, Priority] = {
    "m": "must",
    "s": "should",
    "c": "could",
    "n": "could",
    "w": "wont",
}


class Label(NamedTuple):
    """``end`` is where the text behind it begins; ``stop`` where one behind its text begins."""

    priority: Priority
    end: int
    stop: int | None = None


def find_priority(text: str, start: int, end: int) -> Label | None:
    """The label that ``text[start:end]`` begins with."""
    if left_out := _LEFT_OUT.match(text, start, end):
        return Label("wont", left_out.end())
    label = _LABEL.match(text, start, end) or _BRACKETED.match(text, start, end)
    if label is None and (label := _LETTER.match(text, start, end)):
        used = {it[1] or it[2] for it in _LETTERED.finditer(text)}
        label = label if "M" in used and len(used) > 1 else None
    if label is None:
        return _find_behind(text, start, end)
    rank = label["rank"] or label["bare"]
    return Label(_RANKS[rank[0].lower()], label.end())


def _find_behind(text: str, start: int, end: int) -> Label | None:
    """The label that an item ends with: «Payment by card (must)»."""
    begin = max(start, end - LONGEST_LABEL)
    behind = _BEHIND.search(text[begin:end])
    if behind is None or not text[start : begin + behind.start()].strip():
        return None
    return Label(_RANKS[behind["rank"][0].lower()], start, begin + behind.start())


def priority_of_heading(heading: str) -> Priority | None:
    """What a heading, or the line over a list, ranks."""
    named = _HEADING.match(simplify(heading))
    return _RANKS[named["rank"][0]] if named else None


def is_ranking(text: str, start: int, end: int) -> bool:
    """Whether a passage begins with such a label, or is the line over a list: «Won't have:»."""
    short = end - start <= LONGEST_HEADING
    return bool(find_priority(text, start, end) or (short and priority_of_heading(text[start:end])))


def priority_of_cell(text: str) -> Priority | None:
    """What a cell under «Priority» says: «Must», «Should have», «W»."""
    label = text.strip(" *_`[]()")
    if len(label) == 1:
        return _RANKS.get(label.lower()) if label in "MSCW" else None
    return priority_of_heading(label)
