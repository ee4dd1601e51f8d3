"""The marks that a merge leaves in a text: between them stand two versions, and nobody has chosen.

``<<<<<<< ours`` opens, ``=======`` divides, ``>>>>>>> theirs`` closes; ``|||||||`` opens the common
ancestor, which both sides replace. A line of seven ``=`` alone is a heading's underline: it divides
only between the others.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_MARK = re.compile(
    r"^(?:(?P<opens><{7})|(?P<base>\|{7})|(?P<divides>={7})|(?P<closes>>{7}))"
    r"(?:[ \t]+(?P<name>[^\n]*))?$",
    re.MULTILINE,
)
_NO_BREAK = re.compile(r"[^\n]")


class Side(NamedTuple):
    """``[start, end)`` is one version; ``name`` is what its mark calls it, a branch mostly."""

    start: int
    end: int
    name: str


class Conflicts(NamedTuple):
    """``marks`` are spans of no version: the marking lines and common ancestors."""

    marks: tuple[tuple[int, int], ...] = ()
    sides: tuple[Side, ...] = ()


def find_conflicts(text: str) -> Conflicts:
    """The conflicts of ``text``; one that a piece cuts off is known by the mark that is left."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return Conflicts()
    marks: list[tuple[int, int]] = []
    sides: list[Side] = []
    pending: list[re.Match[str]] = []
    for mark in _MARK.finditer(text):
        if mark["opens"]:
            pending = [mark]
        elif not mark["closes"]:
            pending.append(mark)
        else:
            _add(pending, mark.start(), _name(mark), marks, sides)
            marks.append(mark.span())
            pending = []
    if pending and pending[0]["opens"]:
        _add(pending, len(text), "", marks, sides)
    return Conflicts(tuple(marks), tuple(sides))


def _add(
    pending: list[re.Match[str]],
    end: int,
    theirs: str,
    marks: list[tuple[int, int]],
    sides: list[Side],
) -> None:
    """The sides that the ``pending`` marks and the ``end`` of the last one make."""
    opening = pending[0] if pending and pending[0]["opens"] else None
    base = next((it for it in pending if it["base"]), None)
    divider = next((it for it in pending if it["divides"]), None)
    if opening:
        marks.append(opening.span())
        first = base or divider
        sides.append(Side(opening.end(), first.start() if first else end, _name(opening)))
    if base:
        marks.append((base.start(), divider.start() if divider else end))
    if divider:
        marks.append(divider.span())
        sides.append(Side(divider.end(), end, theirs))


def _name(mark: re.Match[str]) -> str:
    return (mark["name"] or "").strip()


def blank(text: str, spans: list[tuple[int, int]] | tuple[tuple[int, int], ...]) -> str:
    """``text`` with blanks in ``spans``; it keeps its lines and every offset."""
    pieces, at = [], 0
    for start, end in sorted(spans):
        if end > at:
            pieces += [text[at : max(at, start)], _NO_BREAK.sub(" ", text[max(at, start) : end])]
            at = end
    return "".join((*pieces, text[at:]))


def blank_conflict_marks(text: str) -> str:
    """``text`` without what belongs to no version."""
    marks = find_conflicts(text).marks
    return blank(text, marks) if marks else text
