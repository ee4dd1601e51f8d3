"""Turns of a chat that was saved as text: when and by whom, as empty lines, before what was said.

A line that begins with a time and a name is a turn, and so is what stands under a line that holds
nothing else. One such line alone is a turn only with a date: «10:15 Castle: closed» may be a plan.
Each turn is a paragraph of its own; who came and went is told by nobody.
"""

from __future__ import annotations

import re

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?Z?(?:[ \u202f\u00a0]?[AaPp]\.?[Mm]\.?)?"
_DATE = (
    r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
    r"|\d{1,2}\.? [A-Z][a-z]{2,8}\.?,? \d{4}|[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4})"
)
_STAMP = (
    rf"(?:\[(?:{_DATE}[T, ]{{1,2}})?{_CLOCK}\]|\((?:{_DATE}[T, ]{{1,2}})?{_CLOCK}\)|"
    rf"(?:{_DATE}[T, ]{{1,2}})?{_CLOCK})"
)
_NAME = r"[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,3}"
_LINE = re.compile(
    rf"^[ \t\u200e]*(?P<prefix>(?:(?P<stamp>{_STAMP})[ \t]*(?:[-–—|][ \t]*)?"
    rf"(?:<[@+%~&]?{_NAME}>|{_NAME}[ \t]?:)|(?:<{_NAME}>|{_NAME})[ \t]+(?P<behind>{_STAMP}):)"
    r"[ \t]+)(?=\S)",
    re.MULTILINE,
)
_HEAD = re.compile(
    rf"^[ \t]*(?:{_NAME},?[ \t]+(?:[-–—|·][ \t]*)?{_STAMP}|{_STAMP}[ \t]+(?:[-–—|·][ \t]*)?{_NAME})"
    r"[ \t]*:?[ \t]*$",
    re.MULTILINE,
)
_EVENT = re.compile(rf"^[ \t\u200e]*\[?{_DATE}[T, ]{{1,2}}{_CLOCK}\]?[^\n]*", re.MULTILINE)
_HINT = re.compile(r"\d:\d\d")
_HAS_DATE = re.compile(_DATE)


def blank_turns(text: str) -> str:
    """``text`` with line feeds in place of times and speakers; as long as ``text``."""
    if not _HINT.search(text):
        return text
    lines, heads = list(_LINE.finditer(text)), _find_heads(text)
    if len(lines) + len(heads) < 2 and not any(
        _HAS_DATE.search(it["stamp"] or it["behind"]) for it in lines
    ):
        return text
    spans = [it.span("prefix") for it in lines] + [it.span() for it in heads]
    turns = {start for start, _ in spans}
    spans += [
        it.span() for it in _EVENT.finditer(text) if len(lines) > 1 and it.start() not in turns
    ]
    pieces, at = [], 0
    for start, end in sorted(spans):
        pieces += [text[at:start], "\n" * (end - start)]  # spaces would make code of what follows
        at = end
    return "".join((*pieces, text[at:]))


def _find_heads(text: str) -> list[re.Match[str]]:
    """The lines that only say who speaks and when, over what is said: a timetable has none."""
    matches = list(_HEAD.finditer(text))
    starts = {it.start() for it in matches}
    return [it for it in matches if it.end() + 1 not in starts and _has_words_under(text, it.end())]


def _has_words_under(text: str, end: int) -> bool:
    under = text[end + 1 :].split("\n", 1)[0]
    return len(under.split()) > 2
