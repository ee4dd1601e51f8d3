# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Artifacts are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.client.connection import Model
from infra.client.models.shared import CitingSection


class ArtifactDetail(Model):
    """An artifact with its sections; each statement cites its atoms with their places.

    ``fields`` and ``plan`` are what its type has besides statements.
    """

    artifact_id: str
    artifact_type: str
    number: str
    title: str
    artifact_state: str
    version: int
    quality_tier: str | None
    lane: str
    engine: str
    run_id: str | None
    input_ledger_seq: int
    content_hash: str
    created_at: datetime | None
    updated_at: datetime
    sections: list[CitingSection]
    rendered_markdown: str
    model: str | None
    fields: dict[str, Any] | None
    plan: dict[str, Any] | None
    blocked_by: list[str]
    upstream_artifact_ids: list[str]


class ArtifactSummary(Model):
    """An artifact without its text."""

    artifact_id: str
    artifact_type: str
    number: str
    title: str
    artifact_state: str
    version: int
    quality_tier: str | None
    lane: str
    engine: str
    run_id: str | None
    input_ledger_seq: int
    content_hash: str
    created_at: datetime | None
    updated_at: datetime


class ArtifactVersion(Model):
    artifact_id: str
    version: int
    lane: str
    engine: str
    model: str | None
    run_id: str | None
    input_ledger_seq: int
    content_hash: str
    recomputed_sections: list[str]
    reason: str
    published_at: datetime


class GenerationLoop(Model):
    """One loop. ``items`` are those of its list afterwards, made anew or kept.

    ``stream_id`` names the stream that shows what it has made. ``calls_ratio`` are the calls for
    each item that was asked for. A loop of engine ``model`` has worded what one of ``heuristic``
    has made.
    """

    stream_id: str
    artifact_seq: int
    phase: str
    stop_reason: str
    items: int
    errors: int
    calls: int
    calls_ratio: float
    gaps_remaining: list[str]
    engine: str


class VersionDetail(Model):
    artifact_id: str
    version: int
    lane: str
    engine: str
    model: str | None
    run_id: str | None
    input_ledger_seq: int
    content_hash: str
    recomputed_sections: list[str]
    reason: str
    published_at: datetime
    sections: list[CitingSection]
    rendered_markdown: str
