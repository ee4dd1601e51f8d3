# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Quality are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from infra.client.connection import Model
from infra.client.models.quality_parts import (
    DimensionScore,
    QualityRunEvent,
    RemovedStatement,
    ReviewFinding,
)


class Edit(Model):
    """What became of a request to change an artifact; ``refusal`` is None where it was done.

    ``uncited_atom_ids`` are atoms that the artifact cites no longer. They stay in the ledger.
    """

    request_event_id: str
    artifact_id: str
    editor: str
    editor_kind: str
    artifact_type: str
    model: str | None
    section_ids: list[str]
    expected_version: int
    version: int
    refusal: str | None
    findings: list[ReviewFinding]
    uncited_atom_ids: list[str]
    answered_at: datetime | None


class QualityRunRow(Model):
    """A run with the scores of its last evaluation; what it has not told yet is None."""

    quality_run_id: str
    project_id: str
    artifact_id: str
    artifact_type: str | None
    number: str | None
    title: str | None
    artifact_version: int
    input_ledger_seq: int | None
    mode: str
    status: str
    iteration: int
    max_iterations: int
    final_tier: str | None
    dimension_tiers: dict[str, int]
    dimensions: list[DimensionScore]
    revised_sections: list[str]
    removed: list[RemovedStatement]
    engine: str
    model: str | None
    cost_usd: float
    tokens: int
    started_at: datetime | None
    finished_at: datetime | None
    error: str


class QualityRunDetail(Model):
    """A judgement with all that happened in it."""

    run: QualityRunRow
    events: list[QualityRunEvent]


class QualityRunRequest(Model):
    """``artifact`` is an id, a number, or ``prd``; ``mode`` is that of its type when left out."""

    artifact: str = "prd"
    mode: Literal["full", "light"] | None = None


class SectionText(Model):
    """A statement a line, with ``[[atm_…]]`` behind it for each atom that it cites.

    Or, without a text, the answer to the suggestion that a section has, as ``action``.
    """

    text: str | None = None
    action: Literal["write", "accept_suggestion", "decline_suggestion"] = "write"
    expected_version: int | None = None
