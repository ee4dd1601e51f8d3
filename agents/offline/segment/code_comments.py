"""The prose in source code: comments and doc comments as passages; code itself is never a
statement.

One scan per language family finds comments and steps over strings. Parsing every language was
decided against: a comment looks the same in broken code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.offline.lexicons import Wording
from agents.offline.segment.passages import Passage, Span
from schemas.readers import C_LIKE, DASH_LIKE

_STRINGS = r"|\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|'(?:\\.|[^'\\\n]){0,80}'"
_CHARS = r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'"
_C_COMMENT = r"(?P<block>/\*.*?\*/)|(?P<line>(?<![:\w])//[^\n]*)"
_C_SCAN = re.compile(_C_COMMENT + _CHARS, re.DOTALL)
_JS_SCAN = re.compile(_C_COMMENT + _STRINGS, re.DOTALL)
_PY_SCAN = re.compile(
    r"(?m)(?P<block>^[ \t]*[rRuU]?(?:\"\"\".*?\"\"\"|'''.*?'''))|(?P<line>(?<![\w'\"&$])#[^\n]*)"
    r"|(?:\"\"\".*?\"\"\"|'''.*?''')|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
_HASH_SCAN = re.compile(
    r"(?m)(?P<block>(?!))|(?P<line>(?:^|(?<=[ \t]))#[^\n]*)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|"
    r"[^'\\\n])*'"
)
_DASH_SCAN = re.compile(
    r"(?P<block>/\*.*?\*/|--\[\[.*?\]\])|(?P<line>--[^\n]*)|'[^'\n]*'", re.DOTALL
)
_FAMILIES = {"js": _JS_SCAN, "jsx": _JS_SCAN, "ts": _JS_SCAN, "tsx": _JS_SCAN, "mjs": _JS_SCAN}

_LEAD = re.compile(
    r"[ \t]*(?:/\*+!?|\*+/|\*(?!\*)|//[/!]?|#+!?|--+|;+|\"\"\"|'''|[rRuU](?:\"\"\"|'''))?[ \t]?"
)
_STOP = Wording("comments", "stop")
_BANNER = re.compile(
    r"copyright|licen[cs]e|spdx|all rights reserved|warrant|generated", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment as paragraphs; ``documents`` for a doc comment beside a definition. ``span`` is
    all of it, its marks too.
    """

    passages: list[Passage]
    documents: bool
    span: Span


def comments(text: str, suffix: str) -> list[Comment]:
    """The comments of ``text`` in order; banners and licence headers are left out."""
    results = []
    for start, end, block in _regions(text, suffix):
        raw = text[start:end]
        if len(raw) < 24 or _BANNER.search(raw[:600]):
            continue
        paragraphs = _paragraphs(text, start, end)
        if paragraphs:
            documents = block and raw.lstrip()[:3] in ("/**", '"""', "'''", "/*!")
            documents = documents or raw.startswith(("///", "//!"))
            results.append(Comment(paragraphs, documents, (start, end)))
    return results


def _regions(text: str, suffix: str) -> list[tuple[int, int, bool]]:
    """Spans of comments; line comments on following lines are one."""
    if suffix in ("py", "pyi"):
        scan = _PY_SCAN
    elif suffix in C_LIKE:
        scan = _FAMILIES.get(suffix, _C_SCAN)
    else:
        scan = _DASH_SCAN if suffix in DASH_LIKE else _HASH_SCAN
    regions: list[tuple[int, int, bool]] = []
    for match in scan.finditer(text):
        if match.lastgroup is None:
            continue
        start, end = match.span()
        block = match.lastgroup == "block"
        if not block and regions and not regions[-1][2] and _adjoins(text, regions[-1][1], start):
            regions[-1] = (regions[-1][0], end, False)
        else:
            regions.append((start, end, block))
    return regions


def _adjoins(text: str, end: int, start: int) -> bool:
    between = text[end:start]
    return between.count("\n") == 1 and not between.strip()


def _paragraphs(text: str, start: int, end: int) -> list[Passage]:
    """A comment's paragraphs up to its first tag or section of parameters."""
    passages: list[Passage] = []
    open_at, close_at, at = -1, -1, start
    for line in text[start:end].split("\n"):
        lead = _LEAD.match(line)
        begin = lead.end() if lead else 0
        inner = line[begin:].strip()
        inner = re.sub(r"(?:\*+/|\"\"\"|''')$", "", inner).strip()
        if _STOP.match(inner):
            break
        starts_item = bool(re.match(r"(?:[-*•]|\d+[.)])\s|<(?:p|ul|li|ol|br)\b", inner))
        if inner.startswith("+"):  # a marker for a generator: `+optional`, `+kubebuilder:…`
            inner = ""
        if (not inner or inner.startswith(("<p>", "<ul>", "</"))) or starts_item:
            _close(passages, open_at, close_at)
            open_at = -1
        if inner and not starts_item:
            offset = at + line.index(inner, begin)
            open_at = offset if open_at < 0 else open_at
            close_at = offset + len(inner)
        elif starts_item:
            body = re.sub(r"^(?:[-*•]\s+|\d+[.)]\s+|<\w+/?>\s*)+", "", inner)
            if body:
                open_at = at + line.index(inner, begin) + len(inner) - len(body)
                close_at = open_at + len(body)
        at += len(line) + 1
    _close(passages, open_at, close_at)
    return passages


def _close(passages: list[Passage], start: int, end: int) -> None:
    if 0 <= start < end:
        passages.append(Passage(start, end, "comment", place=len(passages)))


def line_around(text: str, start: int, end: int, least: int) -> Span:
    """``[start, end)`` widened by whole neighbouring lines until it holds ``least`` characters."""
    while len(text[start:end].strip()) < least and (start > 0 or end < len(text)):
        after = text.find("\n", end + 1)
        grown = len(text) if after < 0 else after
        if grown == end:
            before = text.rfind("\n", 0, max(0, start - 1))
            start = before + 1
            if before < 0:
                start = 0
                break
        end = grown
    return start, end
