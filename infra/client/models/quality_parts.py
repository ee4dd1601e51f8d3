# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What the models of the area Quality are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.client.connection import Model


class SectionCritique(Model):
    """What one section lacks, in a sentence."""

    section_id: str
    critique: str


class DimensionScore(Model):
    """One dimension of a quality run: a tier from 0 to 3, and the scores it is the mean of.

    ``critiques`` say of each of the ``failing_sections`` what it lacks.
    """

    name: str
    tier: int
    completeness: float
    consistency: float
    evidence_coverage: float
    clarity: float
    critique: str = ""
    failing_sections: list[str] = []
    critiques: list[SectionCritique] = []


class ReviewFinding(Model):
    """Something the citation validator objects to."""

    code: str
    section_id: str
    statement_id: str
    detail: str = ""
    warning: bool = False


class RemovedStatement(Model):
    """A statement that a run of the quality gate has taken out of its section, and why.

    Its atoms stay in the ledger.
    """

    section_id: str
    text: str
    atom_ids: list[str]
    reason: str


class QualityRunEvent(Model):
    quality_run_id: str
    seq: int
    event_type: str
    payload: dict[str, Any]
    occurred_at: datetime
