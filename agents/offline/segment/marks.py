"""Marks of notebooks and footnotes, which are no text of their sentences.

All is told in place: what is no text becomes blanks, and a footnote the item of a list. So every
offset stays.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import Wording

_CODE = r"(?:^|(?<=\n))[ \t]*(?:```|~~~)[\s\S]*?(?:\n[ \t]*(?:```|~~~)|\Z)|`[^`\n]*`"
_MARKS = re.compile(
    rf"(?P<code>{_CODE})"
    r"|(?P<hidden>%%[^%]{1,2000}%%)"
    r"|(?<!!)(?P<link>\[\[(?:[^\[\]|\n]{1,200}\|)?)(?P<alias>[^\[\]|\n]{1,200})(?P<end>\]\])"
    r"|(?P<open>(?<![=!<>])==(?=[^\s=]))(?P<lit>[^=\n]{1,400})(?P<close>(?<=[^\s=])==(?!=))"
    r"|(?P<embed>(?<=[^\s])[ \t]++!\[\[[^\[\]\n]{1,200}\]\])"
    r"|(?P<task>(?:[ \t]++(?:[📅⏳🛫➕✅❌]\ufe0f?[ \t]*+\d{4}-\d\d-\d\d|[🔺⏫🔼🔽⏬]\ufe0f?"
    r"|🔁[ \t]*+(?:every|jed|cada)\w*+(?: \w{1,20}+){1,5}+|[🆔⛔][ \t]*+[\w,-]{1,40}+))++"
    r"[ \t]*+(?=\n|\Z))"
    r"|(?P<tags>(?<=[.!?)…])(?:[ \t]++#[A-Za-z][\w/-]{0,60}+)++[ \t]*+(?=\n|\Z))"
    r"|(?P<block>[ \t]\^[A-Za-z][\w-]{0,40}[ \t]*(?=\n|\Z))"
)
_HINTS = re.compile(
    r"%%|\[\[|==|[ \t]\^[A-Za-z]|[.!?)…][ \t]+#[A-Za-z]|[📅⏳🛫➕✅❌🔺⏫🔼🔽⏬🔁🆔⛔]"
)
_SIGNS = ("%%", "[[", "==", "^", "#")  # one of these is in each hint of a text without pictures
_FAILED = re.compile(
    r"^(?P<quoted>>(?:[ \t]?>){0,4})[ \t]*\[!(?:failure|fail|missing)\][^\n]*"
    r"(?:\n(?P=quoted)[^\n]*)*",
    re.M | re.I,
)
_CANCELLED = re.compile(r"^[ \t]*[-*+][ \t]+\[-\][ \t][^\n]*", re.M)
_TASK_STATE = re.compile(r"(?<=\[)[<>/!?](?=\][ \t])")
_TASK = re.compile(r"^[ \t]*[-*+][ \t]+\[[<>/!?]\][ \t]", re.M)
_NOTE = re.compile(
    r"^(?P<mark>\[\^[^\]\n]{1,60}\]:|\.\. \[(?:#\w*|\d+|\*)\])(?=[ \t]+(?P<said>\S.*))", re.M
)
ONLY_REFERS = Wording("noise", "only_refers")
_CROSSED = Wording("polarity", "crossed")
# A number between slashes, as German lists of requirements have it, or before a story.
_NUMBER = re.compile(
    r"(?:^|(?<=\n))(?P<before>[ \t]*(?:[-*+][ \t]+)?)(?P<id>/[A-Z]{1,4}\d{1,5}[A-Z]?/(?=[ \t]+\S)"
    r"|[A-Z]{2,5}-?\d{1,5} [-–—](?=[ ]As an? ))"
)
_NO_BREAK = re.compile(r"[^\n]")
_MACRO = re.compile(r"(?P<open>footnote:[\w-]{0,40}\[)(?P<said>[^\[\]]{0,600})\]")
FEWEST_WORDS = 4  # of a note that says something


def without_marks(text: str, dialect: str) -> str:
    """``text`` without the marks that ``dialect`` may have; as long as ``text``."""
    if dialect in ("md", "rst"):
        text = _NOTE.sub(_note, text) if "[^" in text or ".. [" in text else text
    if "/ " in text or " As a" in text:
        text = _NUMBER.sub(lambda it: f"{it['before']}{'·' * len(it['id'])}", text)
    if dialect == "adoc" and "footnote:" in text:
        return _MACRO.sub(_footnote, text)
    if dialect != "md":
        return text
    if not text.isascii() or ":x:" in text or ":no_entry:" in text:
        text = _CROSSED.sub(_blank, text)
    if "[" in text:
        text = _CANCELLED.sub(_blank, _FAILED.sub(_blank, text))
        text = _TASK.sub(lambda it: _TASK_STATE.sub(" ", it[0]), text)
    may_hold = not text.isascii() or any(it in text for it in _SIGNS)
    return _MARKS.sub(_mark, text) if may_hold and _HINTS.search(text) else text


def _note(note: re.Match[str]) -> str:
    if ONLY_REFERS.says(note["said"]) or len(note["said"].split()) < FEWEST_WORDS:
        return note["mark"]
    return f"-{' ' * (len(note['mark']) - 1)}"


def _footnote(note: re.Match[str]) -> str:
    """A footnote of AsciiDoc behind its sentence; nothing of one that only refers."""
    if ONLY_REFERS.says(note["said"]) or len(note["said"].split()) < FEWEST_WORDS:
        return _NO_BREAK.sub(" ", note[0])
    return f"{_aside(note['open'])}{note['said']} "


def _mark(match: re.Match[str]) -> str:
    if match["code"] is not None:
        return match[0]
    if match["link"]:
        return _aside(match["link"]) + match["alias"] + "  "
    if match["open"]:
        if "&&" in match["lit"] or " == " in match[0]:
            return match[0]
        return f"··{match['lit']}  " if _opens(match) else f"  {match['lit']}  "
    return _NO_BREAK.sub(" ", match[0])


def _opens(match: re.Match[str]) -> bool:
    """Whether its line begins with it, where blanks would make code of it."""
    return match.start() == 0 or match.string[match.start() - 1] == "\n"


def _aside(mark: str) -> str:
    return " " * len(mark)


def _blank(match: re.Match[str]) -> str:
    return _NO_BREAK.sub(" ", match[0])
