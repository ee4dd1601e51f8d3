"""Under which headings of its chunk a statement stands.

A chunk has the headings over its first line; a short document is one chunk, and what stands under
«Decisions» in it is told from what stands under «Risks» by the lines between.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right

from agents.offline.segment.wording import strip_markup

MOST = 3
MAX_CHARS = 120  # of a heading; a longer line is a sentence
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)")
_MARKED = re.compile(r"^ {0,3}(#{1,6}|={2,6})[ \t]++(\S.*?)[ \t#=]*$")
_UNDERLINE = re.compile(r"^(=|-|~|\^|\")\1{2,}[ \t]*$")
_BOLD = re.compile(r"^(?:\*\*|__)([^*_\n]{2,60}?):?(?:\*\*|__):?[ \t]*$")
_LEVEL_OF_MARK = {"=": 1, "-": 2, "~": 3, "^": 4, '"': 5}
_LEVEL_OF_BOLD = 9


def headings_over(text: str, at: int) -> tuple[str, ...]:
    """The headings in ``text`` that the offset ``at`` stands under, the nearest last."""
    starts, chains = _scan(text)
    index = bisect_right(starts, at) - 1
    return chains[index][-MOST:] if index >= 0 else ()


@functools.lru_cache(maxsize=8)  # the statements of a chunk come one after another
def _scan(text: str) -> tuple[list[int], list[tuple[str, ...]]]:
    starts: list[int] = []
    chains: list[tuple[str, ...]] = []
    stack: list[tuple[int, str]] = []
    fenced, before, offset = False, "", 0
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        level, name = 0, ""
        if _FENCE.match(bare):
            fenced = not fenced
        elif not fenced:
            level, name = _read(bare, before)
        if level and len(name) <= MAX_CHARS:
            while stack and stack[-1][0] >= level:
                stack.pop()
            stack.append((level, strip_markup(name)))
            starts.append(offset)
            chains.append(tuple(it for _, it in stack))
        before = "" if level or fenced else bare
        offset += len(line)
    return starts, chains


def _read(line: str, before: str) -> tuple[int, str]:
    """Level and name of the heading that ``line`` is or underlines; level 0 where it is none."""
    if marked := _MARKED.match(line):
        return len(marked[1]), marked[2]
    underline = _UNDERLINE.match(line)
    if underline and before.strip() and not before.startswith((" ", "|", "-", "*", ">")):
        return _LEVEL_OF_MARK[underline[1]], before.strip()
    if bold := _BOLD.match(line):
        return _LEVEL_OF_BOLD, bold[1]
    return 0, ""
