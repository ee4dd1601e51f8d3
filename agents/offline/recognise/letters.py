"""Letters and mails of somebody outside that a text quotes: from the salutation to the signature.

What such a letter asks for is its sender's wish. Its signature says where he belongs: a company, a
role in selling. A letter of the team, of a customer, or of a name alone stays its project's.
"""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import pairwise

from agents.offline.lexicons import Wording

_SALUTATION = Wording("letters", "salutation")
_CLOSING = Wording("letters", "closing")
_OUTSIDE = Wording("letters", "outside")
_INSIDE = Wording("letters", "inside")
MOST_LINES = 80  # of a letter
_MOST_SIGNED = 4  # lines of a signature
_MOST_CHARS = 300  # of a line, in which a letter begins or ends
_WORD = re.compile(r"\w+")
_END = re.compile(r"[ \t]*(?:#{1,6}[ \t]|```|~~~|[-*_]{3,}[ \t]*$)")


def find_letters(text: str, own: Container[str] = ()) -> list[tuple[int, int]]:
    """The places of letters from outside; a signature that holds a word of ``own`` is none."""
    lines = _lines_of(text)
    letters: list[tuple[int, int]] = []
    opened: int | None = None
    for at, (start, end) in enumerate(lines):
        line = text[start:end]
        if _END.match(line) or (opened is not None and at - opened > MOST_LINES):
            opened = None
        if _SALUTATION.says(line[:_MOST_CHARS]):
            opened = at
        if opened is None:
            continue
        tail = max(0, len(line) - _MOST_CHARS)
        closing = _CLOSING.search(line[tail:])
        if closing is None:
            continue
        signed, last = _signature(text, lines, at, start + tail + closing.end())
        if signed and _is_outside(signed, own):
            letters.append((lines[opened][0], lines[last][1]))
            opened = None
    return letters


def _lines_of(text: str) -> list[tuple[int, int]]:
    breaks = [-1, *(it.start() for it in re.finditer("\n", text)), len(text)]
    return [(one + 1, other) for one, other in pairwise(breaks)]


def _signature(
    text: str, lines: list[tuple[int, int]], at: int, start: int
) -> tuple[list[str], int]:
    """The lines behind the closing up to the next gap, and the place of the last of them."""
    signed = [text[start : lines[at][1]].strip(" \t>|*_")]
    last = at
    for later in range(at + 1, min(at + 2 + _MOST_SIGNED, len(lines))):
        line = text[slice(*lines[later])]
        bare = line.strip(" \t>|*_")
        if _END.match(line) or (not bare and any(signed)):
            break
        signed.append(bare)
        last = later
    return [it for it in signed if it], last


def _is_outside(signed: list[str], own: Container[str]) -> bool:
    text = "\n".join(it[:_MOST_CHARS] for it in signed)
    if _INSIDE.says(text) or any(word.lower() in own for word in _WORD.findall(text)):
        return False
    return any(_OUTSIDE.says(it[:_MOST_CHARS]) for it in signed)
