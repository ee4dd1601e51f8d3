"""What a record's statements are worth later: decisions stay, the rest tells what was so once.

A record or proposal is written once, about what was so and what was meant to be, and nobody keeps
it up. Of 53 claims of records that strict readers looked up in the sources 9 were good
(``models/reading-sheet.md``). So claims of a record are weak cues, and what a document says of its
own standing decides the rest. Decided against leaving out what was turned down: it is a draft that
says so, and nobody asks twice for what was refused.
"""

from __future__ import annotations

from dataclasses import replace

from agents.offline.recognise.cues import WEAK
from agents.offline.resolve.drafts import Draft
from agents.offline.segment.documents import is_record
from schemas.conflicts import find_conflicts
from schemas.events.hygiene import ChunkCreated

UNMERGED = "unmerged"  # the attribute that names the side of a merge that nobody has chosen yet

_PLANS = frozenset({"decision", "requirement", "action_item", "domain_signal"})


def weaken_recorded(drafts: list[Draft], chunk: ChunkCreated) -> list[Draft]:
    """``drafts`` of one chunk, no surer than how its document stands."""
    if not is_record(chunk):
        return drafts
    return [
        replace(it, confidence=min(it.confidence, WEAK)) if _is_past(it, chunk) else it
        for it in drafts
    ]


def weaken_unmerged(drafts: list[Draft], chunk: ChunkCreated) -> list[Draft]:
    """``drafts``, of which those inside an unfinished merge are drafts that name their side."""
    sides = find_conflicts(chunk.text_payload).sides
    if not sides:
        return drafts
    weakened = []
    for draft in drafts:
        at = draft.spans[0][0]
        side = next((it for it in sides if it.start <= at < it.end), None)
        if side is not None:
            attributes = draft.attributes | {UNMERGED: side.name or "unnamed"}
            sure = min(draft.confidence, WEAK)
            spans, frames = (
                tuple(it for it in each if it[0] < side.end and it[1] > side.start)
                for each in (draft.spans, draft.frames)
            )
            draft = replace(
                draft, confidence=sure, attributes=attributes, spans=spans, frames=frames
            )
        weakened.append(draft)
    return weakened


def _is_past(draft: Draft, chunk: ChunkCreated) -> bool:
    match chunk.document_status:
        case "rejected" | "superseded":
            return True
        case "proposed" if draft.kind in _PLANS:
            return True
        case _:
            return draft.kind == "claim"
