"""A draft with what a reviewer has against it, and a change with what it adds and takes away.

A finding stands beside the line that it quotes. A wrong place is worse than none: one whose quote
the draft does not have stands apart from it. Nothing here is markup; the template escapes each
piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infra.http.console.spans import BYTES_OF_LINE, LONGEST_PIECE, Line, Piece

MOST_BYTES = 45_000  # of a draft, or of a change, on one page
Span = tuple[int, int]  # of code points, the end excluded
Finding = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DraftPart:
    """Lines of a draft, and the findings that quote the last of them."""

    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class ReviewedDraft:
    """``apart`` are the findings that no line shows. ``shown`` of ``total`` lines are here."""

    parts: tuple[DraftPart, ...]
    apart: tuple[Finding, ...]
    shown: int
    total: int


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """``kind``: ``file``, ``place``, ``came``, ``went`` or ``same``."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownChange:
    lines: tuple[ChangedLine, ...]
    total: int


def review_draft(text: str, findings: Sequence[Finding]) -> ReviewedDraft:
    """The draft in parts, each up to a line that a finding quotes."""
    spans = [_find(text, finding) for finding in findings]
    quoted = _join([span for span in spans if span])
    lines = list(_cut_lines(text, quoted))
    whole = text.count("\n") + 1
    at: dict[int, list[Finding]] = {}
    apart: list[Finding] = []
    for finding, span in zip(findings, spans, strict=True):
        number = text.count("\n", 0, span[1] - 1) + 1 if span else 0
        if 0 < number <= len(lines):
            at.setdefault(number, []).append(finding)
        else:
            apart.append(finding)
    parts, begin = [], 0
    for end in [*sorted(at), len(lines)]:
        if begin < end:
            parts.append(DraftPart(tuple(lines[begin:end]), tuple(at.get(end, ()))))
        begin = end
    return ReviewedDraft(tuple(parts), tuple(apart), len(lines), whole)


def show_change(diff: str) -> ShownChange:
    """The lines of a unified diff by what they say, as many as a page has room for."""
    lines = diff.removesuffix("\n").split("\n") if diff else []
    shown = tuple(_fitting(_tell_lines(lines)))
    return ShownChange(shown, len(lines))


def _find(text: str, finding: Finding) -> Span | None:
    quote = str(finding.get("quote") or "").strip()
    start = text.find(quote) if quote else -1
    return None if start < 0 else (start, start + len(quote))


def _join(spans: Iterable[Span]) -> list[Span]:
    """The spans in their order; those that touch are one."""
    joined: list[Span] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return joined


def _cut_lines(text: str, marked: Sequence[Span]) -> Iterator[Line]:
    room, start = MOST_BYTES, 0
    for number, line in enumerate(text.split("\n"), 1):
        shown = line[:LONGEST_PIECE]
        room -= BYTES_OF_LINE + len(shown.encode(errors="replace"))
        if room < 0:
            return
        pieces = tuple(_pieces(shown, start, marked))
        yield Line(number, pieces, after=len(line) - len(shown))
        start += len(line) + 1


def _pieces(line: str, start: int, marked: Sequence[Span]) -> Iterator[Piece]:
    at = 0
    for begin, end in marked:
        first, last = max(begin - start, at), min(end - start, len(line))
        if first >= last:
            continue
        if at < first:
            yield Piece(line[at:first])
        yield Piece(line[first:last], marked=True)
        at = last
    if at < len(line):
        yield Piece(line[at:])


def _tell_lines(lines: Iterable[str]) -> Iterator[ChangedLine]:
    is_head = False  # of a file, up to its first place
    for line in lines:
        if line.startswith("diff --git "):
            is_head = True
            yield ChangedLine("file", line.removeprefix("diff --git ").partition(" b/")[2] or line)
        elif line.startswith("@@"):
            is_head = False
            yield ChangedLine("place", line)
        elif is_head:
            if line.startswith(("Binary ", "new file", "deleted file", "old mode", "new mode")):
                yield ChangedLine("place", line)
        else:
            kind = {"+": "came", "-": "went"}.get(line[:1], "same")
            yield ChangedLine(kind, line)


def _fitting(lines: Iterable[ChangedLine]) -> Iterator[ChangedLine]:
    room = MOST_BYTES
    for line in lines:
        text = line.text[:LONGEST_PIECE]
        room -= BYTES_OF_LINE + len(text.encode(errors="replace"))
        if room < 0:
            yield ChangedLine("place", "The rest is too long for this page.")
            return
        yield ChangedLine(line.kind, text)
