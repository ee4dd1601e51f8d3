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
from schemas.events.hygiene import ChunkCreated

_PLANS = frozenset({"decision", "requirement", "action_item", "domain_signal"})


def weaken_recorded(drafts: list[Draft], chunk: ChunkCreated) -> list[Draft]:
    """``drafts`` of one chunk, no surer than how its document stands."""
    if not is_record(chunk):
        return drafts
    return [
        replace(it, confidence=min(it.confidence, WEAK)) if _is_past(it, chunk) else it
        for it in drafts
    ]


def _is_past(draft: Draft, chunk: ChunkCreated) -> bool:
    match chunk.document_status:
        case "rejected" | "superseded":
            return True
        case "proposed" if draft.kind in _PLANS:
            return True
        case _:
            return draft.kind == "claim"
