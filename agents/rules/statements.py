"""One statement without its document: which kinds it may be, and how surely."""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.rules.reader import drafts_of
from schemas.events.hygiene import ChunkCreated

NOTHING = "other"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``kinds`` with confidences, surest first; empty when nothing is worth recording."""

    kinds: tuple[tuple[str, float], ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return self.kinds[0][0] if self.kinds else NOTHING

    @property
    def score(self) -> float:
        return self.kinds[0][1] if self.kinds else 0.0


def classify(text: str) -> Verdict:
    """What the reader takes a sentence, list item or short paragraph for."""
    drafts = drafts_of(_as_chunk(text))
    surest: dict[str, float] = {}
    attributes: dict[str, str] = {}
    for draft in sorted(drafts, key=lambda draft: -draft.confidence):
        if draft.kind not in surest:
            surest[draft.kind] = draft.confidence
        attributes = draft.attributes | attributes
    return Verdict(tuple(surest.items()), attributes)


def _as_chunk(text: str) -> ChunkCreated:
    return ChunkCreated(
        chunk_id="",
        source_id="",
        path="statement.md",
        title="",
        source_type="comment",
        priority_tier=3,
        sanitized_hash="",
        anchor_type="heading",
        anchor_start=0,
        anchor_end=len(text),
        line_start=1,
        line_end=1 + text.count("\n"),
        structure_path=[],
        text_payload=text,
        text_hash="",
        token_estimate=0,
        annotations=[],
    )
