"""What becomes of a need that its author does not own: a claim that says whose it is, an open
question, or nothing.

The sentence is told whole, with the words that take it from its author, so the claim is true as it
stands. It is a draft: what others say of a product is seldom about this one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from agents.offline.lexicons import Wording
from agents.offline.recognise.cues import WEAK
from agents.offline.recognise.disowned import (
    Attribution,
    find_attribution,
    find_label,
    find_quotations,
)
from agents.offline.recognise.letters import find_letters
from agents.offline.recognise.other_products import name_of_other, own_names
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.passages import Span
from agents.offline.segment.sections import simplify
from agents.offline.segment.turns import blank_turns
from agents.offline.segment.wording import split_sentences, strip_markup
from schemas.events.atom import ATTRIBUTION, AtomKind
from schemas.events.hygiene import ChunkCreated
from schemas.readers import TALK_TYPES

# Of a decision it is part that something was rejected or doubted.
_DISOWNS: dict[AtomKind, frozenset[Attribution]] = {
    "requirement": frozenset(
        {"rejected", "undecided", "reported", "doubted", "former", "others", "supposed"}
    ),
    "decision": frozenset({"undecided", "reported", "supposed"}),
}
_GONE = frozenset({"rejected", "supposed"})
_KEPT = frozenset({"question", "rationale"})  # attributes that are true of any kind
_NOT_AGREED = Wording("headings", "unknown", entry="not-agreed")
_HEADING = re.compile(r"^(?:\#{1,6}|={1,6})[ \t]+(?P<title>\S[^\n]*)$", re.MULTILINE)
_MOST_AFTER = 400  # characters behind a statement, in which it may be contradicted
_PARAGRAPH_END = re.compile(r"\n[>\s]*(?:\n|[-*+•|#]|\d+[.)]|\Z)")
_NAME = re.compile(r"[A-Z]\w{2,}")
_ITEM = re.compile(r"[ \t]*(?:[-*+•|#]|\d+[.)])")  # a line that begins anew


def disown_drafts(drafts: list[Draft], chunk: ChunkCreated) -> list[Draft]:
    """``drafts`` of one chunk, without needs and decisions that are not their author's."""
    if not any(it.kind in _DISOWNS for it in drafts):
        return drafts
    quoted = find_quotations(chunk.text_payload)
    if chunk.source_type not in TALK_TYPES:  # there the sender is one of those who talk
        quoted += find_letters(chunk.text_payload, _words_of_titles(chunk))
        # Of a saved chat each turn is read for itself: «10:02 Bo: I doubt that …».
        chunk = chunk.model_copy(update={"text_payload": blank_turns(chunk.text_payload)})
    disowned = (_disown(it, chunk, quoted) for it in drafts)
    return [it for it in disowned if it is not None]


def _disown(draft: Draft, chunk: ChunkCreated, quoted: list[Span]) -> Draft | None:
    disowning = _DISOWNS.get(draft.kind)
    if draft.kind == "decision" and "@role decision" in draft.place:
        return draft  # under a heading that says that it was decided
    attribution = _attribution_of(draft, chunk, quoted) if disowning else None
    if disowning is None or attribution is None or attribution not in disowning:
        return draft
    if attribution in _GONE:
        return None
    kind: AtomKind = "unknown" if attribution == "undecided" else "claim"
    attributes = {name: value for name, value in draft.attributes.items() if name in _KEPT}
    if kind == "unknown":
        attributes["question"] = draft.statement
    return replace(
        draft,
        kind=kind,
        confidence=min(draft.confidence, WEAK),
        attributes=attributes | {ATTRIBUTION: attribution},
        polarity=None if kind == "unknown" else draft.polarity,
        instead=None,
    )


def _attribution_of(draft: Draft, chunk: ChunkCreated, quoted: list[Span]) -> Attribution | None:
    """What the sentence of ``draft`` says of whose it is; of several, what its last one says."""
    text, (start, end) = chunk.text_payload, draft.spans[0]
    if any(begin <= start and end <= stop for begin, stop in quoted):
        return "reported"
    opening = _opening_of(text, start)
    listed = "@form item" in draft.place
    if label := find_label(text[opening:end], listed=listed):
        return label
    if "@role unknown" in draft.place and _is_under_undecided(chunk, start):
        return "undecided"
    texts = [strip_markup(text[slice(*it)]) for it in split_sentences(text, opening, end)]
    if not texts:
        return None
    before = texts[-2] if len(texts) > 1 else ""
    if attribution := find_attribution(texts[-1], before, _sentence_after(text, end)):
        return attribution
    own = own_names(text, chunk.root, *chunk.structure_path[:1])
    return "others" if name_of_other(texts[-1], text, own) else None


def _sentence_after(text: str, end: int) -> str:
    """The next sentence of the same paragraph, which has no mark of an item."""
    rest = text[end : end + _MOST_AFTER]
    rest = _PARAGRAPH_END.split(rest, maxsplit=1)[0]
    sentences = split_sentences(rest, len(rest) - len(rest.lstrip()), len(rest))
    return strip_markup(rest[slice(*sentences[0])]) if sentences else ""


def _words_of_titles(chunk: ChunkCreated) -> frozenset[str]:
    """The words by which the titles of a text name its project."""
    titles = [chunk.root.rpartition("/")[2], *chunk.structure_path[:1]]
    titles += [it["title"] for it in islice(_HEADING.finditer(chunk.text_payload), 1)]
    return frozenset(it.lower() for title in titles for it in _NAME.findall(title))


def _is_under_undecided(chunk: ChunkCreated, start: int) -> bool:
    """Whether the nearest heading says that nothing under it is agreed."""
    over = [it["title"] for it in _HEADING.finditer(chunk.text_payload, 0, start)]
    heading = over[-1] if over else next(iter(chunk.structure_path[-1:]), "")
    return _NOT_AGREED.match(simplify(heading)) is not None


def _opening_of(text: str, start: int) -> int:
    """Where the paragraph or item begins that ``start`` is in."""
    begin = text.rfind("\n", 0, start) + 1
    while begin and not _ITEM.match(text, begin):
        above = text.rfind("\n", 0, begin - 1) + 1
        if not text[above:begin].strip("> \t\n"):
            break
        begin = above
    return begin
