"""What is no statement of its author, as blanks: struck-out text, comments, marks of a merge, and
the markup of formats that a line scanner would take for words.

Blanks keep every offset, so what is read of the masked text cites the text itself. What is struck
out says the opposite of what it says.
"""

from __future__ import annotations

import re

from agents.offline.segment.grids import drawn_markup
from agents.offline.segment.marks import without_marks
from agents.offline.segment.org import org_markup
from agents.offline.segment.passages import Span
from agents.offline.segment.turns import blank_turns
from schemas.conflicts import blank, find_conflicts

_FENCE = (
    r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
)
_CODE = r"(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)"
_TAGS = r"<(?P<tag>s|del|strike)\b[^<>]{0,200}>[\s\S]{0,4000}?</(?P=tag)>"
_COMMENT = r"<!--[\s\S]*?-->"
_TILDES = r"(?<![~\\])~~(?=[^\s~])(?:(?!\n[ \t]*\n)[^~]|~(?!~)){1,2000}?(?<=\S)~~(?!~)"
_LINE_THROUGH = r"\[(?:\.?line-through|\.?strike)\](?P<hash>##?)(?=\S)[^\n]{1,600}?(?<=\S)(?P=hash)"
_ROLE = r":(?:strike|del|strikethrough|line-through):`[^`\n]{1,600}`"
_STRUCK_LETTERS = (
    r"(?:[^\W_][\u0336\u0335\u0337\u0338]|(?<=[\u0336\u0335])[ \t](?=\S[\u0336\u0335]))+"
)
_SEARCH = {
    dialect: re.compile(
        rf"{_FENCE}|{_CODE}|(?P<gone>{'|'.join(struck)})", re.MULTILINE | re.IGNORECASE
    )
    for dialect, struck in {
        "md": (_TAGS, _COMMENT, _TILDES, _STRUCK_LETTERS),
        "txt": (_TAGS, _TILDES, _STRUCK_LETTERS),
        "rst": (_ROLE, _STRUCK_LETTERS),
        "adoc": (_LINE_THROUGH, _TAGS, _STRUCK_LETTERS),
        "org": (_STRUCK_LETTERS,),
    }.items()
}
_HINTS = re.compile("~~|<(?:s|del|strike)\\b|<!--|line-through|strike|:del:|[\u0335-\u0338]", re.I)
_SIGNS = ("~~", "<", "line-through", "strike", ":del:")  # one is in each hint that is ASCII
_REPLACES = re.compile(r"^[ \t]*\.\. \|(?P<name>[^|\n]+)\| replace::(?P<text>[^\n]*)$", re.M)
_MARKER = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,3}[.)])?[ \t]*(?:\[[ xX-]\][ \t]+)?")
_NO_BREAK = re.compile(r"[^\n]")
_TEMPLATE = re.compile(
    r"^[ \t>*+_-]*As an? [*_]{0,2}[\[<{][^\]>}\n]{1,60}[\]>}]+[*_]{0,2},? "
    r"(?:I|we) (?:want|need|would like|can)\b[^\n]{0,20}?[\[<{][^\n]*$",
    re.MULTILINE | re.IGNORECASE,
)  # of a story that nobody has told yet
_SUBSTITUTION = re.compile(r"(?<![\w|])\|(?=[^\s|])[^|\n]{1,60}(?<=[^\s|])\|(?![\w|])")


def mask(text: str, dialect: str) -> str:
    """``text`` with blanks where nothing is stated; as long as ``text``, line by line."""
    spans: list[Span] = [*find_conflicts(text).marks]
    if dialect == "org":
        spans += org_markup(text)
    masked = blank(text, spans) if spans else text
    if dialect in ("md", "txt"):
        masked = blank_turns(masked)
    if dialect == "rst":
        masked = _substitute(blank(masked, tuple(drawn_markup(masked))))
    masked = without_marks(masked, dialect)
    masked = _TEMPLATE.sub(lambda it: _NO_BREAK.sub(" ", it[0]), masked)
    if (text.isascii() and not _has_sign(text.lower())) or not _HINTS.search(text):
        return masked
    pieces, at = [], 0
    for it in _SEARCH[dialect].finditer(masked):
        if it.group("gone") and not (_is_heading(masked, it) or _is_answered(masked, it)):
            pieces += [masked[at : it.start()], _fill(masked, it)]
            at = it.end()
    return "".join((*pieces, masked[at:]))


def _has_sign(small: str) -> bool:
    return any(it in small for it in _SIGNS)


def _is_heading(text: str, struck: re.Match[str]) -> bool:
    """Whether all of a heading is struck out, which speaks of its section."""
    line = text[text.rfind("\n", 0, struck.start()) + 1 :].split("\n", 1)[0]
    return line[:1] in "#=*" and line.lstrip("#=* \t").rstrip("#= \t") == struck.group()


def _is_answered(text: str, struck: re.Match[str]) -> bool:
    """Whether it is a question with something under it: that was crossed off with its answer."""
    if not struck.group().rstrip("~<>/abcdefghijklmnopqrstuvwxyz ").endswith("?"):
        return False
    line = text[text.rfind("\n", 0, struck.start()) + 1 : struck.start()]
    after = text[struck.end() :].lstrip(" \t").lstrip("\n").split("\n", 1)[0]
    return len(after) - len(after.lstrip()) > len(line) - len(line.lstrip())


def _fill(text: str, struck: re.Match[str]) -> str:
    """Blanks in place of what is struck out; ornaments where its line would begin further in."""
    struck_text = struck.group()
    begin = text.rfind("\n", 0, struck.start()) + 1
    before = text[begin : struck.start()]
    opens = text[:begin].endswith("\n\n") or not begin or before.strip()
    alone = not before.strip() and not text[struck.end() :].split("\n", 1)[0].strip()
    if not opens or alone or not _MARKER.fullmatch(before):
        return _NO_BREAK.sub(" ", struck_text)
    first, feed, rest = struck_text.partition("\n")
    return "·" * len(first) + feed + _NO_BREAK.sub(" ", rest)


def _substitute(text: str) -> str:
    """``text`` with what «|tool|» stands for, or its name where nothing says so; what is longer
    keeps its bars, as do rows of tables.
    """
    if "|" not in text:
        return text
    replacements = {it["name"]: it["text"].strip() for it in _REPLACES.finditer(text)}

    def substitute(match: re.Match[str]) -> str:
        line = text[text.rfind("\n", 0, match.start()) + 1 :].split("\n", 1)[0].strip()
        if line.endswith("|") or line.startswith(".."):
            return match.group()
        name = match.group()[1:-1]
        value = replacements.get(name, name)
        return value.ljust(len(name) + 2) if len(value) <= len(name) + 2 else match.group()

    return _SUBSTITUTION.sub(substitute, text)
