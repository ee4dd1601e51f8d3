"""The sentences that answer a question, out of the first places of its hits.

The model that orders the places reads their sentences, too, each under its headings. What stands in
a better place comes first where two are about as good. Without the model a sentence is as good as
the words of the question that it holds. A sentence that announces a list is told with the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from projections.read.search_judged import Judge
from projections.read.session import ReadModel

PLACES = 5  # that are looked into
MOST_SENTENCES = 40  # of them
SHORTEST = 15  # characters
LONGEST = 500
FURTHER_BACK = 1.0  # of a score: what the next place has to be better by
LEADS_A_WORD = 6  # first letters, which forms of a word share
_END = re.compile(r"(?<=[.!?])[\"')\]*_`]*\s+(?=[\"'(\[*_`]*[A-Z0-9])|(?<=[。！？])")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_ROW = re.compile(r"\s*\||\s*>")
_HEADING = re.compile(r"\s*(?:#{1,6}\s|={1,6}\s+\S)")
_MARKS = re.compile(r"^\s*(?:[-*+•>|]+|\d{1,3}[.)]|\[[ xX]\])\s+|\s*\|\s*$")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
_WORD = re.compile(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True)
class Place:
    """A text that a hit shows; ``cited_id`` is what an answer cites it by."""

    cited_id: str
    source_id: str
    heading: str
    path: str | None
    line_start: int
    text: str


class Sentence(ReadModel):
    """A sentence as it stands at its lines; ``score`` is the model's, None without one.

    ``cited_id`` is the atom or the passage that the hit is.
    """

    cited_id: str
    source_id: str
    path: str | None
    line_start: int
    line_end: int
    snippet: str
    score: float | None = None


def choose_sentences(
    query: str, places: Sequence[Place], judge: Judge | None, most: int
) -> list[Sentence]:
    """The best sentences of the first places, best first; of equal ones the first stays."""
    texts: dict[str, tuple[int, Sentence]] = {}  # what is read → the rank of its place
    for rank, place in enumerate(places[:PLACES]):
        for sentence in sentences_of(place):
            texts.setdefault(f"{place.heading}\n{sentence.snippet}", (rank, sentence))
    candidates = list(texts.items())[:MOST_SENTENCES]
    scores = judge(query, [text for text, _ in candidates]) if judge and candidates else None
    if scores is None:
        asked = _stems(query)
        scores = [float(len(asked & _stems(text))) for text, _ in candidates]
        read = [sentence for _, (_, sentence) in candidates]
    else:
        read = [
            sentence.model_copy(update={"score": score})
            for score, (_, (_, sentence)) in zip(scores, candidates, strict=True)
        ]
    ranks = [rank for _, (rank, _) in candidates]
    order = sorted(range(len(read)), key=lambda at: FURTHER_BACK * ranks[at] - scores[at])
    best: dict[str, Sentence] = {}
    for sentence in (read[at] for at in order):
        best.setdefault(sentence.snippet, sentence)
    return list(best.values())[:most]


def sentences_of(place: Place) -> Iterator[Sentence]:
    """The sentences, items and rows of a text with their lines; headings are none."""
    text = place.text
    blocks = list(_blocks(text))
    for number, (start, end) in enumerate(blocks):
        cuts = [start, *(cut.end() for cut in _END.finditer(text, start, end)), end]
        for begins, ends in zip(cuts, cuts[1:], strict=False):
            words = _clean(text[begins:ends])
            if len(words) < SHORTEST or not _WORD.search(words):
                continue
            if ends == end and words.endswith(":"):
                words, ends = _take_list(text, words, ends, blocks[number + 1 :])
            yield Sentence(
                cited_id=place.cited_id,
                source_id=place.source_id,
                path=place.path,
                line_start=place.line_start + text.count("\n", 0, _first_of(text, begins)),
                line_end=place.line_start + text.count("\n", 0, _last_of(text, ends)),
                snippet=words[:LONGEST],
            )


def _take_list(
    text: str, lead: str, end: int, blocks: Sequence[tuple[int, int]]
) -> tuple[str, int]:
    """A sentence that ends with a colon and the items behind it, as far as there is room."""
    items: list[str] = []
    for begins, ends in blocks:
        item = _clean(text[begins:ends])
        if not _ITEM.match(text, begins) or len(lead) + len("; ".join([*items, item])) > LONGEST:
            break
        items.append(item)
        end = ends
    return " ".join([lead, "; ".join(items)]).strip(), end


def _clean(raw: str) -> str:
    return _MARKS.sub("", " ".join(_TAG.sub(" ", raw).split()))


def _stems(text: str) -> set[str]:
    return {word.lower()[:LEADS_A_WORD] for word in _WORD.findall(text) if len(word) > 3}


def _first_of(text: str, begins: int) -> int:
    return begins + len(text[begins:]) - len(text[begins:].lstrip())


def _last_of(text: str, ends: int) -> int:
    return len(text[:ends].rstrip())


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of lines that belong together: a paragraph, an item with what continues it, a row."""
    start, at = -1, 0
    for line in text.splitlines(keepends=True):
        is_heading = bool(_HEADING.match(line))
        is_new = bool(_ITEM.match(line) or _ROW.match(line))
        if start >= 0 and (is_heading or is_new or not line.strip()):
            yield start, at
            start = -1
        if start < 0 and line.strip() and not is_heading:
            start = at
        at += len(line)
    if start >= 0:
        yield start, at
