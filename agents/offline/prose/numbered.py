"""A numbered list of facts of which the newer counts: every line is a claim with its number."""

from __future__ import annotations

from agents.offline.recognise.cues import ANCHORED
from agents.offline.recognise.entities import names_in
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS
from agents.offline.segment.wording import strip_markup
from schemas.areas import main_area
from schemas.events.atom import MAX_TITLE
from schemas.events.hygiene import ChunkCreated
from schemas.numbered_facts import list_numbered_facts


def numbered_drafts(chunk: ChunkCreated) -> list[Draft]:
    """The facts of a chunk; a line that is too short or too long to be quoted is left out."""
    text, drafts = chunk.text_payload, []
    for line in list_numbered_facts(text):
        raw = text[line.at : line.end]
        fact = strip_markup(raw).strip()
        start = line.at if len(raw) >= MIN_EVIDENCE_CHARS else line.start
        if line.end - start < MIN_EVIDENCE_CHARS or len(fact) > MAX_TITLE:
            continue
        drafts.append(
            Draft(
                kind="claim",
                title=fact.rstrip("."),
                body=fact,
                confidence=ANCHORED,
                spans=((start, line.end),),
                area=main_area(fact),
                entities=tuple(names_in(raw, fact)),
                serial=line.number,
            )
        )
    return drafts
