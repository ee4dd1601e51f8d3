"""Where a model's quote stands: our code cuts the span, never the model.

A model is bad at counting characters and good at copying a few words, so it names sentences and
quotes some words of them. Words that stand there exactly prove the sentence: the row is ``direct``,
if they are enough of it or stand nowhere else. Fewer words, and words that are only alike, leave
it ``inferred``, which costs confidence. Words that stand nowhere give no row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from agents.fence import is_unseen
from agents.offline.segment.passages import Span
from schemas.events.atom import EvidenceType

ALIKE = 0.75  # of the quote's words, in order; below it the model speaks of something else
FEWEST_ALIKE = 2  # words of a quote that is only alike: one word is alike to too much
FEWEST_WORDS = 3  # of a quote that stands at several places: fewer stand in any sentence
LEAST_SHARE = 0.5  # of a sentence's words, where the sentence is so short
MOST_SENTENCES = 4  # of one row, unless said otherwise: a page is no evidence
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Cut:
    """A span of the chunk's text, in code points, and how surely the quote stands in it."""

    span: Span
    evidence_type: EvidenceType


@dataclass
class Anchors:
    """Cuts the rows of one chunk's answer, in the order of the answer.

    A quote that stands at several places takes the next one each time it is used.
    """

    text: str
    sentences: Sequence[Span]
    most_sentences: int = MOST_SENTENCES
    _folded: tuple[str, list[int]] = field(init=False)
    _used: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._folded = _fold(self.text)

    def cut(self, numbers: Sequence[int], quote: str, is_name: bool = False) -> Cut | None:
        """The sentences with the quote: among those named, else the only place of the chunk.

        ``is_name``: the quote is all that has to stand there, however short it is.
        """
        named = [self.sentences[it - 1] for it in numbers if 0 < it <= len(self.sentences)]
        folded, _ = _fold(quote)
        if not folded:
            return None
        places = self._find(folded)
        inside = [it for it in places if any(_overlap(it, span) for span in named)]
        words = len(_words(quote))
        is_only = len(places) == 1 and words > 0
        if inside and not (is_name or is_only or self._is_enough(words, inside[0])):
            return Cut(self._widen(self._choose(folded, inside), ()), "inferred")
        if inside or (is_only and (is_name or words >= FEWEST_WORDS)):
            place = self._choose(folded, inside or places)
            others = [it for it in places if it != place]
            beside = [it for it in named if not any(_overlap(it, other) for other in others)]
            return Cut(self._widen(place, beside), "direct")
        alike = self._find_alike(named, quote)
        return Cut(alike, "inferred") if alike else None

    def _is_enough(self, words: int, place: Span) -> bool:
        """Whether so many words of a sentence tell it from others that have them, too."""
        start, end = self._widen(place, ())
        fewest = min(FEWEST_WORDS, LEAST_SHARE * len(_words(self.text[start:end])))
        return words >= max(1, fewest)

    def _choose(self, folded: str, places: list[Span]) -> Span:
        turn = self._used[folded]
        self._used[folded] += 1
        return places[min(turn, len(places) - 1)]

    def _find(self, folded: str) -> list[Span]:
        """All places of a folded quote, as spans of the text."""
        text, origins = self._folded
        spans: list[Span] = []
        at = text.find(folded)
        while at >= 0:
            end = at + len(folded)
            if _is_whole(text, at, end):
                spans.append((origins[at], origins[end - 1] + 1))
            at = text.find(folded, at + 1)
        return spans

    def _widen(self, place: Span, beside: Sequence[Span]) -> Span:
        """The sentences that hold the quote, and those of ``beside`` that adjoin them."""
        first = last = next(
            (at for at, it in enumerate(self.sentences) if _overlap(it, place)), None
        )
        if first is None or last is None:
            return place
        while last + 1 < len(self.sentences) and self.sentences[last + 1][0] < place[1]:
            last += 1
        while last - first + 1 < self.most_sentences:
            if last + 1 < len(self.sentences) and self.sentences[last + 1] in beside:
                last += 1
            elif first and self.sentences[first - 1] in beside:
                first -= 1
            else:
                break
        return self.sentences[first][0], max(self.sentences[last][1], place[1])

    def _find_alike(self, named: Sequence[Span], quote: str) -> Span | None:
        """The named sentence whose words are most alike to the quote's, if any is alike enough."""
        words = _words(quote)
        if len(words) < FEWEST_ALIKE:
            return None
        scored = [(_likeness(words, _words(self.text[a:b])), -a, (a, b)) for a, b in named]
        best = max(scored, default=None)
        return best[2] if best and best[0] >= ALIKE else None


def has_words(text: str, quotes: Sequence[str]) -> bool:
    """Whether one of the quotes, of more than a word or two, stands in the text."""
    folded = [_fold(quote)[0] for quote in quotes if len(_words(quote)) >= FEWEST_WORDS]
    return any(quote in _fold(text)[0] for quote in folded)


def _fold(text: str) -> tuple[str, list[int]]:
    """``text`` with single spaces and without marks that nobody sees, and where each stood."""
    kept: list[str] = []
    origins: list[int] = []
    for at, mark in enumerate(text):
        if mark.isspace():
            if kept and kept[-1] != " ":
                kept.append(" ")
                origins.append(at)
        elif not is_unseen(mark):
            kept.append(mark)
            origins.append(at)
    if kept and kept[-1] == " ":
        kept.pop()
        origins.pop()
    return "".join(kept), origins


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word is cut at either end."""
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return not before and not after


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _words(text: str) -> list[str]:
    return _WORD.findall(_fold(text)[0].casefold())


def _likeness(quote: Sequence[str], words: Sequence[str]) -> float:
    """The share of the quote's words that stand in the sentence, in their order."""
    matched = SequenceMatcher(None, quote, words, autojunk=False).get_matching_blocks()
    return sum(block.size for block in matched) / len(quote)
