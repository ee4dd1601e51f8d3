"""From places in a sanitized text back to places in the text that was given.

Normalising and redacting keep the number of lines, so only a changed line has to be aligned.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from difflib import SequenceMatcher
from functools import cached_property

_ENDS = re.compile("\r\n|[\n\r\u0085\u2028\u2029]")


class Places:
    """Where a span of ``clean`` stands in ``given``."""

    def __init__(self, given: str, clean: str) -> None:
        self._given, self._clean = given, clean
        self._same = given == clean or given + "\n" == clean

    @cached_property
    def _starts(self) -> tuple[list[int], list[int]]:
        given = [0, *(match.end() for match in _ENDS.finditer(self._given))]
        clean = [0, *(match.end() for match in re.finditer("\n", self._clean))]
        return given, clean

    def given(self, start: int, end: int) -> tuple[int, int]:
        """The span in the given text; never empty unless it was."""
        if self._same:
            return start, end
        first = self._place(start)
        return first, max(first, self._place(end - 1) + 1) if end > start else first

    def _place(self, at: int) -> int:
        given_starts, clean_starts = self._starts
        line = bisect_right(clean_starts, at) - 1
        inside = at - clean_starts[line]
        if line >= len(given_starts):
            return len(self._given)
        there = _line(self._given, given_starts, line)
        here = _line(self._clean, clean_starts, line)
        return given_starts[line] + _align(here, there, inside)


def _line(text: str, starts: list[int], number: int) -> str:
    end = starts[number + 1] if number + 1 < len(starts) else len(text)
    return text[starts[number] : end]


def _align(here: str, there: str, at: int) -> int:
    """The character of ``there`` that stands for character ``at`` of ``here``."""
    if here.rstrip("\n") == there.rstrip("\r\n\u0085\u2028\u2029"):
        return min(at, len(there))
    matcher = SequenceMatcher(None, here, there, autojunk=False)
    for _, a, b, c, d in matcher.get_opcodes():
        if a <= at < b:
            return min(c + (at - a), max(c, d - 1))
    return len(there)
