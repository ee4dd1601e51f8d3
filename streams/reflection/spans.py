"""Where a quote stands in its chunk: equality up to blanks, search, sentences, flagged spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from schemas.events.atom import CandidateRow
from schemas.events.hygiene import ChunkCreated
from streams.ledger.terms import terms

SUSPECT_TYPES = frozenset({"prompt_injection", "hidden_markup", "encoded_payload"})
LEAST_UNFLAGGED = 0.75  # of a statement's words, for the unflagged part of a row to carry it
_SENTENCE_END = re.compile(r"[.!?][\"')\]*_`]*\s+|\n[ \t]*\n\s*|\n[ \t]*(?:[-*+|>#]|\d+[.)])")


def fold_blanks(text: str) -> str:
    """``text`` with every run of blanks as one space and none at the ends."""
    return " ".join(text.split())


def is_quoted(row: CandidateRow, chunk: ChunkCreated) -> bool:
    """Whether the snippet stands at its span, blanks aside."""
    at = chunk.anchor_start
    return fold_blanks(chunk.text_payload[row.char_start - at : row.char_end - at]) == fold_blanks(
        row.snippet
    )


def find_occurrences(snippet: str, text: str, limit: int = 2) -> list[tuple[int, int]]:
    """The first ``limit`` places of ``snippet`` in ``text``, blanks aside, in order."""
    words = snippet.split()
    if not words:
        return []
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    found: list[tuple[int, int]] = []
    match = pattern.search(text)
    while match and len(found) < limit:
        found.append(match.span())
        match = pattern.search(text, match.start() + 1)
    return found


def move_row(row: CandidateRow, chunk: ChunkCreated, start: int, end: int) -> CandidateRow:
    """``row`` over ``[start, end)`` of the chunk's text, with lines; offsets become absolute."""
    text = chunk.text_payload
    return row.model_copy(
        update={
            "char_start": chunk.anchor_start + start,
            "char_end": chunk.anchor_start + end,
            "line_start": chunk.line_start + text.count("\n", 0, start),
            "line_end": chunk.line_start + text.count("\n", 0, max(start, end - 1)),
        }
    )


def sentence_starts(text: str) -> list[int]:
    """Where sentences, paragraphs and list items begin; always with 0."""
    return [
        0,
        *(match.end() for match in _SENTENCE_END.finditer(text) if match.end() < len(text)),
    ]


def neighbourhood(starts: Sequence[int], length: int, start: int, end: int, reach: int) -> slice:
    """The sentences of ``[start, end)`` and ``reach`` more on each side."""
    first = max(0, bisect_right(starts, start) - 1 - reach)
    after = bisect_right(starts, max(start, end - 1)) + reach
    return slice(starts[first], starts[after] if after < len(starts) else length)


def is_carried_by_flagged(row: CandidateRow, chunk: ChunkCreated, statement: str) -> bool:
    """Whether the row lies in suspect spans so far that the statement rests on them.

    It does where more than half of the row is flagged, or where the rest of the row does not hold
    most of the statement's words.
    """
    covered, reached = 0, row.char_start
    rest: list[str] = []
    at = chunk.anchor_start
    for flag in sorted(chunk.annotations, key=lambda flag: (flag.char_start, flag.char_end)):
        if flag.annotation_type in SUSPECT_TYPES:
            start, end = max(reached, flag.char_start), min(row.char_end, flag.char_end)
            if start < end:
                rest.append(chunk.text_payload[reached - at : start - at])
                covered += end - start
                reached = end
    if not covered:
        return False
    rest.append(chunk.text_payload[max(0, reached - at) : max(0, row.char_end - at)])
    if 2 * covered > row.char_end - row.char_start:
        return True
    ours, known = set(terms(statement)), set(terms(" ".join(rest)))
    return len(ours & known) < LEAST_UNFLAGGED * len(ours)


def count_disjoint(rows: Sequence[CandidateRow]) -> int:
    """How many of the rows can be chosen so that no two overlap."""
    count, reached = 0, -1
    for row in sorted(rows, key=lambda row: (row.char_end, row.char_start)):
        if row.char_start >= reached:
            count, reached = count + 1, row.char_end
    return count
