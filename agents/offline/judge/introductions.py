"""What introduces a feature: its name, what is said of it, and the claim that this makes."""

from __future__ import annotations

from dataclasses import dataclass

from agents.offline.recognise.cues import WEAK
from agents.offline.recognise.entities import names_in
from agents.offline.resolve.drafts import Draft, tags_of
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Span
from agents.offline.segment.wording import title_of
from schemas.areas import main_area
from schemas.events.hygiene import ChunkCreated
from schemas.features import (
    CARD,
    DOC,
    DONE,
    FEATURE,
    FEATURE_GROUP,
    FEATURE_PLACE,
    FEATURE_STATE,
    LISTED,
    PAGE,
    PLAN,
    RECORD,
    TOPIC,
)

_BARE = {LISTED: "Features", CARD: "Features", RECORD: "Design"} | dict.fromkeys(
    (PAGE, DOC, PLAN, TOPIC), "Documented"
)


@dataclass(frozen=True, slots=True)
class Introduction:
    """A feature's name with what is said of it there; ``said`` may be empty."""

    name: str
    said: str
    span: Span
    place: str
    state: str = DONE
    group: str = ""

    @property
    def marks(self) -> dict[str, str]:
        marks = {FEATURE: self.name, FEATURE_STATE: self.state, FEATURE_PLACE: self.place}
        return marks | ({FEATURE_GROUP: self.group} if self.group else {})


def draft_of(introduction: Introduction, chunk: ChunkCreated) -> Draft:
    """The claim that the product has it, or for what is planned that it is planned."""
    text = _statement_of(introduction)
    raw = chunk.text_payload[slice(*introduction.span)]
    names = names_in(raw, text)
    return Draft(
        kind="claim",
        title=title_of(text),
        body=text,
        confidence=WEAK,
        spans=(introduction.span,),
        area=main_area(" ".join((text, *chunk.structure_path[-3:])), "scope"),
        polarity="affirm",
        tags=tags_of(text, names),
        attributes=introduction.marks,
        entities=tuple(names),
    )


def _statement_of(introduction: Introduction) -> str:
    if introduction.said and introduction.name.lower() in introduction.said.lower():
        return introduction.said
    if introduction.said:
        return f"{introduction.name}: {introduction.said}"
    where = _BARE[introduction.place] if introduction.state == DONE else "Planned"
    return f"{where}: {introduction.name}"


def trim(text: str, span: Span) -> Span:
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, max(start, end)


def widen(text: str, span: Span) -> Span:
    """``span`` with as many whole lines around it as evidence needs."""
    start, end = trim(text, span)
    while end - start < MIN_EVIDENCE_CHARS and end < len(text):
        after = text.find("\n", end + 1)
        end = len(text) if after < 0 else after
    while end - start < MIN_EVIDENCE_CHARS and start > 0:
        start = max(0, text.rfind("\n", 0, start - 1))
    return trim(text, (start, end))
