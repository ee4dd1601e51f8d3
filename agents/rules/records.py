"""What a record's statements are worth later: decisions stay, the rest tells what was so once.

A record or proposal is written once, about what was so and what was meant to be, and nobody keeps
it up. Of the claims of records that somebody looked up in the sources 9 of 53 held, of those of
other documents 59 of 116 (``agents/reading-sheet.md``). So claims of a record are weak cues, and
what a document says of its own standing decides the rest. Decided against leaving out what was
turned down: it is a draft that says so, and nobody asks twice for what was refused.
"""

from __future__ import annotations

import functools
import re
from dataclasses import replace

from agents.rules.cues import WEAK
from agents.rules.drafts import Draft
from schemas.events.hygiene import ChunkCreated

_RECORD = re.compile(
    r"(?:^|[/_.-])(?:adrs?|rfcs?|rfds?|keps?|peps?|seps?|decisions?|decision[-_ ]records?|"
    r"proposals?|designs?|enhancements?|minutes|meetings?|drs?)(?=[/_.\-\d]|$)|(?:^|/)text/(?:\w+/)?\d{4}-",
    re.IGNORECASE,
)
_PLANS = frozenset({"decision", "requirement", "action_item", "domain_signal"})


def is_record(chunk: ChunkCreated) -> bool:
    """Whether the document was written once, about a choice: by its name, or it has a status."""
    return chunk.document_status is not None or _is_named_so(chunk.path)


def as_recorded(drafts: list[Draft], chunk: ChunkCreated) -> list[Draft]:
    """``drafts`` of one chunk, no surer than how its document stands."""
    if not is_record(chunk):
        return drafts
    return [replace(it, confidence=WEAK) if _is_past(it, chunk) else it for it in drafts]


def _is_past(draft: Draft, chunk: ChunkCreated) -> bool:
    match chunk.document_status:
        case "rejected" | "superseded":
            return True
        case "proposed" if draft.kind in _PLANS:
            return True
        case _:
            return draft.kind == "claim"


@functools.lru_cache(maxsize=256)  # a document's chunks come one after another
def _is_named_so(path: str) -> bool:
    return bool(_RECORD.search(path))
