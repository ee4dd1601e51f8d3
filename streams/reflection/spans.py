"""Where a quote stands in its chunk: equality up to blanks, search, sentences, flagged spans."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from schemas.events.atom import CandidateRow
from schemas.events.hygiene import ChunkCreated
from streams.ledger.likeness.terms import terms
from streams.lexicons import Wording

SUSPECT_TYPES = frozenset({"prompt_injection", "hidden_markup", "encoded_payload"})
LEAST_UNFLAGGED = 0.75  # of a statement's words, for the unflagged part of a row to carry it
_WORD = re.compile(r"\S+")
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
    words = text.split()
    sought, folded = fold_blanks(snippet), " ".join(words)
    at = folded.find(sought) if sought else -1
    if at < 0:
        return []
    starts = list(accumulate((len(word) + 1 for word in words), initial=0))
    places = [match.start() for match in _WORD.finditer(text)]

    def unfold(folded_at: int) -> int:
        word = bisect_right(starts, folded_at) - 1
        return places[word] + folded_at - starts[word]

    found: list[tuple[int, int]] = []
    while at >= 0 and len(found) < limit:
        found.append((unfold(at), unfold(at + len(sought) - 1) + 1))
        at = folded.find(sought, at + 1)
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


_GOES_ON = Wording("reflection", "goes_on")


@lru_cache(maxsize=8)  # the statements of a chunk come one after another
def sentence_starts(text: str) -> tuple[int, ...]:
    """Where sentences, paragraphs and list items begin; always with 0."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return (0, *(it for it in ends if it < len(text)))


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
    for flag_start, flag_end in _suspect_spans(chunk):
        start, end = max(reached, flag_start), min(row.char_end, flag_end)
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


def _suspect_spans(chunk: ChunkCreated) -> list[tuple[int, int]]:
    """What is flagged, in order; an order to a model with its whole sentence, and with sentences
    behind it that go on to say what to tell.
    """
    flags = [it for it in chunk.annotations if it.annotation_type in SUSPECT_TYPES]
    if not flags:
        return []
    text, at = chunk.text_payload, chunk.anchor_start
    starts = sentence_starts(text)
    spans = []
    for flag in flags:
        start, end = flag.char_start, flag.char_end
        if flag.annotation_type == "prompt_injection":
            around = neighbourhood(starts, len(text), start - at, end - at, reach=0)
            stop = around.stop
            while stop < len(text) and "\n\n" not in text[stop - 2 : stop]:
                if not _GOES_ON.match(text, stop):
                    break
                stop = neighbourhood(starts, len(text), stop, stop + 1, reach=0).stop
            start, end = min(start, at + around.start), max(end, at + stop)
        spans.append((start, end))
    return sorted(spans)


def count_disjoint(rows: Sequence[CandidateRow]) -> int:
    """How many of the rows can be chosen so that no two overlap."""
    count, reached = 0, -1
    for row in sorted(rows, key=lambda row: (row.char_end, row.char_start)):
        if row.char_start >= reached:
            count, reached = count + 1, row.char_end
    return count
