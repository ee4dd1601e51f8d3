# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Sources are made of."""

from __future__ import annotations

from datetime import datetime

from infra.client.connection import Model
from infra.client.models.sources_parts import (
    AreaCounts,
    ExplainedSentence,
    PastAreaCounts,
    TierCounts,
)


class Chunk(Model):
    """``state``: pending, scheduled, extracted or skipped (with a reason); places are characters
    of the sanitized text of its source, the end not included.
    """

    chunk_id: str
    source_id: str
    path: str
    source_type: str
    priority_tier: int
    sanitized_hash: str
    anchor_type: str
    anchor_start: int
    anchor_end: int
    line_start: int
    line_end: int
    structure_path: list[str]
    token_estimate: int
    state: str
    skip_reason: str | None
    detail: str


class ChunkDetail(Model):
    """``text`` is what is read: secrets and personal data are replaced in it."""

    chunk_id: str
    source_id: str
    path: str
    source_type: str
    priority_tier: int
    sanitized_hash: str
    anchor_type: str
    anchor_start: int
    anchor_end: int
    line_start: int
    line_end: int
    structure_path: list[str]
    token_estimate: int
    state: str
    skip_reason: str | None
    detail: str
    text: str | None


class Coverage(Model):
    """``gaps`` are the areas about which the ledger holds too little. ``by_rules`` counts the
    chunks that rules have read in place of a model, by the cause.
    """

    tiers: list[TierCounts]
    areas: list[AreaCounts]
    gaps: list[str]
    by_rules: dict[str, int] = {}


class Explanation(Model):
    """A source with its sentences; none where nothing of it was read, which ``because`` tells."""

    path: str
    root: str
    because: str
    sentences: list[ExplainedSentence]


class PastCoverage(Model):
    """The areas after change set ``as_of_seq``."""

    as_of_seq: int
    areas: list[PastAreaCounts]


class SourceDetail(Model):
    """``text`` is the sanitized one: secrets and personal data are replaced in it."""

    source_id: str
    connector: str | None
    root: str | None
    external_ref: str | None
    path: str
    title: str | None
    source_type: str | None
    priority_tier: int | None
    language: str | None
    state: str | None
    skip_reason: str | None
    detail: str
    duplicate_of: str | None
    revision_seq: int | None
    revision_ref: str | None
    raw_sha256: str | None
    sanitized_hash: str | None
    line_count: int | None
    redaction_count: int | None
    chunk_count: int | None
    occurred_at: datetime | None
    revised_at: datetime | None
    text: str | None


class SourceRemoval(Model):
    """A removal on the log; ``trigger_key`` is that of the runs that carry it out."""

    trigger_key: str
    source_id: str
    root: str
    path: str


class SourceState(Model):
    """``state``: sanitized (to be read, or read), skipped, registered (not answered yet),
    removed.

    Without ``source_id`` it is something that a listing found and that is no source. ``reason`` and
    ``detail`` say why it is skipped, or why rules have read so many of its chunks (``by_rules``) in
    place of a model.
    """

    root: str
    path: str
    source_id: str | None
    source_type: str | None
    state: str
    reason: str | None
    detail: str
    by_rules: int = 0
